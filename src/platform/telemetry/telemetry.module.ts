import { Module } from '@nestjs/common';
import { Metrics } from './metrics.js';
import { OperationsController } from './operations.controller.js';
import { RequestLog } from './request-log.js';

@Module({ controllers: [OperationsController], providers: [Metrics, RequestLog] })
export class TelemetryModule {}

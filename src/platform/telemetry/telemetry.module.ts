import { Module } from '@nestjs/common';
import { Metrics } from './metrics.js';
import { OperationsController } from './operations.controller.js';

/** How the service is doing. */
@Module({ controllers: [OperationsController], providers: [Metrics] })
export class TelemetryModule {}

import { Module } from '@nestjs/common';
import { Measurements } from './measurements.js';
import { Metrics } from './metrics.js';
import { OperationsController } from './operations.controller.js';
import { Reconciliation } from './reconciliation.js';
import { RequestLog } from './request-log.js';

@Module({
  controllers: [OperationsController],
  providers: [Measurements, Metrics, Reconciliation, RequestLog],
})
export class TelemetryModule {}

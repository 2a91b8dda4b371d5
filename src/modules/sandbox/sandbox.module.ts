import { Module } from '@nestjs/common';
import type { ModuleDeclaration } from '../../platform/module-declaration.js';
import { WebhooksModule } from '../webhooks/index.js';
import { ClockController } from './adapters/http/clock.controller.js';
import { ClockDueWork } from './adapters/schedule/clock-due-work.js';
import { DueWork } from './application/ports.js';

@Module({
  imports: [WebhooksModule],
  controllers: [ClockController],
  providers: [{ provide: DueWork, useClass: ClockDueWork }],
})
class SandboxModule {}

export const SANDBOX: ModuleDeclaration = { module: SandboxModule };

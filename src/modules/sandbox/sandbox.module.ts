import { Module } from '@nestjs/common';
import type { ModuleDeclaration } from '../../platform/module-declaration.js';
import { WebhooksModule } from '../webhooks/index.js';
import { ClockController } from './adapters/http/clock.controller.js';
import { ClockFollower } from './adapters/schedule/clock-follower.js';
import { PerformDueWork } from './application/perform-due-work.js';
import { ScheduledWork } from './application/ports.js';

@Module({
  imports: [WebhooksModule],
  controllers: [ClockController],
  providers: [PerformDueWork, { provide: ScheduledWork, useClass: ClockFollower }],
})
class SandboxModule {}

export const SANDBOX: ModuleDeclaration = { module: SandboxModule };

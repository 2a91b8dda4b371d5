import { Controller, Get, Post } from '@nestjs/common';
import { TestSecretKey } from '../../../../platform/http/credential.js';
import { Operation, Tag } from '../../../../platform/http/operation.js';
import { Idempotency } from '../../../../platform/idempotency/idempotency.js';
import {
  AcceptIdempotencyKey,
  Idempotent,
  type IdempotentRequest,
} from '../../../../platform/idempotency/idempotency-key.guard.js';
import type { IdempotentResponse } from '../../../../platform/idempotency/idempotent-response.js';
import type { Caller } from '../../../../shared/caller.js';
import { Clock } from '../../../../shared/clock.js';
import { ValidBody } from '../../../../validation/validation.js';
import { CallerOfKey } from '../../../access/index.js';
import { AdvanceClock } from '../../application/advance-clock.js';
import { DueWork } from '../../application/ports.js';
import { ReadClock } from '../../application/read-clock.js';
import { SANDBOX_CLOCK, sandboxClockView } from '../representation/sandbox-clock.views.js';
import { AdvanceClockRequest, toStep } from './sandbox.requests.js';

@Controller('/v1/test_helpers/clock')
@TestSecretKey()
@Tag('Test helpers', 'What customers, the ledger and time do, at your word. With a key of live mode there are none.')
export class ClockController {
  constructor(
    private readonly idempotency: Idempotency,
    private readonly readClock: ReadClock,
    private readonly advanceClock: AdvanceClock,
    private readonly due: DueWork,
    private readonly clock: Clock,
  ) {}

  @Operation('readTestClock', {
    summary: 'Retrieve the clock',
    description: 'Returns the time in the test mode of your organization. Until you move it, that is the real time.',
    answers: { 200: { description: 'The clock.', schema: SANDBOX_CLOCK } },
  })
  @Get()
  async read(@CallerOfKey() caller: Caller) {
    return sandboxClockView(await this.readClock.execute(caller), this.clock.now());
  }

  @Operation('advanceTestClock', {
    summary: 'Advance the clock',
    description:
      'Moves the clock of the test mode of your organization forward, by `advance_seconds` or `to` an instant. The response comes when what became due has been done: sessions have expired, and webhooks have been attempted.',
    example: { advance_seconds: 86_400 },
    answers: { 200: { description: 'The clock.', schema: SANDBOX_CLOCK } },
  })
  @Post()
  @AcceptIdempotencyKey()
  async advance(
    @CallerOfKey() caller: Caller,
    @Idempotent() request: IdempotentRequest,
    @ValidBody() body: AdvanceClockRequest,
  ): Promise<IdempotentResponse> {
    const response = await this.idempotency.once(
      caller,
      { body, ...request },
      () => this.advanceClock.execute(caller, toStep(body)),
      (clock) => ({ status: 200, body: JSON.stringify(sandboxClockView(clock, this.clock.now())) }),
    );
    await this.due.perform(caller);
    return response;
  }
}

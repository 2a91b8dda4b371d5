import { Controller, Get, Post } from '@nestjs/common';
import { Idempotency } from '../../../../request/idempotency/idempotency.js';
import {
  IdempotencyKey,
  type KeyedRequest,
} from '../../../../request/idempotency/keyed-request.js';
import { changed } from '../../../../request/response.js';
import { Caller, Operation, Tag, TestSecretKey } from '../../../../request/route.js';
import { ValidRequest } from '../../../../request/validation/validation.js';
import { CallerClock, Clock } from '../../../../shared/clock.js';
import { AdvanceTestClock } from '../../../access/index.js';
import { PerformDueWork } from '../../application/perform-due-work.js';
import { SANDBOX_CLOCK, sandboxClockView } from '../representation/sandbox-clock.views.js';
import { AdvanceClockRequest } from './sandbox.requests.js';

@Controller('/v1/test_helpers/clock')
@TestSecretKey()
@Tag(
  'Test helpers',
  'Simulate customers, the ledger and time in test mode. A live key cannot call these operations.',
)
export class ClockController {
  constructor(
    private readonly idempotency: Idempotency,
    private readonly advanceTestClock: AdvanceTestClock,
    private readonly performDueWork: PerformDueWork,
    private readonly callerClock: CallerClock,
    private readonly clock: Clock,
  ) {}

  @Operation('readTestClock', {
    summary: 'Retrieve the clock',
    description:
      "Returns the clock of your organization's test mode. It shows the real time until you " +
      'advance it.',
    answers: { 200: { description: 'The clock.', schema: SANDBOX_CLOCK } },
  })
  @Get()
  async read(@Caller() caller: Caller) {
    return sandboxClockView(await this.callerClock.at(caller));
  }

  @Operation('advanceTestClock', {
    summary: 'Advance the clock',
    description:
      "Advances the clock of your organization's test mode by `advance_seconds`, or to the " +
      'time `to`. The response is sent after the work that became due: overdue sessions have ' +
      'expired, and due webhooks have been attempted.',
    answers: { 200: { description: 'The clock.', schema: SANDBOX_CLOCK } },
  })
  @Post()
  @IdempotencyKey('accepted')
  async advance(
    @Caller() caller: Caller,
    @ValidRequest(AdvanceClockRequest) request: KeyedRequest<AdvanceClockRequest>,
  ) {
    const { advance_seconds: advanceSeconds, to } = request.body;
    const response = await this.idempotency.once(
      caller,
      request,
      (unit) => this.advanceTestClock.execute(unit, { advanceSeconds, to }),
      (ahead) => changed(sandboxClockView({ now: this.clock.now() + ahead, ahead })),
    );
    await this.performDueWork.execute(caller);
    return response;
  }
}

import { Injectable } from '@nestjs/common';
import { StoredResponses } from '../../../../idempotency/stored-responses.js';
import type { Caller } from '../../../../shared/caller.js';
import type { Write } from '../../../../shared/decision.js';
import { DeliverySchedule } from '../../../events/index.js';
import { Schedules } from '../../application/ports.js';

/** The route whose stored responses do not age: a repeated request must not advance the clock again, however far it moved. */
const ADVANCE = 'POST /v1/test_helpers/clock';

@Injectable()
export class MovedSchedules extends Schedules {
  constructor(
    private readonly deliveries: DeliverySchedule,
    private readonly responses: StoredResponses,
  ) {
    super();
  }

  advance(caller: Caller, seconds: number): readonly Write[] {
    return [this.deliveries.advance(caller, seconds), this.responses.age(caller, seconds, ADVANCE)];
  }
}

import { Injectable } from '@nestjs/common';
import { StoredResponses } from '../../../../platform/idempotency/stored-responses.js';
import type { Caller } from '../../../../shared/caller.js';
import type { Write } from '../../../../shared/decision.js';
import { DeliverySchedule } from '../../../events/index.js';
import { Schedules } from '../../application/ports.js';

/** Repeated after its answer was lost, a step must not be made again, however long it was. */
const ADVANCE = 'POST /v1/test_helpers/clock';

@Injectable()
export class MovedSchedules extends Schedules {
  constructor(
    private readonly deliveries: DeliverySchedule,
    private readonly responses: StoredResponses,
  ) {
    super();
  }

  hasten(caller: Caller, seconds: number): readonly Write[] {
    return [this.deliveries.hasten(caller, seconds), this.responses.age(caller, seconds, ADVANCE)];
  }
}

import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../../shared/caller.js';
import { CallerClock, Clock, type Moment, type MovedClock } from '../../../../shared/clock.js';

/** The moved clocks that this process has heard of. A clock only ever moves forward, so the furthest is the latest. */
@Injectable()
export class MovedClocks extends CallerClock {
  private readonly ahead = new Map<string, number>();

  constructor(private readonly clock: Clock) {
    super();
  }

  at({ organization, mode }: Caller): Moment {
    const ahead = mode === 'test' ? (this.ahead.get(organization) ?? 0) : 0;
    return { now: this.clock.now() + ahead, ahead };
  }

  moved(): readonly MovedClock[] {
    return Array.from(this.ahead, ([organization, ahead]) => ({ organization, ahead }));
  }

  learn({ organization, ahead }: MovedClock): void {
    if (ahead > (this.ahead.get(organization) ?? 0)) this.ahead.set(organization, ahead);
  }
}

import { Injectable } from '@nestjs/common';
import { Clock } from '../shared/clock.js';

@Injectable()
export class SystemClock extends Clock {
  now(): number {
    return Date.now();
  }

  monotonic(): number {
    return performance.now();
  }
}

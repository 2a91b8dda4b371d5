import type { Database } from '../../src/persistence/database.js';
import { Units } from '../../src/persistence/units.js';
import { type CallerClock, Clock } from '../../src/shared/clock.js';

/** Units of work on a database whose organizations have moved no clock. */
export function unitsOf(database: Database): Units {
  const real = { at: (caller: object) => ({ ...caller, now: Date.now(), ahead: 0 }) };
  return new Units(database, real as unknown as CallerClock, new Clock());
}

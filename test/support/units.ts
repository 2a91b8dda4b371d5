import type { INestApplicationContext } from '@nestjs/common';
import type { Database } from '../../src/persistence/database.js';
import { Units } from '../../src/persistence/units.js';
import { type CallerClock, Clock } from '../../src/shared/clock.js';
import type { Work } from '../../src/shared/unit.js';

/** Returns units of work on a database whose organizations have moved no clock. */
export function unitsOf(database: Database): Units {
  const real = { at: (caller: object) => ({ ...caller, now: Date.now(), ahead: 0 }) };
  return new Units(database, real as unknown as CallerClock, new Clock());
}

/** The use cases of operators are taken from the application. */
export interface Operated {
  readonly application: Pick<INestApplicationContext, 'get'>;
}

const TESTER = { via: 'command_line', key: null, holder: 'tester' } as const;

/** Commits what a use case of an operator adds to its unit. */
export function committed<Result>(
  { application }: Operated,
  use: (unit: Work) => Promise<Result>,
): Promise<Result> {
  return application.get(Units).commit({ queue: 'test' }, use, TESTER);
}

/**
 * Fails a test file whose use case asked for another connection while its unit held one. If many
 * use cases do that at once, each waits for a connection that another one holds. A read in a unit
 * takes the unit, and not another caller.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { INestApplicationContext } from '@nestjs/common';
import { Database } from '../../src/persistence/database.js';
import { opened } from '../../src/persistence/unit-of-work.js';
import { Units } from '../../src/persistence/units.js';
import type { Author, Work } from '../../src/shared/unit.js';

type Gathered = ReturnType<typeof opened>['gathered'];
type Method = (...given: readonly unknown[]) => unknown;
type Attempt = (
  owner: object,
  use: (unit: Work) => Promise<unknown>,
  by?: Author,
) => Promise<unknown>;

const DOORS = ['lend', 'read', 'send'];

/**
 * Begins to watch. The function that it returns throws if a use case has asked for a second
 * connection since then.
 */
export function watchConnections(application: INestApplicationContext): () => void {
  const running = new AsyncLocalStorage<Gathered>();
  const complaints = new Set<string>();
  const units = application.get(Units) as unknown as { attempt: Attempt };
  const { pool } = application.get(Database) as unknown as { pool: Record<string, Method> };

  const attempt = units.attempt.bind(units);
  units.attempt = (owner, use, by) =>
    attempt(owner, (unit) => running.run(opened(unit).gathered, () => use(unit)), by);

  // Reads that go together are sent later, in the context of the first of them. That one has
  // already passed the door, and its unit may have begun a transaction since, for which nobody
  // waits.
  const sendBatch = pool.sendBatch?.bind(pool) as Method;
  pool.sendBatch = (...given) => running.exit(() => sendBatch(...given));

  for (const name of DOORS) {
    const door = pool[name]?.bind(pool) as Method;
    pool[name] = (...given) => {
      const gathered = running.getStore();
      const isHolding = gathered?.transaction !== undefined && !gathered.isEnded;
      if (isHolding) complaints.add(new Error(`A second connection by ${name}.`).stack ?? name);
      return door(...given);
    };
  }
  return () => {
    if (complaints.size > 0) throw new Error([...complaints].join('\n'));
  };
}

/** Checks what is between this machine and PostgreSQL: a pooler, the difference of the clocks, and the round trip. */
import type { Client } from 'pg';
import type { Clock } from '../../../shared/clock.js';
import { runElsewhere } from '../../migrate/pooler.js';
import { type Finding, fail, ok, warn } from './finding.js';
import type { Facts } from './server.js';

const LOOKS = 10;
const SKEW_WARN_MS = 1_000;
const SKEW_FAIL_MS = 60_000;
const SLOW_MS = 50;

export async function pooler(client: Client, connect: () => Promise<Client>, facts: Facts): Promise<Finding[]> {
  const advice =
    'Run `node dist/src/operator/cli/cli.js migrate`: it sets them for the role, so that each server connection has them.';
  const limits = facts.hasTimeLimit
    ? ok('time limits', 'Connections of the pooler have a time limit.')
    : warn('time limits', 'Connections of the pooler have no time limit.', advice);
  return [await prepared(client, connect), limits];
}

async function prepared(client: Client, connect: () => Promise<Client>): Promise<Finding> {
  try {
    await runElsewhere(client, connect);
    return ok('pooler', 'A pooler stands before PostgreSQL and keeps prepared statements.');
  } catch (error) {
    const advice =
      'Use PgBouncer 1.21 or newer with max_prepared_statements = 200, and at least two server connections.';
    return fail('pooler', `Prepared statements fail through the pooler: ${(error as Error).message}.`, advice);
  }
}

export async function clocks(client: Client, clock: Clock): Promise<Finding> {
  const looks: { trip: number; skew: number }[] = [];
  for (let look = 0; look < LOOKS; look++) {
    const [began, started] = [clock.now(), clock.monotonic()];
    const { rows } = await client.query<{ at: number }>(
      'SELECT extract(epoch FROM clock_timestamp())::double precision * 1000 AS at',
    );
    const trip = clock.monotonic() - started;
    looks.push({ trip, skew: Math.round(began + trip / 2 - (rows[0]?.at ?? Number.NaN)) });
  }
  // The fastest measurement is the most exact one.
  const { trip, skew } = looks.reduce((best, one) => (one.trip < best.trip ? one : best));
  const found = `This machine's clock is ${Math.abs(skew)} ms ${skew < 0 ? 'behind' : 'ahead of'} PostgreSQL's.`;
  const advice = 'Run NTP on both machines: what ends, ends by either clock.';
  if (Math.abs(skew) >= SKEW_FAIL_MS) return fail('clock', found, advice);
  if (Math.abs(skew) >= SKEW_WARN_MS) return warn('clock', found, advice);
  const far = `${found} A round trip takes ${trip.toFixed(1)} ms.`;
  if (trip < SLOW_MS) return ok('clock', far);
  return warn('clock', far, 'Run the service near its database: each request waits for a round trip at least.');
}

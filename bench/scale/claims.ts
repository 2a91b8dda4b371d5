/** Measures workers of the ledger that claim refunds while more and more refunds are pending. */
import type { Client as Sql } from 'pg';
import { type BenchDatabase, connect, startService } from '../servers.js';
import { openClient } from './client.js';
import { openLedgerKey } from './loaded.js';
import { type Latency, latencyOf } from './measuring.js';
import { type StatementPlan, withPlans } from './plans.js';

const ORGANIZATIONS = 1_000;
const WORKERS = 8;
const BATCH = 50;
const CLAIMED = 10_000;
/**
 * The best of so many rounds counts, because a shared machine is faster in one minute than in the
 * next.
 */
const ROUNDS = 3;

export interface ClaimResult {
  readonly refunds: number;
  readonly perSecond: number;
  /** This is the latency of one claim of a batch while the other workers claim theirs. */
  readonly latency: Latency;
  /** These plans find the organizations whose turn it is, and claim their refunds. */
  readonly plans: readonly StatementPlan[];
}

interface Refunds {
  readonly count: number;
  readonly url: string;
  readonly sql: Sql;
  readonly ledgerKey: string;
}

/** Measures claims in databases of their own, in turns. Throws when a refund was claimed twice. */
export async function measureClaims(
  database: BenchDatabase,
  counts: readonly number[],
  say: (line: string) => void,
): Promise<ClaimResult[]> {
  const sizes: Refunds[] = [];
  for (const count of counts) {
    say(`Loading ${count.toLocaleString('en')} pending refunds …`);
    sizes.push(await load(database, count));
  }
  const rounds = sizes.map((): Omit<ClaimResult, 'refunds' | 'plans'>[] => []);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [at, size] of sizes.entries()) rounds[at]?.push(await claimAll(size));
  }
  const results: ClaimResult[] = [];
  for (const [at, size] of sizes.entries()) {
    const [best] = (rounds[at] ?? []).toSorted((one, other) => other.perSecond - one.perSecond);
    if (best)
      results.push({
        refunds: size.count,
        ...best,
        plans: await explainClaim(size, database.logFile),
      });
    await size.sql.end();
  }
  return results;
}

export function claimLines(results: readonly ClaimResult[]): string {
  const line = ({ refunds, perSecond, latency, plans }: ClaimResult) =>
    `  of ${refunds.toLocaleString('en')}: ${Math.round(perSecond).toLocaleString('en')} a second, ` +
    `${latency.median.toFixed(1)} ms (p99 ${latency.p99.toFixed(1)}) a claim; ` +
    plans.map(({ summary, blocks }) => `${summary} [${blocks} blocks]`).join('; ');
  const head = `${WORKERS} workers claim ${CLAIMED.toLocaleString('en')} of the pending refunds, ${BATCH} at a time, each once:`;
  return [head, ...results.map(line)].join('\n');
}

async function load(database: BenchDatabase, count: number): Promise<Refunds> {
  const url = await database.createDatabase(`claims_${count}`);
  const sql = await connect(url);
  await sql.query(`
    CREATE TEMP TABLE made AS SELECT number, gen_random_uuid() AS organization_id, uuidv7() AS id
      FROM generate_series(0, ${ORGANIZATIONS - 1}) AS number;
    INSERT INTO payments (organization_id, mode, id, amount, amount_refunded, amount_pending_refund, currency)
      SELECT organization_id, 'test', id, 999999999999, 0, 0, 'usd' FROM made;
    INSERT INTO refunds (organization_id, mode, id, payment_id, amount, currency, status)
      SELECT organization_id, 'test', uuidv7(make_interval(secs => series - ${count})), id, 1, 'usd', 'pending'
      FROM generate_series(1, ${count}) AS series JOIN made ON made.number = series % ${ORGANIZATIONS}`);
  return { count, url, sql, ledgerKey: openLedgerKey(url) };
}

async function claimAll(size: Refunds): Promise<Omit<ClaimResult, 'refunds' | 'plans'>> {
  await unclaim(size);
  return withWorkers(size, WORKERS, async (workers) => {
    const times: number[] = [];
    const claimed: string[] = [];
    const started = performance.now();
    await Promise.all(
      workers.map(async (claim) => {
        while (claimed.length < CLAIMED) {
          const before = performance.now();
          const ids = await claim();
          times.push(performance.now() - before);
          claimed.push(...ids);
        }
      }),
    );
    const seconds = (performance.now() - started) / 1000;
    if (new Set(claimed).size !== claimed.length) {
      throw new Error(`${claimed.length} claims were of ${new Set(claimed).size} refunds.`);
    }
    return { perSecond: claimed.length / seconds, latency: latencyOf(times) };
  });
}

async function explainClaim(size: Refunds, logFile: string): Promise<StatementPlan[]> {
  await unclaim(size);
  return withPlans(size.sql, logFile, (log) =>
    withWorkers(size, 1, async ([claim]) => {
      await claim?.();
      const plans = log.read().filter(({ sql }) => /RECURSIVE owner|SKIP LOCKED/.test(sql));
      if (plans.length !== 2) throw new Error('The plans of a claim were not logged.');
      return plans;
    }),
  );
}

/** Restores the refunds, as if nobody had ever claimed one. */
async function unclaim({ sql }: Refunds): Promise<void> {
  await sql.query(`UPDATE refunds SET claim_number = 0, lapses = 0, claim_expires_at = NULL,
    claimable_at = to_timestamp(0) WHERE claim_number > 0`);
  await sql.query('VACUUM ANALYZE refunds');
}

/** Runs a service with so many connections, each of which claims a batch and returns its IDs. */
async function withWorkers<Result>(
  { url, ledgerKey: key }: Refunds,
  count: number,
  work: (workers: readonly (() => Promise<string[]>)[]) => Promise<Result>,
): Promise<Result> {
  const service = await startService({ DATABASE_URL: url });
  const clients = Array.from({ length: count }, () => openClient(service.url));
  const body = { limit: BATCH, lease_seconds: 3_600 };
  const workers = clients.map((client) => async () => {
    const answer = await client.send({ path: '/ledger/v1/refunds/claim', key, body });
    return (JSON.parse(String(answer)).data as { id: string }[]).map(({ id }) => id);
  });
  try {
    return await work(workers);
  } finally {
    for (const client of clients) client.close();
    await service.stop();
  }
}

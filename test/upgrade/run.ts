/**
 * `npm run task -- upgrade --rows N --from <commit> --package <tillgate-….tgz>` builds the version
 * before from the repository, loads it, migrates its database beside it, and starts this version
 * beside it, from its package if one is given. It prints how long each migration locked a table. It
 * exits with 1 if a request failed, or took longer than 2 s during the migration.
 */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { OwnPostgres } from '../support/own-postgres.js';
import { withClient } from '../support/postgres.js';
import { listening, openAccount, run, type Server, tillgate } from '../support/processes.js';
import { locksDuring } from './locks.js';

/** A migration may delay a request for so long. */
const LONGEST_MS = 2_000;
const CLIENTS = 8;
/** A phase without an end of its own takes this time. */
const PHASE_MS = 10_000;

interface Phase {
  requests: number;
  longest: number;
  readonly failures: string[];
}

const text = { type: 'string' } as const;
const { values } = parseArgs({
  options: { from: text, package: text, rows: { ...text, default: '200000' } },
});
const ROWS = Number(values.rows);
const print = (line: string) => console.log(line);

const versionOf = (manifest: string): string => JSON.parse(manifest).version;
const VERSION = versionOf(readFileSync('package.json', 'utf8'));

/**
 * Returns the commit that released the newest version of the changelog, or the version before if
 * this one is the newest.
 */
function released(): string {
  const log = readFileSync('CHANGELOG.md', 'utf8');
  const isReleased = !log.includes('\n## Unreleased\n');
  const versions = [...log.matchAll(/^## \[(\d+\.\d+\.\d+)\]/gm)].map(([, one]) => one);
  const version = versions.find((one) => !isReleased || one !== VERSION);
  const words = ['log', '--format=%H', `-S## [${version}]`, '--', 'CHANGELOG.md'];
  return execFileSync('git', words, { encoding: 'utf8' }).trim().split('\n').at(-1) as string;
}

const npm = (folder: string, ...words: readonly string[]) =>
  execFileSync('npm', [...words, '--silent'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });

/**
 * Builds a commit in a folder with packages of its own, because this version may have removed some
 * of them. Returns the folder.
 */
function built(commit: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'tillgate-before-'));
  execFileSync('tar', ['-x', '-C', folder], {
    input: execFileSync('git', ['archive', commit], { maxBuffer: 2 ** 28 }),
  });
  npm(folder, 'ci');
  npm(folder, 'run', 'build');
  return folder;
}

/** Unpacks the package as docs/operate/deploying.md does it. Returns the folder. */
function unpacked(file: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'tillgate-package-'));
  execFileSync('tar', ['-x', '-f', file, '-C', folder, '--strip-components=1']);
  npm(folder, 'ci', '--omit=dev', '--omit=optional');
  return folder;
}

const serve = (folder: string, url: string): Promise<Server> =>
  listening(run([join(folder, 'dist/src/main.js')], { DATABASE_URL: url }));

type Account = Awaited<ReturnType<typeof openAccount>>;

/** Makes one order of a shop and its ledger, each request at any of the services. */
async function order(
  services: readonly Server[],
  { organization, key: secret, ledgerKey: ledger }: Account,
  phase: Phase,
): Promise<void> {
  const send = async (method: string, path: string, key: string, body?: object) => {
    const { url } = services[Math.floor(Math.random() * services.length)] as Server;
    const started = performance.now();
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const keyed = body ? { ...headers, 'idempotency-key': randomUUID() } : headers;
    const init = { method, headers: keyed, ...(body && { body: JSON.stringify(body) }) };
    const answer = await fetch(url + path, init).catch((error: Error) => error);
    const answered = answer instanceof Error ? { error: answer.message } : await answer.json();
    phase.requests += 1;
    phase.longest = Math.max(phase.longest, performance.now() - started);
    if (answer instanceof Error || !answer.ok) {
      phase.failures.push(`${method} ${path}: ${JSON.stringify(answered).slice(0, 300)}`);
      throw new Error('The rest of the order is left out.');
    }
    return answered as { id: string; data: readonly { id: string; claim: { number: number } }[] };
  };
  const tea = { currency: 'usd', unit_amount: 2500, product_data: { name: 'Tea' } };
  const item = { price_data: tea, quantity: 2 };
  const session = await send('POST', '/v1/checkout_sessions', secret, {
    currency: 'usd',
    line_items: [item],
  });
  await send('GET', `/v1/checkout_sessions/${session.id}`, secret);
  const captured = { organization, amount: 5000, currency: 'usd', checkout_session: session.id };
  const payment = await send('POST', '/ledger/v1/payments', ledger, captured);
  const refund = await send('POST', '/v1/refunds', secret, { payment: payment.id, amount: 100 });
  await send('GET', `/v1/refunds/${refund.id}`, secret);
  const [claimed] = (await send('POST', '/ledger/v1/refunds/claim', ledger, { limit: 1 })).data;
  if (claimed) {
    const { number: claim } = claimed.claim;
    if (claim > 1) phase.failures.push(`${claimed.id} was claimed twice`);
    await send('POST', `/ledger/v1/refunds/${claimed.id}/extend`, ledger, {
      claim,
      lease_seconds: 120,
    });
    await send('POST', `/ledger/v1/refunds/${claimed.id}/succeed`, ledger, { claim });
  }
  await send('GET', '/v1/checkout_sessions?limit=10', secret);
  await send('GET', `/v1/payments/${payment.id}`, secret);
}

/** Makes orders at all services until the work is done. */
async function under(
  name: string,
  services: readonly Server[],
  keys: Account,
  work: () => Promise<unknown>,
) {
  const phase: Phase = { requests: 0, longest: 0, failures: [] };
  let isDone = false;
  const client = async () => {
    while (!isDone) await order(services, keys, phase).catch(() => sleep(100));
  };
  const clients = Promise.all(Array.from({ length: CLIENTS }, client));
  const started = performance.now();
  await work().finally(() => {
    isDone = true;
  });
  await clients;
  const took = ((performance.now() - started) / 1_000).toFixed(1);
  print(
    `${name}: ${took} s, ${phase.requests} requests, ${phase.failures.length} failed, ${Math.round(phase.longest)} ms at most`,
  );
  for (const failure of new Set(phase.failures.slice(0, 5))) print(`  ${failure}`);
  if (phase.failures.length > 0) process.exitCode = 1;
  return phase;
}

/** Adds rows like those of the first orders, each with IDs of its own. */
async function multiply(url: string): Promise<void> {
  await withClient(url, async (client) => {
    await client.query(`SET statement_timeout = 0; CREATE TEMPORARY TABLE made AS
      SELECT uuidv7() AS session, uuidv7() AS event, uuidv7() AS payment, uuidv7() AS refund FROM generate_series(1, ${ROWS})`);
    for (const [table, own] of [
      ['checkout_sessions', `'id', session, 'status', 'open', 'payment_status', 'unpaid'`],
      ['events', `'id', event, 'object_id', session`],
      [
        'payments',
        `'id', payment, 'amount_refunded', 0, 'amount_pending_refund', 0, 'checkout_session_id', null`,
      ],
      [
        'refunds',
        `'id', refund, 'payment_id', payment, 'status', 'canceled', 'claim_expires_at', null`,
      ],
    ]) {
      await client.query(`INSERT INTO ${table}
        SELECT copy.* FROM made, (SELECT to_jsonb(${table}) AS one FROM ${table} ORDER BY id LIMIT 1),
          jsonb_populate_record(NULL::${table}, one || jsonb_build_object(${own})) AS copy`);
    }
    await client.query('ANALYZE');
  });
}

/**
 * Runs the migrations. Prints, for each of them, the longest time in which others could not write
 * to an existing table.
 */
async function migrated(url: string): Promise<void> {
  const [{ count }] = await withClient(url, async (client) => {
    return (await client.query('SELECT count(*)::integer FROM migrations')).rows;
  });
  const { result, steps } = await locksDuring(url, () => tillgate(url, ['migrate'], after));
  for (const [index, name] of (result.applied as readonly string[]).entries()) {
    const { tables, ms } = steps.get(count + index) ?? { tables: [], ms: 0 };
    print(
      `  ${name}: ${ms === 0 ? 'no lock seen' : `${Math.round(ms)} ms, ${[...tables].join(', ')}`}`,
    );
  }
}

const commit = values.from ?? released();
const before = built(commit);
const after = values.package === undefined ? '.' : unpacked(values.package);
print(
  `from ${versionOf(readFileSync(join(before, 'package.json'), 'utf8'))} (${commit.slice(0, 7)}) to ${VERSION}`,
);
const postgres = await OwnPostgres.start(['archive_mode = off']);
const servers: Server[] = [];
try {
  const { url } = postgres;
  await tillgate(url, ['migrate'], before);
  const keys = await openAccount(url, 'Upgraded', before);
  const old = await serve(before, url);
  servers.push(old);
  await under('warm-up', [old], keys, () => sleep(1_000));
  await multiply(url);
  print(`${ROWS} more sessions, payments, refunds and events`);
  await under('the version before', [old], keys, () => sleep(PHASE_MS));
  const { longest } = await under('migrated beside it', [old], keys, () => migrated(url));
  await under('on the new schema', [old], keys, () => sleep(PHASE_MS));
  const next = await serve(after, url);
  servers.push(next);
  await under('both versions', [old, next], keys, () => sleep(PHASE_MS));
  await old.stop();
  await under('this version', [next], keys, () => sleep(PHASE_MS));
  const { balanced } = await tillgate(url, ['reconcile'], after);
  print(`reconcile: ${balanced ? 'balanced' : 'not balanced'}`);
  if (!balanced || longest > LONGEST_MS) process.exitCode = 1;
} finally {
  await Promise.all(servers.map((server) => server.stop()));
  await postgres.stop();
  postgres.remove();
  for (const folder of [before, after]) if (folder !== '.') rmSync(folder, { recursive: true });
}

/**
 * Measures what PostgreSQL spends on a single statement: `npm run task -- bench:statements`. Takes
 * the statements of a new session and of a refund from PostgreSQL's log, and runs each again and
 * again in one backend without a server, on a copy of the cluster. With valgrind, it counts
 * instructions, which do not depend on what else the machine does. Without it, it measures CPU.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Request } from 'autocannon';
import { installation, type Owner } from '../src/operator/embedded-postgres/binaries.js';
import { prepareScenarios } from './scenarios.js';
import {
  type BenchDatabase,
  connect,
  openBenchDatabase,
  openShop,
  startService,
} from './servers.js';
import { table } from './table.js';

const MEASURED = ['create', 'refund'];
/** The difference of two runs is that of the executions alone: both start a backend. */
const EXECUTIONS = { valgrind: [20, 60], none: [2_000, 8_000] } as const;
const VALGRIND = [
  'valgrind',
  '--tool=cachegrind',
  '--cache-sim=no',
  '--cachegrind-out-file=/dev/null',
];
/** The service gives its connections this setting. The disk has no part in the measurement. */
const SETTINGS = ['plan_cache_mode=force_generic_plan', 'fsync=off', 'autovacuum=off'];
const LOG = `ALTER SYSTEM SET log_min_duration_statement = 0`;
const EXECUTED =
  /execute [^:\n]+: (?<text>(?:WITH|INSERT|UPDATE)[\s\S]+?)\n[^\n]*DETAIL: {2}[Pp]arameters: (?<values>[^\n]+)/g;
const LITERAL = /\$\d+ = (NULL|'(?:[^']|'')*')/g;
const ID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;
/** The owner of the cluster may not enter the directories above it. */
const HERE = '/proc/self/cwd';
const NO_VALGRIND =
  'valgrind is not installed, so this is CPU, which depends on what else the machine does.\n\n';
const KEY = 'bench-key';
const KNOWN = 'SELECT id::text FROM organizations UNION ALL SELECT id::text FROM payments';

interface Statement {
  readonly text: string;
  /** The parameters are literals of SQL. */
  readonly values: readonly string[];
}

async function main(): Promise<void> {
  const database = await openBenchDatabase();
  try {
    const statements = await capture(database);
    const cluster = join(dirname(database.logFile), 'pg');
    const { bin, owner } = await installation(cluster);
    await database.stop();
    const postgres = join(bin, 'postgres');
    const name = new URL(database.url).pathname.slice(1);
    const hasValgrind = spawnSync('valgrind', ['--version']).status === 0;
    const measure = (statement: Statement) =>
      cost({ postgres, cluster, owner, name, hasValgrind }, statement);
    const rows = [...statements].map(([name, statement]) => [name, measure(statement)]);
    const unit = hasValgrind ? 'k instructions' : 'µs of CPU';
    if (!hasValgrind) process.stdout.write(NO_VALGRIND);
    process.stdout.write(`${table([['One row', unit], ...rows])}\n`);
  } finally {
    await database.close();
  }
}

async function capture(database: BenchDatabase): Promise<ReadonlyMap<string, Statement>> {
  const shop = openShop(database.url, 'live');
  const sql = await connect(database.url);
  const server = await startService({ DATABASE_URL: database.url });
  const scenarios = await prepareScenarios(server.url, database.url, shop);
  await sql.query('VACUUM ANALYZE');
  const known = new Set((await sql.query(KNOWN)).rows.map(({ id }) => id));
  await sql.query(LOG);
  await sql.query('SELECT pg_reload_conf()');
  const statements = new Map<string, Statement>();
  for (const { name, requests } of scenarios.filter((one) => MEASURED.includes(one.name))) {
    await sleep(1_000);
    const from = readFileSync(database.logFile, 'utf8').length;
    await sendOnce(server.url, requests[0] as Request);
    await sleep(1_000);
    statements.set(name, statementIn(readFileSync(database.logFile, 'utf8').slice(from), known));
  }
  await sql.query('ALTER SYSTEM RESET log_min_duration_statement');
  await sql.end();
  await server.stop();
  return statements;
}

async function sendOnce(url: string, { path, method, headers, body }: Request): Promise<void> {
  const sent = new Headers(headers as Record<string, string>);
  sent.set('idempotency-key', KEY);
  const response = await fetch(`${url}${path}`, {
    method: `${method}`,
    headers: sent,
    body: `${body}`,
  });
  if (response.status !== 201) throw new Error(`${path} was answered ${await response.text()}`);
}

/** Finds the write in a part of the log. Its new IDs and its key get a place for a number. */
function statementIn(log: string, known: ReadonlySet<string>): Statement {
  const found = [...log.matchAll(EXECUTED)].find(({ groups }) => groups?.values?.includes(KEY));
  const { text, values } = found?.groups ?? {};
  if (text === undefined || values === undefined) throw new Error('The log has no such statement.');
  const literals = [...values.matchAll(LITERAL)].map(([, literal = '']) =>
    literal
      .replace(ID, (id) => (known.has(id) ? id : `${id.slice(0, -8)}[number]`))
      .replace(KEY, `${KEY}-[number]`),
  );
  return { text, values: literals };
}

interface Backend {
  readonly postgres: string;
  readonly cluster: string;
  readonly owner: Owner | undefined;
  /** The name of the database. */
  readonly name: string;
  readonly hasValgrind: boolean;
}

function cost(backend: Backend, statement: Statement): string {
  const counts = EXECUTIONS[backend.hasValgrind ? 'valgrind' : 'none'];
  const [few, many] = counts.map((count) => spentBy(backend, statement, count)) as [number, number];
  return Math.round((many - few) / (counts[1] - counts[0])).toLocaleString('en');
}

/** Returns thousands of instructions, or microseconds, of a backend that executes it so often. */
function spentBy(backend: Backend, { text, values }: Statement, count: number): number {
  const copy = `${backend.cluster}-copy`;
  rmSync(copy, { recursive: true, force: true });
  spawnSync('cp', ['-Rp', backend.cluster, copy]);
  const executions = Array.from({ length: count }, (_, index) => {
    const number = index.toString(16).padStart(8, '0');
    return `EXECUTE measured (${values.join(', ').replaceAll('[number]', number)});`;
  });
  const settings = SETTINGS.flatMap((setting) => ['-c', setting]);
  const words = [backend.postgres, '--single', '-j', '-D', HERE, ...settings, backend.name];
  const wrapped = backend.hasValgrind ? [...VALGRIND, ...words] : words;
  const { stdout, stderr } = spawnSync('bash', ['-c', '"$@"; times', 'bash', ...wrapped], {
    ...backend.owner,
    cwd: copy,
    input: [`PREPARE measured AS ${text};`, ...executions, ''].join('\n\n'),
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  rmSync(copy, { recursive: true });
  const refused = /(?:ERROR|FATAL): .*/.exec(stderr);
  if (refused) throw new Error(refused[0]);
  return backend.hasValgrind ? instructionsIn(stderr) : cpuIn(stdout);
}

const instructionsIn = (output: string): number =>
  Number(/I\s+refs:\s+([\d,]+)/.exec(output)?.[1]?.replaceAll(',', '')) / 1_000;

/** The last line of `times` is what the children took, in user and system time. */
function cpuIn(output: string): number {
  const times = [...output.matchAll(/(\d+)m([\d.]+)s/g)].slice(-2);
  const seconds = times.map(([, minutes, rest]) => Number(minutes) * 60 + Number(rest));
  return seconds.reduce((sum, one) => sum + one, 0) * 1e6;
}

await main();

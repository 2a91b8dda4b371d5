/**
 * `npm run task -- upgrade --rows N --from <commit> --package <tillgate-….tgz>` builds the version
 * before from the repository, loads it, migrates its database beside it, and starts this version
 * beside it, from its package if one is given. It prints how long each migration locked a table. It
 * exits with 1 if a request failed, or took longer than 2 s during the migration.
 *
 * From 1.2.0, the service is stopped meanwhile. It exits with 1 if a client reads another body
 * afterwards than before.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { OwnPostgres } from '../support/own-postgres.js';
import { withClient } from '../support/postgres.js';
import { listening, openAccount, run, type Server, tillgate } from '../support/processes.js';
import { locksDuring } from './locks.js';
import { type Account, under } from './orders.js';
import { readsOf } from './reads.js';
import { multiply } from './rows.js';

/** A migration may delay a request for so long. */
const LONGEST_MS = 2_000;
/** A phase without an end of its own takes this time. */
const PHASE_MS = 10_000;
/** 2.0.0 takes its database over (docs/operate/upgrading.md). */
const LAST_OF_OLD_SCHEMA = '1.2.0';

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

/** A version names its program at the end of its start script. */
function serve(folder: string, url: string): Promise<Server> {
  const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const program = scripts.start.split(' ').at(-1);
  return listening(run([join(folder, program)], { DATABASE_URL: url }));
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

/** Both versions serve while the database is migrated. */
async function upgradeBeside(old: Server, url: string, keys: Account): Promise<void> {
  const { longest } = await under('migrated beside it', [old], keys, () => migrated(url));
  await under('on the new schema', [old], keys, () => sleep(PHASE_MS));
  const next = await serve(after, url);
  servers.push(next);
  await under('both versions', [old, next], keys, () => sleep(PHASE_MS));
  await old.stop();
  await under('this version', [next], keys, () => sleep(PHASE_MS));
  if (longest > LONGEST_MS) process.exitCode = 1;
}

/** Nothing is served while the database is taken over. */
async function upgradeStopped(old: Server, url: string, keys: Account): Promise<void> {
  const expected = await readsOf(old.url, keys);
  await old.stop();
  const stoppedAt = performance.now();
  await tillgate(url, ['migrate'], after);
  const takenOverAt = performance.now();
  const next = await serve(after, url);
  servers.push(next);
  const seconds = (since: number) => ((performance.now() - since) / 1_000).toFixed(1);
  print(`not served: ${seconds(stoppedAt)} s, of which the start took ${seconds(takenOverAt)} s`);
  const found = await readsOf(next.url, keys);
  const others = [...expected].filter(([path, body]) => found.get(path) !== body);
  print(`read before and after: ${expected.size} bodies, ${others.length} differ`);
  for (const [path, body] of others.slice(0, 5))
    print(`  GET ${path}\n    before ${body}\n    after  ${found.get(path)}`);
  if (expected.size !== found.size || others.length > 0) process.exitCode = 1;
  await under('this version', [next], keys, () => sleep(PHASE_MS));
}

const commit = values.from ?? released();
const before = built(commit);
const after = values.package === undefined ? '.' : unpacked(values.package);
const from = versionOf(readFileSync(join(before, 'package.json'), 'utf8'));
print(`from ${from} (${commit.slice(0, 7)}) to ${VERSION}`);
const upgrade = from === LAST_OF_OLD_SCHEMA ? upgradeStopped : upgradeBeside;
const postgres = await OwnPostgres.start(['archive_mode = off']);
const servers: Server[] = [];
try {
  const { url } = postgres;
  await tillgate(url, ['migrate'], before);
  const keys = await openAccount(url, 'Upgraded', before);
  const old = await serve(before, url);
  servers.push(old);
  await under('warm-up', [old], keys, () => sleep(1_000));
  await multiply(url, ROWS);
  print(`${ROWS} more sessions, payments, refunds and events`);
  await under('the version before', [old], keys, () => sleep(PHASE_MS));
  await upgrade(old, url, keys);
  const { balanced } = await tillgate(url, ['reconcile'], after);
  print(`reconcile: ${balanced ? 'balanced' : 'not balanced'}`);
  if (!balanced) process.exitCode = 1;
} finally {
  await Promise.all(servers.map((server) => server.stop()));
  await postgres.stop();
  postgres.remove();
  for (const folder of [before, after]) if (folder !== '.') rmSync(folder, { recursive: true });
}

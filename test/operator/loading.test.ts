/** Most of the time of a start is spent on loading, so a process loads only what it needs. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createDatabase } from '../support/postgres.js';
import { listening, run, until } from '../support/processes.js';

/** Prints the paths of the CommonJS files that were loaded, when the process ends. */
const PRINT_FILES = `data:text/javascript,${encodeURIComponent(`
  import module from 'node:module';
  process.on('exit', () => process.stderr.write(JSON.stringify(Object.keys(module._cache))));
`)}`;

/** Nest loads rxjs, and class-validator's index loads libphonenumber-js. */
const LARGE = ['class-validator', 'fastify', 'libphonenumber-js', 'pg', 'rxjs', 'typeorm'];

async function filesOf(...words: string[]): Promise<string[]> {
  const cli = 'dist/src/operator/cli/cli.js';
  const { status, stderr } = await run(['--import', PRINT_FILES, cli, ...words]).ended;
  expect(status).toBe(0);
  return JSON.parse(stderr);
}

async function largePackagesOf(...words: string[]): Promise<string[]> {
  const files = await filesOf(...words);
  const loaded = files.map((path) => /node_modules\/([^/]+)/.exec(path)?.[1]);
  return LARGE.filter((name) => loaded.includes(name));
}

test('the version and the list of commands load no large package', async () => {
  expect(await largePackagesOf('--version')).toEqual([]);
  expect(await largePackagesOf('--help')).toEqual([]);
});

test('a command that only migrates does not load Nest', async () => {
  expect(await largePackagesOf('migrate', '--help')).toEqual(['class-validator', 'pg', 'typeorm']);
});

test('a command that runs the application loads neither Fastify nor telephone numbers', async () => {
  const application = ['class-validator', 'pg', 'rxjs', 'typeorm'];
  expect(await largePackagesOf('key', 'create', '--help')).toEqual(application);
});

describe('a service that runs', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;

  beforeEach(async () => {
    database = await createDatabase();
  });

  afterEach(() => database.drop());

  const start = (...options: string[]) =>
    listening(run([...options, 'dist/src/main.js'], { DATABASE_URL: database.url }));

  test('loads no driver of TypeORM but that of PostgreSQL', async () => {
    const server = await start('--import', PRINT_FILES);
    const { stderr } = await server.stop();
    const files: string[] = JSON.parse(stderr);
    const drivers = files.flatMap((path) => /(\w+)Driver\.js$/.exec(path)?.[1] ?? []);
    expect(drivers).toEqual(['Postgres']);
  });

  test('collects the garbage of its start after it listens', async () => {
    const server = await start('--expose-gc', '--trace-gc');
    // V8 gives this reason for a collection that a program asks for.
    const isCollected = () => server.stdout().includes('testing; GC');
    await until(isCollected).finally(() => server.stop());
    const [first] = /listens on|testing; GC/.exec(server.stdout()) ?? [];
    expect(first).toBe('listens on');
  });
});

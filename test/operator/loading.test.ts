/** Most of the time of a start is spent on loading, so a process loads only what it needs. */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createDatabase } from '../support/postgres.js';
import { type Ended, listening, run, until } from '../support/processes.js';

/** Prints the URLs of all files that were loaded, when the process ends. */
const PRINT_FILES = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  const files = [];
  registerHooks({
    load(url, context, next) {
      files.push(url);
      return next(url, context);
    },
  });
  process.on('exit', () => process.stderr.write(JSON.stringify(files)));
`)}`;

/** Nest loads rxjs, and each of these takes more than a twentieth of a start. */
const LARGE = ['@nestjs/core', 'class-validator', 'fastify', 'pg', 'rxjs', 'typeorm'];

/** Without the bundle, a start reads 1,600 files. */
const MOST_FILES = 80;

interface Bundle {
  readonly outputs: Readonly<
    Record<string, { readonly inputs: Readonly<Record<string, unknown>> }>
  >;
}

const packageOf = (path: string) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1];

/** Returns the packages whose code is in these files, whether or not they are bundled. */
function packagesIn(urls: readonly string[]): ReadonlySet<string | undefined> {
  const { outputs }: Bundle = JSON.parse(readFileSync('dist/bundle.json', 'utf8'));
  const files = urls.filter((url) => url.startsWith('file:')).map((url) => fileURLToPath(url));
  const contents = files.flatMap((file) => {
    const bundled = outputs[relative('.', file)];
    return bundled ? Object.keys(bundled.inputs) : [file];
  });
  return new Set(contents.map(packageOf));
}

const filesOf = ({ stderr }: Ended): string[] => JSON.parse(stderr);

async function largePackagesOf(...words: string[]): Promise<string[]> {
  const ended = await run(['--import', PRINT_FILES, 'dist/bundle/cli.js', ...words]).ended;
  expect(ended.status).toBe(0);
  const loaded = packagesIn(filesOf(ended));
  return LARGE.filter((name) => loaded.has(name));
}

test('the version and the list of commands load no large package', async () => {
  expect(await largePackagesOf('--version')).toEqual([]);
  expect(await largePackagesOf('--help')).toEqual([]);
});

test('a command that only migrates does not load Nest', async () => {
  expect(await largePackagesOf('migrate', '--help')).toEqual(['class-validator', 'pg', 'typeorm']);
});

test('a command that runs the application does not load Fastify', async () => {
  const application = LARGE.filter((name) => name !== 'fastify');
  expect(await largePackagesOf('key', 'create', '--help')).toEqual(application);
});

test('the errors of TypeORM have their own names in the bundle', () => {
  const { outputs }: Bundle = JSON.parse(readFileSync('dist/bundle.json', 'utf8'));
  const programs = Object.keys(outputs).map((file) => readFileSync(file, 'utf8'));
  const names = programs.flatMap((text) => text.match(/\w+Error\d*(?==class)/g) ?? []);
  expect(names).toContain('QueryFailedError');
  const renamed = names.filter((name) => /\d$/.test(name));
  // The errors of commander are not logged.
  expect(renamed.sort()).toEqual(['CommanderError2', 'InvalidArgumentError2']);
});

test('the licences of the bundle contain each notice that a package adds to its licence', () => {
  const licences = readFileSync('dist/bundle/LICENSES.txt', 'utf8');
  for (const file of ['reflect-metadata/CopyrightNotice.txt', 'libphonenumber-js/LICENSE.Apache']) {
    expect(licences).toContain(readFileSync(`node_modules/${file}`, 'utf8').trim());
  }
});

describe('a service that runs', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;

  beforeEach(async () => {
    database = await createDatabase();
  });

  afterEach(() => database.drop());

  const start = (...options: string[]) =>
    listening(run([...options, 'dist/bundle/main.js'], { DATABASE_URL: database.url }));

  test('loads few files, and of its packages only pg from a folder of its own', async () => {
    const server = await start('--import', PRINT_FILES);
    const files = filesOf(await server.stop()).filter((url) => url.startsWith('file:'));
    const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
    const packages = new Set(files.map(packageOf));
    expect(Object.keys(dependencies).filter((name) => packages.has(name))).toEqual(['pg']);
    expect(files.length).toBeLessThan(MOST_FILES);
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

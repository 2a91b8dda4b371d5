/** Most of the time of a start is spent on loading, so a process loads only what it needs. */
import { expect, test } from '@jest/globals';
import { run } from '../support/processes.js';

/** Prints the names of the CommonJS packages that were loaded, when the process ends. */
const PRINT_PACKAGES = `data:text/javascript,${encodeURIComponent(`
  import module from 'node:module';
  process.on('exit', () => {
    const nameOf = (path) => /node_modules\\/([^/]+)/.exec(path)?.[1];
    const names = new Set(Object.keys(module._cache).map(nameOf));
    process.stderr.write(JSON.stringify([...names]));
  });
`)}`;

/** Nest loads rxjs, and class-validator's index loads libphonenumber-js. */
const LARGE = ['class-validator', 'libphonenumber-js', 'pg', 'rxjs', 'typeorm'];

async function largePackagesOf(...words: string[]): Promise<string[]> {
  const cli = 'dist/src/operator/cli/cli.js';
  const { status, stderr } = await run(['--import', PRINT_PACKAGES, cli, ...words]).ended;
  expect(status).toBe(0);
  const loaded: string[] = JSON.parse(stderr);
  return LARGE.filter((name) => loaded.includes(name));
}

test('the version and the list of commands load no large package', async () => {
  expect(await largePackagesOf('--version')).toEqual([]);
  expect(await largePackagesOf('--help')).toEqual([]);
});

test('a command that only migrates does not load Nest', async () => {
  expect(await largePackagesOf('migrate', '--help')).toEqual(['class-validator', 'pg', 'typeorm']);
});

test('a command that runs the application loads no telephone numbers', async () => {
  const application = ['class-validator', 'pg', 'rxjs', 'typeorm'];
  expect(await largePackagesOf('key', 'create', '--help')).toEqual(application);
});

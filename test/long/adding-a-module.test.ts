/**
 * A module is added by its folder, its migration and three lines, as docs/guides/adding-a-module.md
 * says.
 */
import { execFile, execFileSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { flat, shownIn } from '../support/shown-code.js';

const FIXTURE = 'test/fixtures/disputes';
const PAGE = readFileSync('docs/guides/adding-a-module.md', 'utf8');
const MINUTES = 60_000;

const SHOWN = shownIn(PAGE);
const LINES = SHOWN.filter(({ isLine }) => isLine);

const FILES = readdirSync(FIXTURE, { recursive: true, encoding: 'utf8' })
  .filter((file) => statSync(join(FIXTURE, file)).isFile())
  .sort();

test('the guide shows the current files', () => {
  const parts = SHOWN.filter(({ isLine }) => !isLine);
  expect(parts.length).toBeGreaterThan(4);
  for (const { path, code } of parts)
    expect(flat(readFileSync(join(FIXTURE, path), 'utf8'))).toContain(flat(code));
  expect(PAGE.match(/^```(ts|text)$/gm)).toHaveLength(SHOWN.length);
});

test('the guide lists every file', () => {
  const [, tree = ''] = /^```\n([\s\S]*?)\n```$/m.exec(PAGE) ?? [];
  const listed = tree.split('\n').flatMap((line) => {
    const [, before = line, names = '', after = ''] = /^(.*)\{(.*)\}(.*)$/.exec(line) ?? [];
    return names.split(',').map((name) => `${before}${name}${after}`);
  });
  expect(listed.sort()).toEqual(FILES);
});

test('a module is a folder, a migration, examples, tests, and one line in each of three files', () => {
  const others = FILES.filter((file) => !/^(src\/modules\/disputes|test)\//.test(file));
  expect(others).toEqual(['migrations/0099-disputes.ts', 'tools/openapi/examples/disputes.ts']);
  expect(LINES.map(({ path, code }) => [path, code.split('\n').length])).toEqual([
    ['src/modules.ts', 1],
    ['migrations/index.ts', 1],
    ['.dependency-cruiser.cjs', 1],
  ]);
});

describe('the module in a copy of the repository', () => {
  let copy: string;

  beforeAll(async () => {
    copy = mkdtempSync(join(tmpdir(), 'tillgate-module-'));
    copyRepository();
    addModule();
    await run('biome', 'check', '--write', 'src');
    // `npm run check` builds so, with the types of the tests.
    await run('npm', 'run', '--silent', 'build:tests');
    await run('npm', 'run', '--silent', 'generate');
  }, 15 * MINUTES);

  afterAll(() => rmSync(copy, { recursive: true, force: true }));

  test('is described in docs/openapi.json', () => {
    const { paths, webhooks, components } = JSON.parse(
      readFileSync(join(copy, 'docs/openapi.json'), 'utf8'),
    );
    const own = Object.keys(paths).filter((path) => path.includes('disputes'));
    expect(own).toEqual(['/v1/disputes', '/v1/disputes/{id}']);
    expect(webhooks).toHaveProperty(['dispute.opened']);
    expect(components.schemas.Error.properties.error.properties.code.enum).toContain(
      'payment_disputed',
    );
    expect(components.schemas).toHaveProperty('Dispute');
  });

  test(
    'passes the checks and its own tests',
    async () => {
      const jest = [
        '--experimental-vm-modules',
        '--no-warnings',
        'node_modules/jest/bin/jest.js',
        '--maxWorkers=1',
      ];
      const tests = FILES.filter((file) => file.endsWith('.test.ts'));
      expect(tests.length).toBeGreaterThan(0);
      // A module can fail these checks of `npm run check`.
      await run('biome', 'format', '--write', '.dependency-cruiser.cjs');
      await run('biome', 'check', '.');
      await run('npm', 'run', '--silent', '--prefix', 'client', 'build');
      await run('eslint', 'src/modules/disputes');
      await run('depcruise', 'src', 'migrations', 'tools');
      await run('knip');
      await run('node', ...jest, ...tests, 'test/architecture/schema.test.ts');
    },
    15 * MINUTES,
  );

  function copyRepository(): void {
    const list = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
    for (const file of execFileSync('git', list, { encoding: 'utf8' }).split('\0')) {
      if (file === '' || !existsSync(file)) continue;
      mkdirSync(dirname(join(copy, file)), { recursive: true });
      cpSync(file, join(copy, file));
    }
    symlinkSync(resolve('node_modules'), join(copy, 'node_modules'));
  }

  function addModule(): void {
    cpSync(FIXTURE, copy, { recursive: true });
    const [modules, migrations, order] = LINES.map(({ code }) => code);
    appendFileSync(join(copy, 'src/modules.ts'), `${modules}\n`);
    appendFileSync(join(copy, 'migrations/index.ts'), `${migrations}\n`);
    const rules = readFileSync('.dependency-cruiser.cjs', 'utf8');
    const next = rules.replace(/(MODULES_IN_ORDER = \[[^\]]*?),?\s*\];/, `$1, ${order}];`);
    expect(next).not.toBe(rules);
    writeFileSync(join(copy, '.dependency-cruiser.cjs'), next);
  }

  /** Runs a command. Fails with its output. */
  async function run(command: string, ...args: readonly string[]): Promise<void> {
    const env = {
      ...process.env,
      NODE_OPTIONS: '',
      PATH: `${resolve('node_modules/.bin')}:${process.env.PATH}`,
    };
    await promisify(execFile)(command, args, { cwd: copy, env, maxBuffer: 2 ** 26 }).catch(
      ({ message, stdout }) => {
        throw new Error(`${message}\n${stdout}`);
      },
    );
  }
});

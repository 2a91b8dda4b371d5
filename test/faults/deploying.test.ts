/** A start without the build tools, as docs/operate/deploying.md describes it; every start uses the same command. */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { readConfig } from '../../src/platform/config.js';
import { run, Scratch } from '../support/processes.js';

const GUIDE = readFileSync('docs/operate/deploying.md', 'utf8');
const MINUTE_MS = 60_000;

describe('build-if-changed', () => {
  let scratch: Scratch;

  beforeEach(() => {
    scratch = new Scratch();
    cpSync('build-if-changed.js', join(scratch.path, 'build-if-changed.js'));
    write('package.json', JSON.stringify({ type: 'module', scripts: { build: 'echo built; exit 3' } }));
    write('src/deep/main.ts');
    write('dist/.built');
    setAge('src/deep/main.ts', 2);
    setAge('src/deep', 2);
    setAge('src', 2);
    setAge('dist/.built', 1);
  });

  afterEach(() => scratch.clear());

  function write(name: string, content = ''): void {
    mkdirSync(join(scratch.path, name, '..'), { recursive: true });
    writeFileSync(join(scratch.path, name), content);
  }

  function setAge(name: string, minutes: number): void {
    const instant = new Date(Date.now() - minutes * MINUTE_MS);
    utimesSync(join(scratch.path, name), instant, instant);
  }

  async function run() {
    return promisify(execFile)(process.execPath, ['build-if-changed.js'], { cwd: scratch.path }).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
    );
  }

  const installTools = () => write('node_modules/@nestjs/cli/package.json');
  const missing = (what: string) =>
    `Tillgate cannot start: ${what}, and the build tools are not installed. Run: npm ci && npm run build (docs/operate/deploying.md)\n`;

  test('does nothing where nothing has changed, with the build tools or without', async () => {
    expect(await run()).toEqual({ code: 0, stdout: '', stderr: '' });
    installTools();
    expect(await run()).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  test.each([
    ['a file', 'src/deep/main.ts'],
    ['the list of files in a folder, when one was removed,', 'src/deep'],
  ])('builds when %s is newer, and ends as the build does', async (_, changed) => {
    installTools();
    setAge(changed, 0);
    expect(await run()).toEqual({ code: 3, stdout: 'built\n', stderr: '' });
  });

  test('says in one sentence what is missing where it cannot build', async () => {
    setAge('src/deep/main.ts', 0);
    expect(await run()).toEqual({ code: 1, stdout: '', stderr: missing('dist/ is older than its sources') });
    mkdirSync(join(scratch.path, 'elsewhere'));
    cpSync('build-if-changed.js', join(scratch.path, 'elsewhere/build-if-changed.js'));
    const fresh = { cwd: join(scratch.path, 'elsewhere') };
    await expect(promisify(execFile)(process.execPath, ['build-if-changed.js'], fresh)).rejects.toMatchObject({
      code: 1,
      stderr: missing('dist/ is missing'),
    });
  });
});

test('a folder of package.json, node_modules and dist needs no look for what to build', async () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  const scratch = new Scratch();
  for (const script of [scripts.prestart, scripts.precli]) {
    await promisify(execFile)('sh', ['-c', script], { cwd: scratch.path });
  }
  scratch.clear();
});

test('npm start, the guide, its systemd unit and the image start the same with the same options', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  const command = scripts.start.replace('exec ', '');
  expect(command).toMatch(/^node .* dist\/src\/main\.js$/);
  expect(GUIDE.split('\n')).toContain(command);
  expect(GUIDE).toContain(`ExecStart=/usr/bin/${command}\n`);
  const [, image = ''] = /^CMD (.*)$/m.exec(readFileSync('docker/Dockerfile', 'utf8')) ?? [];
  expect(JSON.parse(image).join(' ')).toBe(command);
});

test('the settings in the guide are settings, with values that they take', () => {
  const named = [...GUIDE.matchAll(/^([A-Z_]+)=([^\s…]+)$/gm)].map(([, name, value]) => [
    name as string,
    value as string,
  ]);
  expect(named.length).toBeGreaterThan(3);
  const config = readConfig(Object.fromEntries(named));
  expect(config).not.toEqual({ ...readConfig({}), databaseUrl: config.databaseUrl });
});

test('the guide’s command line is the one that the package names', () => {
  const { bin } = JSON.parse(readFileSync('package.json', 'utf8'));
  const named = [...GUIDE.matchAll(/dist\/src\/operator\/cli\/\S+\.js/g)].map(([path]) => resolve(path));
  expect(new Set(named)).toEqual(new Set([resolve(bin.tillgate)]));
});

const { engines } = JSON.parse(readFileSync('package.json', 'utf8'));

test.each(['dist/src/main.js', 'dist/src/operator/cli/cli.js'])(
  '%s ends in one sentence on an old Node',
  async (program) => {
    const old = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.4' } })`;
    const stderr = `Tillgate runs on Node ${engines.node}, and this is Node 18.20.4: install a newer one.\n`;
    const { ended } = run(['--import', `data:text/javascript,${encodeURIComponent(old)}`, program]);
    expect(await ended).toEqual({ status: 1, stdout: '', stderr });
  },
);

test.each(['README.md', 'docs/start/quick-start.md', 'docs/operate/deploying.md'])(
  '%s names the versions of Node',
  (document) => {
    const [oldest, current] = engines.node.match(/\d+\.\d+/g);
    expect(readFileSync(document, 'utf8').replaceAll('\n', ' ')).toContain(`Node ${oldest}, ${current} or newer`);
    const [, image] = /^FROM node:(\d+)/m.exec(readFileSync('docker/Dockerfile', 'utf8')) ?? [];
    expect(Number(image)).toBeGreaterThanOrEqual(Number.parseInt(current, 10));
  },
);

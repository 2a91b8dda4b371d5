/**
 * These tests start Tillgate without the build tools, as docs/operate/deploying.md describes it.
 * Every start uses the same command.
 */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { readConfig } from '../../src/platform/config.js';
import { run, Scratch } from '../support/processes.js';

const FIRST_LIMIT = 'NoNewPrivileges=yes';
const GUIDE = readFileSync('docs/operate/deploying.md', 'utf8');

test.each(['missing', 'older than its sources'])(
  'a start says in one sentence that dist/ is %s and cannot be built',
  async (state) => {
    const scratch = new Scratch();
    const at = (name: string) => join(scratch.path, name);
    const program = 'tools/build-if-changed.js';
    cpSync(program, at(program));
    writeFileSync(at('package.json'), JSON.stringify({ type: 'module' }));
    mkdirSync(at('src'));
    if (state !== 'missing') {
      mkdirSync(at('dist'));
      writeFileSync(at('dist/.built'), '');
      utimesSync(at('dist/.built'), 0, 0);
    }
    const advice = 'Run: npm ci && npm run build (docs/operate/deploying.md)';
    const stderr = `Tillgate cannot start: dist/ is ${state}, and the build tools are not installed. ${advice}\n`;
    const started = promisify(execFile)(process.execPath, [program], { cwd: scratch.path });
    await expect(started).rejects.toMatchObject({ code: 1, stdout: '', stderr });
    await scratch.clear();
  },
);

test('a start in a folder of package.json, node_modules and dist looks for nothing to build', async () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  const scratch = new Scratch();
  for (const script of [scripts.prestart, scripts.precli]) {
    await promisify(execFile)('sh', ['-c', script], { cwd: scratch.path });
  }
  scratch.clear();
});

test('npm start, the guide, its systemd unit and the image start the same program with the same options', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  const command = scripts.start.replace('exec ', '');
  expect(command).toMatch(/^node .* dist\/src\/main\.js$/);
  expect(GUIDE.split('\n')).toContain(command);
  expect(GUIDE).toContain(`ExecStart=/usr/bin/${command}\n`);
  const [, image = ''] = /^CMD (.*)$/m.exec(readFileSync('docker/Dockerfile', 'utf8')) ?? [];
  expect(JSON.parse(image).join(' ')).toBe(command);
});

/** Holds the settings of each unit in the guide, in their order. */
const units = [...GUIDE.matchAll(/```ini\n(.*?)```/gs)].map(([, unit = '']) =>
  unit.split('\n').filter((line) => /^[A-Z]\w+=/.test(line)),
);

test('one unit migrates as the owner before another unit serves as a role that owns nothing', () => {
  const [migrate = [], serve = []] = units;
  const credential = (unit: string[], name: string) =>
    unit.find((line) => line.startsWith(`LoadCredential=${name}:`))?.split(':')[1];
  expect(credential(migrate, 'database_url')).toBe('/etc/tillgate/owner_database_url');
  expect(credential(serve, 'database_url')).toBe('/etc/tillgate/database_url');
  for (const unit of [migrate, serve]) {
    expect(unit).toContain('EnvironmentFile=/etc/tillgate.env');
    const named = [...unit.join('\n').matchAll(/[A-Z_]+_FILE=%d\/(\w+)/g)].map(([, name]) => name);
    const loaded = unit.filter((line) => line.startsWith('LoadCredential='));
    expect(loaded.map((line) => line.split(/[=:]/)[1])).toEqual(named);
  }
  expect(serve).toContain('Requires=tillgate-migrate.service');
  expect(serve.join('\n')).toMatch(/^After=.* tillgate-migrate\.service$/m);
  expect(serve.join('\n')).not.toContain('migrate --');
  const migration = 'dist/src/operator/cli/cli.js migrate --service-role tillgate';
  expect(migrate).toContain(`ExecStart=/usr/bin/node ${migration}`);
  const roles = [...GUIDE.matchAll(/database_url +(postgres:\S+)$/gm)].map(
    ([, url = '']) => new URL(url),
  );
  expect(roles.map(({ username }) => username)).toEqual(['tillgate', 'tillgate_owner']);
});

test('both units have the same limits of systemd', () => {
  const [migrate = [], serve = []] = units.map((unit) => unit.slice(unit.indexOf(FIRST_LIMIT)));
  expect(migrate.length).toBeGreaterThan(20);
  expect(serve.slice(0, migrate.length)).toEqual(migrate);
  expect(migrate).toContain('SystemCallFilter=~@privileged @resources');
});

test('the settings in the guide exist, and accept the values in it', () => {
  const named = [...GUIDE.matchAll(/^([A-Z_]+)=([^\s…]+)$/gm)].map(([, name, value]) => [
    name as string,
    value as string,
  ]);
  expect(named.length).toBeGreaterThan(3);
  const reference = readFileSync('docs/reference/settings.md', 'utf8');
  expect(named.filter(([name]) => !reference.includes(`\`${name}\``))).toEqual([]);
  expect(readConfig(Object.fromEntries(named))).toMatchObject({
    publicUrl: 'https://checkout.example',
    port: 3000,
    webConcurrency: 2,
    trustProxy: ['127.0.0.1'],
  });
});

test('the guide names the command line of the package', () => {
  const { bin } = JSON.parse(readFileSync('package.json', 'utf8'));
  const named = [...GUIDE.matchAll(/dist\/src\/operator\/cli\/\S+\.js/g)].map(([path]) =>
    resolve(path),
  );
  expect(new Set(named)).toEqual(new Set([resolve(bin.tillgate)]));
});

test('the guide runs the drill by a script that builds a checkout first', () => {
  const guide = readFileSync('docs/guides/connect-your-ledger.md', 'utf8');
  const [, script] = /^npm run --silent (\S+) -- drill -- node /m.exec(guide) ?? [];
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(scripts[`pre${script}`]).toMatch(/node tools\/build-if-changed\.js$/);
});

const { engines } = JSON.parse(readFileSync('package.json', 'utf8'));

test.each(['dist/src/main.js', 'dist/src/operator/cli/cli.js'])(
  '%s ends with one sentence on an old Node',
  async (program) => {
    const old = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.4' } })`;
    const stderr = `Tillgate runs on Node ${engines.node}, and this is Node 18.20.4: install a newer one.\n`;
    const { ended } = run(['--import', `data:text/javascript,${encodeURIComponent(old)}`, program]);
    expect(await ended).toEqual({ status: 1, stdout: '', stderr });
  },
);

test.each(['README.md', 'docs/start/quick-start.md', 'docs/operate/deploying.md'])(
  '%s names the versions of Node that the package names',
  (document) => {
    const [oldest, current] = engines.node.match(/\d+\.\d+/g);
    expect(readFileSync(document, 'utf8').replaceAll('\n', ' ')).toContain(
      `Node ${oldest}, ${current} or newer`,
    );
    const [, image] = /^FROM node:(\d+)/m.exec(readFileSync('docker/Dockerfile', 'utf8')) ?? [];
    expect(Number(image)).toBeGreaterThanOrEqual(Number.parseInt(current, 10));
  },
);

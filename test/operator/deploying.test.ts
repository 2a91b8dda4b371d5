/**
 * These tests start Tillgate without the build tools, as docs/operate/deploying.md describes it.
 */
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { run, Scratch } from '../support/processes.js';

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

test('a build that ends while it bundles leaves no stamp, so that the next start builds', async () => {
  const scratch = new Scratch();
  const stamp = join(scratch.path, 'dist', '.built');
  mkdirSync(join(scratch.path, 'dist'));
  writeFileSync(stamp, '');
  const bundling = run([resolve('dist/tools/bundle.js')], {}, ['env', '-C', scratch.path]);
  // There are no programs to bundle.
  const { status, stderr } = await bundling.ended;
  expect(stderr).toContain('Could not resolve "dist/src/main.js"');
  expect(status).toBe(1);
  expect(existsSync(stamp)).toBe(false);
  scratch.clear();
});

test('a start in a folder of package.json, node_modules and dist looks for nothing to build', async () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  const scratch = new Scratch();
  for (const script of [scripts.prestart, scripts.precli]) {
    await promisify(execFile)('sh', ['-c', script], { cwd: scratch.path });
  }
  scratch.clear();
});

const { engines } = JSON.parse(readFileSync('package.json', 'utf8'));

test.each(['dist/bundle/main.js', 'dist/bundle/cli.js'])(
  '%s ends with one sentence on an old Node',
  async (program) => {
    const old = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.4' } })`;
    const stderr = `Tillgate runs on Node ${engines.node}, and this is Node 18.20.4: install a newer one.\n`;
    const { ended } = run(['--import', `data:text/javascript,${encodeURIComponent(old)}`, program]);
    expect(await ended).toEqual({ status: 1, stdout: '', stderr });
  },
);

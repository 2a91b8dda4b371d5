/**
 * `npm run generators`: clients that others generate from docs/openapi.json compile strictly. The generators are installed
 * into a temporary directory, because together they are larger than all that Tillgate needs.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const DOCUMENT = resolve('docs/openapi.json');
const VERSIONS = {
  '@hey-api/openapi-ts': '0.99.0',
  // What openapi-zod-client makes calls it, with zod.
  '@zodios/core': '10.9.6',
  // What orval makes calls it.
  axios: '1.13.2',
  oazapfts: '7.5.0',
  'openapi-typescript': '7.13.0',
  'openapi-typescript-codegen': '0.31.0',
  'openapi-zod-client': '1.18.3',
  orval: '8.38.0',
  // The newest for Node 20.
  orval7: 'npm:orval@7.13.0',
  'swagger-typescript-api': '13.13.0',
  typescript: '5.9.3',
  zod: '3.25.76',
};
/** What each is started with to write into a folder. */
const GENERATORS = {
  'openapi-typescript': (to) => ['openapi-typescript', DOCUMENT, '-o', join(to, 'index.ts')],
  '@hey-api/openapi-ts': (to) => ['openapi-ts', '-i', DOCUMENT, '-o', to],
  orval: (to) => orval('orval/dist/bin/orval.mjs', to),
  orval7: (to) => orval('orval7/dist/bin/orval.js', to),
  'openapi-typescript-codegen': (to) => ['openapi', '--input', DOCUMENT, '--output', to, '--client', 'fetch'],
  'swagger-typescript-api': (to) => ['swagger-typescript-api', 'generate', '--path', DOCUMENT, '--output', to],
  oazapfts: (to) => ['oazapfts', DOCUMENT, join(to, 'index.ts')],
  'openapi-zod-client': (to) => ['openapi-zod-client', DOCUMENT, '--output', join(to, 'index.ts')],
};
/** By its path, because both versions have one name. */
const orval = (path, to) => ['node', `node_modules/${path}`, '--input', DOCUMENT, '--output', join(to, 'index.ts')];
const STRICT = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'ES2022', '--lib', 'ES2022,DOM,DOM.Iterable'];
const MODULES = ['--module', 'esnext', '--moduleResolution', 'bundler'];

const directory = mkdtempSync(join(tmpdir(), 'tillgate-generators-'));
const env = { ...process.env, PATH: `${join(directory, 'node_modules/.bin')}:${process.env.PATH}` };
const run = (command, ...parameters) => execFileSync(command, parameters, { cwd: directory, env, stdio: 'pipe' });
let failed = 0;
try {
  const packages = JSON.stringify({ private: true, type: 'module', dependencies: VERSIONS });
  writeFileSync(join(directory, 'package.json'), packages);
  run('npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund');
  for (const [name, command] of Object.entries(GENERATORS)) {
    const folder = join(directory, name);
    mkdirSync(folder, { recursive: true });
    try {
      const [program, ...parameters] = command(folder);
      run(program, ...parameters);
      const files = readdirSync(folder, { recursive: true }).filter((file) => file.endsWith('.ts'));
      if (files.length === 0) throw new Error('It made no TypeScript.');
      run('tsc', ...STRICT, ...MODULES, ...files.map((file) => join(folder, file)));
      process.stdout.write(`${name} ${VERSIONS[name]}: compiles, ${files.length} files\n`);
    } catch (error) {
      failed += 1;
      process.stdout.write(`${name} ${VERSIONS[name]}: ${error.message}\n${error.stdout ?? ''}\n`);
    }
  }
} finally {
  rmSync(directory, { recursive: true, force: true });
}
process.exitCode = failed === 0 ? 0 : 1;

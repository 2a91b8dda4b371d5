/**
 * This program builds dist/ if one of its sources is newer, or says what the build lacks.
 * It writes nothing where nothing has changed.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const SOURCES = [
  'src',
  'migrations',
  'tools',
  'bench',
  'conformance',
  'client/src',
  'drill',
  'examples',
  'test',
  'docs/openapi.json',
  'docs/start',
  'docs/guides',
  'docs/reference',
  'docs/operate',
  'docs/explain',
];
// The bundle contains the packages of the lock file.
const CONFIGURATION = [
  'tsconfig.json',
  'tsconfig.build.json',
  'nest-cli.json',
  'package-lock.json',
];
/** `npm run build` writes this file at its end (tools/pack.ts). */
const STAMP = 'dist/.built';

const changedAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
// A directory is newer after a file in it was added or removed.
const inside = (path) =>
  existsSync(path) && statSync(path).isDirectory() ? readdirSync(path, { recursive: true }) : [];
const all = [...SOURCES, ...CONFIGURATION].flatMap((path) => [
  path,
  ...inside(path).map((name) => join(path, name)),
]);

if (!existsSync(STAMP) || all.some((path) => changedAt(path) > changedAt(STAMP))) {
  if (!existsSync('node_modules/@nestjs/cli')) {
    const state = existsSync(STAMP) ? 'dist/ is older than its sources' : 'dist/ is missing';
    process.stderr.write(
      `Tillgate cannot start: ${state}, and the build tools are not installed. ` +
        'Run: npm ci && npm run build (docs/operate/deploying.md)\n',
    );
    process.exit(1);
  }
  const { status } = spawnSync('npm run --silent build', { shell: true, stdio: 'inherit' });
  process.exit(status ?? 1);
}

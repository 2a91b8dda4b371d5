/**
 * `npm run release -- [--to dist/release]` makes packages of the committed files, a list of the
 * contents of each (CycloneDX), their licences and checksums, and the site of the documents. The
 * same commit makes the same bytes.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

/** The service, whose manifest is the repository's, and what others install beside it. */
const FOLDERS = ['', 'client', 'mcp'];
const SBOM = 'sbom.json';
const SBOM_COMMAND = [
  '--yes',
  // Its optional packages only check what it writes, and one is compiled from C++ for minutes.
  '--omit=optional',
  '@cyclonedx/cyclonedx-npm@6.0.1',
  '--package-lock-only',
  '--omit',
  'dev',
  '--output-reproducible',
];

const { values } = parseArgs({ options: { to: { type: 'string', default: 'dist/release' } } });
const to = resolve(values.to);
const run = (cwd, command, ...words) =>
  execFileSync(command, words, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    stdio: ['ignore', 'pipe', 'inherit'],
  });

if (run('.', 'git', 'status', '--porcelain') !== '') {
  console.error(
    'A release is made of what is committed: commit or remove what `git status` shows.',
  );
  process.exit(1);
}

const manifestOf = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/**
 * Returns the version. It has the commit in it if the changelog does not call it released, so that
 * no two builds have one name.
 */
function versionOf(tree) {
  const { version } = manifestOf(tree);
  const [newest] = readFileSync(join(tree, 'CHANGELOG.md'), 'utf8').match(/^## .*$/m);
  if (newest.startsWith(`## [${version}]`)) return version;
  const commit = run('.', 'git', 'rev-parse', '--short=12', 'HEAD').trim();
  return `${version}-dev.${commit}`;
}

function setVersion(folder, version) {
  const command = ['version', '--silent', '--no-git-tag-version', '--allow-same-version', version];
  run(folder, 'npm', ...command);
}

/** Packs one folder, and returns the names of what was made. */
function pack(folder) {
  const { name, version } = manifestOf(folder);
  // Without a lock file, a package depends on nothing, or on what npm finds on the day of the
  // release.
  if (!existsSync(join(folder, 'package-lock.json')))
    run(folder, 'npm', 'install', '--silent', '--package-lock-only');
  run(folder, 'npx', ...SBOM_COMMAND, '--output-file', SBOM);
  run(folder, 'npm', 'pack', '--silent', '--pack-destination', to);
  const contents = `${name}-${version}.${SBOM}`;
  copyFileSync(join(folder, SBOM), join(to, contents));
  return [`${name}-${version}.tgz`, contents];
}

/** Packs the site of the documents, which a web server can show as it is. */
function packSite(tree) {
  // Its error has what the build printed, which nobody needs otherwise.
  execFileSync('npm', ['run', '--silent', 'docs'], { cwd: tree, stdio: 'pipe' });
  const site = join(tree, 'dist/docs');
  copyFileSync(join(tree, 'docs/package.json'), join(site, 'package.json'));
  return run(site, 'npm', 'pack', '--silent', '--pack-destination', to).trim();
}

function licencesOf(contents) {
  const { components = [] } = JSON.parse(readFileSync(join(to, contents), 'utf8'));
  return components.map(({ group, name, version, licenses = [] }) => {
    const terms = licenses.map(
      ({ license, expression }) => expression ?? license.id ?? license.name,
    );
    return `${group ? `${group}/` : ''}${name} ${version}: ${terms.join(', ')}\n`;
  });
}

const tree = mkdtempSync(join(tmpdir(), 'tillgate-release-'));
try {
  execFileSync('tar', ['-x', '-C', tree], {
    input: execFileSync('git', ['archive', 'HEAD'], { maxBuffer: 2 ** 28 }),
  });
  symlinkSync(resolve('node_modules'), join(tree, 'node_modules'));
  const folders = FOLDERS.map((folder) => join(tree, folder));
  const version = versionOf(tree);
  for (const folder of [...folders, join(tree, 'docs')]) setVersion(folder, version);
  run(tree, 'npm', 'run', '--silent', 'build');
  // The tools for agents have packages of their own, and are built when they are packed.
  run(join(tree, 'mcp'), 'npm', 'ci', '--silent', '--omit=dev');
  // A user who unpacks the service and runs `npm ci` gets the packages with which it was tested, as
  // the image does.
  copyFileSync(join(tree, 'package-lock.json'), join(tree, 'npm-shrinkwrap.json'));
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to, { recursive: true });
  const made = folders.flatMap(pack);
  made.push(packSite(tree));
  const licences = new Set(made.filter((name) => name.endsWith(SBOM)).flatMap(licencesOf));
  writeFileSync(join(to, 'LICENSES.txt'), [...licences].sort().join(''));
  const sums = [...made, 'LICENSES.txt'].map((name) => {
    const sum = createHash('sha256')
      .update(readFileSync(join(to, name)))
      .digest('hex');
    return `${sum}  ${name}\n`;
  });
  writeFileSync(join(to, 'SHA256SUMS'), sums.join(''));
  process.stdout.write(sums.join(''));
} finally {
  rmSync(tree, { recursive: true });
}

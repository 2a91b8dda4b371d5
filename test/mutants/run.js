/**
 * `npm run task -- mutants [part of a name or of a test file]` plants each fault of faults.json in
 * a copy of the repository, one at a time, and runs the test file that must fail. It exits with 1
 * if a test stays green, or is red without a fault (as after a build that is too old), or if the
 * text of a fault does not occur exactly once.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const part = process.argv[2] ?? '';
const faults = JSON.parse(readFileSync(new URL('faults.json', import.meta.url), 'utf8')).filter(
  ({ name, test }) => `${name} ${test}`.includes(part),
);
const copy = mkdtempSync(join(tmpdir(), 'tillgate-mutants-'));
const jest = [
  '--no-warnings',
  'node_modules/jest/bin/jest.js',
  '--ci',
  '--silent',
  '--forceExit',
  '--json',
  '--outputFile',
];
const results = join(copy, 'results.json');

/** Returns why the test says nothing, or whether it is red. */
function run(test) {
  rmSync(results, { force: true });
  spawnSync(process.execPath, [...jest, results, test], { cwd: copy, stdio: 'ignore' });
  if (!existsSync(results)) return `${test} did not run`;
  const { numFailedTestSuites, numTotalTests } = JSON.parse(readFileSync(results, 'utf8'));
  if (numTotalTests === 0) return `${test} has no tests`;
  // A file fails without a failed test if its service sent a statement that has a fault.
  return numFailedTestSuites > 0;
}

const withoutFaults = new Map();

/** Returns why the fault was not found, or undefined if it was. */
function survives({ file, search, replace, test }) {
  const path = join(copy, file);
  const source = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const found = source.split(search).length - 1;
  if (found !== 1) return `its text is in ${file} ${found} times, not once`;
  if (!withoutFaults.has(test)) withoutFaults.set(test, run(test));
  if (withoutFaults.get(test) === true) return `${test} is red without it`;
  writeFileSync(
    path,
    source.replace(search, () => replace),
  );
  const isRed = run(test);
  writeFileSync(path, source);
  if (isRed === true) return undefined;
  return isRed || `${test} is green`;
}

try {
  const list = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
  for (const file of execFileSync('git', list, { encoding: 'utf8' }).split('\0')) {
    if (file === '' || !existsSync(file)) continue;
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(file, join(copy, file));
  }
  cpSync('dist', join(copy, 'dist'), { recursive: true });
  symlinkSync(resolve('node_modules'), join(copy, 'node_modules'));
  const survivors = faults.filter((fault) => {
    const reason = survives(fault);
    console.log(
      `${reason === undefined ? 'red     ' : 'SURVIVES'}  ${fault.name}${reason ? `: ${reason}` : ''}`,
    );
    return reason !== undefined;
  });
  console.log(
    `${faults.length - survivors.length} of ${faults.length} planted faults turn their test red`,
  );
  process.exitCode = survivors.length === 0 && faults.length > 0 ? 0 : 1;
} finally {
  rmSync(copy, { recursive: true, force: true });
}

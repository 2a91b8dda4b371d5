/**
 * `npm run task -- <name> [options]` runs what only CI, a measurement or a release needs.
 * Without a name it prints the list of its tasks.
 */
import { spawnSync } from 'node:child_process';

const JEST = ['--no-warnings', 'node_modules/jest/bin/jest.js'];

const TASKS = {
  long: {
    does: 'runs the tests of test/long: fuzzing, clusters of processes, packages',
    words: [...JEST, 'test/long', '--maxWorkers=2'],
  },
  load: {
    does: 'runs the tests of test/load, which measure under load',
    words: [...JEST, 'test/load', '--maxWorkers=1'],
  },
  mutants: {
    does: 'plants each fault of test/mutants/faults.json, and expects that a test finds it',
    words: ['test/mutants/run.js'],
  },
  bench: { does: 'measures requests a second beside a baseline', words: ['dist/bench/bench.js'] },
  'bench:pages': {
    does: 'measures how many customers a second see the page',
    words: ['dist/bench/pages.js'],
  },
  'bench:scale': {
    does: 'measures each operation as the data grows',
    words: ['dist/bench/scale.js'],
  },
  'bench:statements': {
    does: 'measures what PostgreSQL spends on a single statement',
    words: ['dist/bench/statements.js'],
  },
  'bench:webhooks': {
    does: 'measures deliveries of webhooks a second',
    words: ['dist/bench/webhooks.js'],
  },
  fuzz: { does: 'sends very many drawn requests', words: ['dist/test/fuzz/run.js'] },
  soak: {
    does: 'causes faults under load, then checks what was promised',
    words: ['dist/test/soak/run.js'],
  },
  upgrade: {
    does: 'upgrades the version before under load',
    words: ['dist/test/upgrade/run.js'],
  },
};

/** Returns the exit code of Node with these words. */
const node = (...words) => spawnSync(process.execPath, words, { stdio: 'inherit' }).status ?? 1;

const [name = '', ...options] = process.argv.slice(2);
if (!Object.hasOwn(TASKS, name)) {
  const width = Math.max(...Object.keys(TASKS).map((task) => task.length));
  const lines = Object.entries(TASKS).map(([task, { does }]) => `  ${task.padEnd(width)}  ${does}`);
  console.error(`Usage: npm run task -- <name> [options]\n\n${lines.join('\n')}`);
  process.exit(2);
}
const built = node('tools/build-if-changed.js');
process.exit(built === 0 ? node(...TASKS[name].words, ...options) : built);

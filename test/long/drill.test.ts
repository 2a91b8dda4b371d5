/**
 * The drill finds each fault that costs money or reports an untruth, and no fault in a right
 * worker. It always ends, and leaves nothing behind.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { RULES } from '../../drill/verdict.js';
import { createDatabase, serverUrl, withClient } from '../support/postgres.js';
import { isRunning, run, type Started, until } from '../support/processes.js';

const WORKERS = 'test/drill/workers.js';
/** These workers have no rule to break. */
const RIGHT = Array<undefined>(3).fill(undefined);
/** These settings imitate a machine without an embedded PostgreSQL. */
const REFUSING = `import { registerHooks } from 'node:module';
  registerHooks({ resolve: (name, context, next) => next(name.startsWith('@embedded') ? 'none' : name, context) });`;
const NO_EMBEDDED = {
  NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(REFUSING)}`,
};

const drill = (options: readonly string[], worker: readonly string[], environment = {}) => {
  const words = ['--refunds', '40', '--seed', '1', ...options, '--', process.execPath, ...worker];
  return run(['dist/bundle/cli.js', 'drill', ...words], environment);
};

/** Returns the processes that a program has started. */
function processesOf({ child }: Started): number[] {
  const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8');
  return children.trim().split(' ').map(Number);
}

/** Others that break the same rules are played by `node test/drill/run.js`, without --each-rule. */
test.concurrent('the drill finds a broken worker of each rule by this rule, and right workers of three kinds pass', async () => {
  const { stdout, stderr } = await run(['test/drill/run.js', '--each-rule']).ended;
  const played = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect({ wrong: played.filter(({ isRight }) => !isRight), stderr }).toEqual({
    wrong: [],
    stderr: '',
  });
  expect(played.map(({ rule }) => rule).sort()).toEqual([...Object.keys(RULES).sort(), ...RIGHT]);
}, 1_200_000);

test.concurrent.each([
  ['no command', [], [], 'Give the command of your worker after --.'],
  [
    'a command that ends',
    [],
    ['-e', 'console.log("no settings")'],
    'Add --restart before -- if yours works once and ends.',
  ],
  [
    'a command that does nothing',
    ['--seconds', '5', '--patience', '5'],
    ['-e', 'setInterval(() => 0, 1000)'],
    'has not asked Tillgate',
  ],
])('the drill does not begin with %s', async (_, options, worker, message) => {
  const command = worker.length > 0 ? drill(options, worker) : run(['dist/bundle/cli.js', 'drill']);
  const { status, stdout, stderr } = await command.ended;
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toContain(message);
});

test.concurrent('the drill gives no verdict without a Tillgate, and leaves no process', async () => {
  const started = drill([], [WORKERS, 'right']);
  await until(() => started.stderr().includes('The first day'));
  const processes = processesOf(started);
  const tillgate = processes.find((one) =>
    readFileSync(`/proc/${one}/cmdline`, 'utf8').includes('bundle/main.js'),
  );
  process.kill(tillgate as number, 'SIGKILL');
  expect((await started.ended).status).toBe(2);
  await until(() => !processes.some(isRunning));
});

test.concurrent('Ctrl-C, which reaches every process in the foreground, ends the drill with the verdict so far', async () => {
  const started = drill(['--json'], [WORKERS, 'key of payment and amount']);
  for (const said of ['The first day', 'Day 1', 'Night 1'])
    await until(() => started.stderr().includes(said), said);
  const processes = processesOf(started);
  started.child.kill('SIGINT');
  const { status, stdout } = await started.ended;
  const { passed, stopped, broken } = JSON.parse(stdout);
  expect({ status, passed, stopped }).toEqual({
    status: 1,
    passed: false,
    stopped: 'The drill was interrupted.',
  });
  expect(broken[0].rule).toBe('shared key');
  expect(broken[0].history[0]).toMatch(
    /^day \d+ \S+ {2}merchant {2}proposes to refund \d+ (eur|usd|jpy)$/,
  );
  await until(() => !processes.some(isRunning));
});

test.concurrent('a closed pipe ends the drill, its limit does so too, and nothing is left on the server of DATABASE_URL', async () => {
  const own = await createDatabase({ empty: true });
  const started = drill(['--limit', '15'], [WORKERS, 'right'], {
    DATABASE_URL: own.url,
    ...NO_EMBEDDED,
  });
  const piped = drill([], [WORKERS, 'right']);
  await until(() => piped.stderr().includes('The first day'));
  const processes = processesOf(piped);
  piped.child.stderr?.destroy();
  expect((await piped.ended).status).toBe(2);
  await until(() => !processes.some(isRunning));
  const { status, stdout } = await started.ended;
  expect(status).toBe(2);
  expect(stdout).toMatch(
    /^NO VERDICT: The limit of 15 seconds was reached\. Open refunds: \d+\. No rule was broken/,
  );
  const left = "SELECT datname FROM pg_database WHERE datname LIKE 'tillgate\\_drill\\_%'";
  expect((await withClient(serverUrl(), (client) => client.query(left))).rows).toEqual([]);
  await own.drop();
});

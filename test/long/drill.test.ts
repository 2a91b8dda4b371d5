/** The drill finds each fault that costs money, and none in a worker that is right. Its seed is printed when it fails. */
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { isRunning, run, until } from '../support/processes.js';

async function drilled(...worker: string[]) {
  const options = ['--refunds', '40', '--seconds', '60', '--json'];
  const command = worker[0] === undefined ? [] : [process.execPath, ...worker];
  const { status, stdout, stderr } = await run(['dist/src/cli/cli.js', 'drill', ...options, '--', ...command]).ended;
  return { status, stderr, report: stdout === '' ? undefined : JSON.parse(stdout) };
}

test.concurrent('a worker that is right passes', async () => {
  const { status, report } = await drilled('test/support/drilled-worker.js');
  expect({ status, ...report }).toMatchObject({ status: 0, passed: true, broken: [] });
  expect(report.totals.provider).toEqual(report.totals.tillgate);
  expect(Object.keys(report.faults)).toEqual(expect.arrayContaining(['overtaken', 'answer late', 'worker killed']));
});

test.concurrent.each([
  ['pays-again', 'paid again', 'Before you pay a refund of claim 2 or above, look at the provider'],
  ['new-key', 'new key', 'Use the refund’s id as the key of every attempt'],
  ['ignores-number', 'claim number', 'Send the number that your claim gave you'],
  ['fails-on-timeout', 'failed though paid', 'A time-out or a lost answer is no refusal'],
  ['never-looks', 'submitted', 'look at the provider when you are given it again'],
])('a worker with the fault "%s" fails with the rule', async (fault, rule, sentence) => {
  const { status, report } = await drilled('test/support/drilled-worker.js', fault);
  const { seed, broken } = report;
  expect({ seed, status, rule: broken[0].rule }).toEqual({ seed, status: 1, rule });
  expect(broken[0].sentence).toContain(sentence);
  expect(broken[0].history[0]).toMatch(/^day \d \S+ {2}merchant {2}proposes to refund \d+ (eur|usd|jpy)$/);
});

test.concurrent.each([
  ['no command', [], 'Give the command of your worker after --.'],
  ['a command that ends', ['-e', 'console.log("no settings")'], 'The command ended by itself 10 times'],
  [
    'a command that does nothing',
    ['-e', 'setInterval(() => 0, 1000)'],
    'The command has not asked Tillgate for anything.',
  ],
])('%s is not tested', async (_, worker, message) => {
  const { status, stderr, report } = await drilled(...worker);
  expect({ status, report }).toEqual({ status: 2, report: undefined });
  expect(stderr).toContain(message);
});

test.concurrent('without a Tillgate there is no verdict, and no process is left', async () => {
  const drill = run(['dist/src/cli/cli.js', 'drill', '--', process.execPath, 'test/support/drilled-worker.js']);
  const { pid } = drill.child;
  await until(() => drill.stderr().includes('Day 1'));
  const processes = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
  const tillgate = processes.find((one) => readFileSync(`/proc/${one}/cmdline`, 'utf8').includes('src/main.js'));
  process.kill(tillgate as number, 'SIGKILL');
  expect((await drill.ended).status).toBe(2);
  await until(() => !processes.some(isRunning));
});

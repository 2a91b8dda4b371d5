/**
 * The commands of the guides work as they are written: every curl after ```sh gets a 2xx, and every
 * curl after ```sh error gets a 4xx. A command of Tillgate that exits with 0 counts as a 200.
 */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { useService } from '../kit/setup.js';
import { Shop } from '../support/shop.js';
import { createOperatorKey } from '../support/tenants.js';

const BLOCKS = /^```sh( error)?\n(.*?)^```/gms;
/**
 * Writes the status of each answer on a line of its own, to another stream than the output of the
 * commands.
 */
const CURL = `exec 9>&2; curl() { command curl -w '%{stderr}%{http_code}\\n' "$@" 2>&9; }`;
const TILLGATE = `npx() { shift; node dist/bundle/cli.js "$@" && echo 200 >&9; }`;

const GUIDES = readdirSync('docs', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.md') && !file.startsWith('node_modules/'))
  .map((file) => ({
    file,
    blocks: Array.from(readFileSync(`docs/${file}`, 'utf8').matchAll(BLOCKS)),
  }))
  .filter(({ blocks }) => blocks.length > 0);

const service = useService({ config: { publicUrl: 'https://checkout.example' } });

test('at least five guides have commands', () => expect(GUIDES.length).toBeGreaterThan(4));

test.each(GUIDES)('the commands of $file work', async ({ blocks }) => {
  const shop = await Shop.open(service);
  const { body } = await shop.record({ amount: 5000 });
  const OPERATOR_KEY = await createOperatorKey(service);
  const known = {
    API: service.url,
    KEY: shop.key,
    LEDGER_KEY: shop.ledgerKey,
    ORGANIZATION: shop.organization,
    OPERATOR_KEY,
  };
  // All blocks run in one shell, as for a reader: the next block uses what a block sets.
  const commands = blocks.flatMap(([, error = '', text = '']) => [
    `echo 'block${error}' >&9`,
    text,
  ]);
  const script = [CURL, TILLGATE, ...commands].join('\n');
  const own = { ...process.env, DATABASE_URL: service.databaseUrl };
  const environment = { ...own, ...known, PAYMENT: String((body as { id: string }).id) };
  const run = promisify(execFile)('bash', ['--norc', '-euo', 'pipefail', '-c', script], {
    env: environment,
  });
  const { stderr } = await run.catch(({ stdout, stderr }) =>
    Promise.reject(new Error(`${stdout}${stderr}`)),
  );
  const [before, ...answered] = stderr.split(/^block(?= error$|$)/m);
  expect(before).toBe('');
  expect(answered.map(faultsOf).filter((faults) => faults.length > 0)).toEqual([]);
});

/** Returns the statuses that a block must not get, or `no answer`. */
function faultsOf(statusLines: string): string[] {
  const [kind = '', ...lines] = statusLines.split('\n');
  const statuses = lines.filter((line) => line !== '');
  const expected = kind === ' error' ? /^4\d\d$/ : /^2\d\d$/;
  return statuses.length === 0
    ? ['no answer']
    : statuses.filter((status) => !expected.test(status));
}

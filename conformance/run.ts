/** `npm run conformance` tests whether a deployment passes the cases in conformance/cases. */
import { join } from 'node:path';
import { type Case, readTopics, type Topic } from './cases.js';
import { type Answer, Connection } from './http.js';
import { Complaint, type Options, readOptions } from './options.js';
import { resolve } from './placeholders.js';
import { asText, type Outcome, type Report } from './report.js';
import { type Deployment, runCase } from './run-case.js';

/** The compiled file is in dist/conformance, and the cases are not copied there. */
const CASES = join(import.meta.dirname, '../../conformance/cases');
/**
 * Cases are independent, except those with `alone`, so a few run at once. That saves time with a
 * distant deployment.
 */
const AT_ONCE = 4;

const NO_LEDGER = 'needs --ledger-key and --organization';
const NO_RESTRICTED = 'needs --ledger-key, --organization, --proposer-key and --approver-key';
const NO_OPERATOR = 'needs --operator-key';
const NO_SANDBOX = 'needs a key of test mode';

async function main(args: readonly string[]): Promise<void> {
  const topics = readTopics(CASES);
  const names = topics.map(({ name }) => name);
  const options = readOptions(args, names);
  const connection = new Connection(options.baseUrl);
  try {
    await checkAccess(connection, options);
    const report = await reportOn(
      topics.filter(({ name }) => name === (options.only ?? name)),
      connection,
      options,
    );
    console.log(options.json ? JSON.stringify(report, null, 2) : asText(report));
    process.exitCode = report.failed === 0 ? 0 : 1;
  } finally {
    connection.close();
  }
}

/**
 * Checks the address and the keys first, because every case would fail if one of them were wrong.
 */
async function checkAccess(
  connection: Connection,
  { baseUrl, key, ledger, operator }: Options,
): Promise<void> {
  await checkKey('--key', key, '/v1/checkout_sessions?limit=1');
  if (ledger) await checkKey('--ledger-key', ledger.key, '/ledger/v1/refunds?limit=1');
  if (operator) await checkKey('--operator-key', operator, '/operator/v1/organizations?limit=1');

  async function checkKey(option: string, token: string, path: string): Promise<void> {
    const headers = { Authorization: `Bearer ${token}` };
    const answer = await connection
      .send({ method: 'GET', path, headers, body: undefined })
      .catch((error): Answer => {
        throw new Complaint(`Cannot reach ${baseUrl}: ${error.code ?? error.message}.`);
      });
    if (answer.status === 401)
      throw new Complaint(`${baseUrl} refuses the key given as ${option}.`);
    if (answer.status !== 200)
      throw new Complaint(`${baseUrl} answers GET ${path} with ${answer.status}, not 200.`);
    if (!isList(answer.body)) {
      throw new Complaint(
        `${baseUrl} answers GET ${path} with 200 and no list: is it the address of the API?`,
      );
    }
  }
}

/** Distinguishes the API, even an unfinished one, from another service at this address. */
function isList(body: unknown): boolean {
  return Array.isArray((body as { data?: unknown } | null | undefined)?.data);
}

async function reportOn(
  topics: readonly Topic[],
  connection: Connection,
  options: Options,
): Promise<Report> {
  const started = Date.now();
  const { baseUrl, key, ledger, operator, restricted, mode } = options;
  const deployment: Deployment = {
    connection,
    keys: {
      merchant: key,
      ...(ledger && { ledger: ledger.key }),
      ...(operator && { operator }),
      ...restricted,
    },
    values: { mode, ...(ledger ? { organization: ledger.organization } : {}) },
  };
  const outcomes: { name: string; title: string; cases: Outcome[] }[] = [];
  for (const { name, title, cases } of topics) {
    outcomes.push({ name, title, cases: await runAll(cases, deployment) });
  }
  const of = (wanted: Outcome['outcome']) =>
    outcomes.flatMap(({ cases }) => cases).filter(({ outcome }) => outcome === wanted).length;
  return {
    base_url: baseUrl,
    topics: outcomes,
    passed: of('passed'),
    failed: of('failed'),
    skipped: of('skipped'),
    seconds: (Date.now() - started) / 1000,
  };
}

async function runAll(cases: readonly Case[], deployment: Deployment): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const numbered = [...cases.entries()];
  const waiting = numbered.filter(([, { alone }]) => !alone).values();
  const work = async () => {
    for (const [index, one] of waiting) outcomes[index] = await outcomeOf(one, deployment);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  for (const [index, one] of numbered.filter(([, { alone }]) => alone)) {
    outcomes[index] = await outcomeOf(one, deployment);
  }
  return outcomes;
}

async function outcomeOf(one: Case, deployment: Deployment): Promise<Outcome> {
  const { source } = one;
  // Values of a row may contain placeholders.
  const name = String(resolve(one.name, deployment.values));
  const reason = lackOf(one, deployment);
  if (reason) return { name, source, outcome: 'skipped', reason };
  const failure = await runCase(one, deployment);
  return failure
    ? { name, source, outcome: 'failed', failure }
    : { name, source, outcome: 'passed' };
}

function lackOf({ needs }: Case, { keys, values }: Deployment): string | undefined {
  if (needs === 'ledger' && !keys.ledger) return NO_LEDGER;
  if (needs === 'approval' && !(keys.ledger && keys.proposer)) return NO_RESTRICTED;
  if (needs === 'operator' && !keys.operator) return NO_OPERATOR;
  return needs === 'sandbox' && values.mode !== 'test' ? NO_SANDBOX : undefined;
}

main(process.argv.slice(2)).catch((error: unknown) => {
  // The exit code 2 means that conformance could not be tested.
  process.exitCode = 2;
  console.error(error instanceof Complaint ? error.message : error);
});

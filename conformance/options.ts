/** Reads the command line. */
import { parseArgs } from 'node:util';

const USAGE =
  'Usage: npm run conformance -- --base-url <url> --key sk_test_… [--ledger-key lk_test_… --organization org_…] [--operator-key ok_…] [--proposer-key rk_test_… --approver-key rk_test_…] [--only <topic>] [--json] [--allow-live]';

/** An error whose message is printed without a stack trace. */
export class Complaint extends Error {}

export interface Options {
  readonly baseUrl: string;
  readonly key: string;
  readonly ledger: { readonly key: string; readonly organization: string } | undefined;
  /** These restricted keys have two different holders. */
  readonly restricted: { readonly proposer: string; readonly approver: string } | undefined;
  readonly operator: string | undefined;
  readonly mode: 'test' | 'live';
  readonly only: string | undefined;
  readonly json: boolean;
}

export function readOptions(args: readonly string[], topics: readonly string[]): Options {
  const { values } = parse(args);
  const {
    'base-url': baseUrl,
    key,
    'ledger-key': ledgerKey,
    'operator-key': operator,
    organization,
    only,
  } = values;
  if (baseUrl === undefined || key === undefined) throw new Complaint(USAGE);
  if (!URL.canParse(baseUrl) || !/^https?:/i.test(baseUrl)) {
    throw new Complaint(`--base-url must be an http or https URL, not ${baseUrl}.`);
  }
  const mode = modeOf('--key', key, 'sk');
  if (ledgerKey !== undefined && modeOf('--ledger-key', ledgerKey, 'lk') !== mode) {
    throw new Complaint('--key and --ledger-key must have the same mode.');
  }
  if (mode === 'live' && !values['allow-live']) {
    throw new Complaint(
      'The kit creates sessions and refunds. To run it with live keys, pass --allow-live.',
    );
  }
  if ((ledgerKey === undefined) !== (organization === undefined)) {
    throw new Complaint(
      'Pass --ledger-key and --organization, the organization of --key, together.',
    );
  }
  if (operator !== undefined && !operator.startsWith('ok_'))
    throw new Complaint('--operator-key must begin with ok_.');
  const restricted = restrictedIn(values, mode);
  if (only !== undefined && !topics.includes(only)) {
    throw new Complaint(`--only must be one of ${topics.join(', ')}, not ${only}.`);
  }
  const ledger =
    ledgerKey !== undefined && organization !== undefined
      ? { key: ledgerKey, organization }
      : undefined;
  return { baseUrl, key, ledger, operator, restricted, mode, only, json: values.json ?? false };
}

function restrictedIn(
  values: ReturnType<typeof parse>['values'],
  mode: 'test' | 'live',
): Options['restricted'] {
  const { 'proposer-key': proposer, 'approver-key': approver } = values;
  if (proposer === undefined && approver === undefined) return undefined;
  if (proposer === undefined || approver === undefined) {
    throw new Complaint(
      'Pass --proposer-key and --approver-key, restricted keys of two holders, together.',
    );
  }
  const modes = [
    modeOf('--proposer-key', proposer, 'rk'),
    modeOf('--approver-key', approver, 'rk'),
  ];
  if (modes.some((one) => one !== mode)) throw new Complaint('All keys must have the same mode.');
  return { proposer, approver };
}

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const options = {
    ...{
      'base-url': text,
      key: text,
      'ledger-key': text,
      'operator-key': text,
      organization: text,
      only: text,
    },
    ...{ 'proposer-key': text, 'approver-key': text },
    ...{ json: flag, 'allow-live': flag },
  };
  try {
    return parseArgs({ args: [...args], options });
  } catch (error) {
    throw new Complaint(`${(error as Error).message.split('. ')[0]}. ${USAGE}`);
  }
}

function modeOf(option: string, key: string, kind: string): 'test' | 'live' {
  const mode = new RegExp(`^${kind}_(test|live)_`).exec(key)?.[1];
  if (mode === undefined)
    throw new Complaint(`${option} must begin with ${kind}_test_ or ${kind}_live_.`);
  return mode as 'test' | 'live';
}

/**
 * The doctor looks for what makes the service fail now or later, and gives advice. It changes
 * nothing.
 */
import type { TlsOptions } from 'node:tls';
import type { Command } from '@commander-js/extra-typings';
import { Client } from 'pg';
import { declarationsOf } from '../../app.module.js';
import { type Config, ConfigError } from '../../platform/config.js';
import type { Diagnosis } from '../../platform/module-declaration.js';
import { Clock } from '../../shared/clock.js';
import { adviceOn, messageOf } from '../migrate/migrate.js';
import { connected, hasOtherProcess } from '../migrate/pooler.js';
import { wholeNumber } from './arguments.js';
import {
  capacity,
  clocks,
  pooler,
  schema,
  secrets,
  server,
  timeLimits,
} from './doctor/database.js';
import { type Finding, fail, ok, warn } from './doctor/finding.js';
import { print, withDatabase } from './run.js';

const APPLICATION = 'tillgate doctor';

export interface Examination {
  readonly config: Config;
  readonly url: string;
  readonly machines: number;
  readonly clock: Clock;
}

export function define(command: Command): void {
  command
    .description('look for what makes the service fail, and say what to do; exits 1 on a failure')
    .option(
      '--machines <number>',
      'how many machines run the service on this database',
      wholeNumber(1, 1000),
      1,
    )
    .option('--json', 'print one JSON object on a terminal, too')
    .action(async ({ machines, json }) => {
      const show =
        json || !process.stdout.isTTY
          ? print
          : (result: Report) => process.stdout.write(linesOf(result));
      try {
        const clock = new Clock();
        await withDatabase(
          async (url, config) => report(await examine({ config, url, machines, clock })),
          show,
        );
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        show(
          report(
            error.faults.map((fault) =>
              fail('settings', fault, 'Correct it: docs/reference/settings.md.'),
            ),
          ),
        );
      }
    });
}

interface Report {
  readonly healthy: boolean;
  readonly checks: readonly Finding[];
}

export function linesOf({ checks }: Report): string {
  const line = ({ name, status, found, advice }: Finding) => {
    const shown = status === 'fail' ? 'FAIL' : status;
    const next = advice === null ? '' : ` → ${advice}`;
    return `${shown.padEnd(4)}  ${name.padEnd(12)}  ${found}${next}\n`;
  };
  return checks.map(line).join('');
}

function report(checks: readonly Finding[]): Report {
  const isHealthy = checks.every(({ status }) => status !== 'fail');
  if (!isHealthy) process.exitCode = 1;
  return { healthy: isHealthy, checks };
}

export async function examine(examination: Examination): Promise<Finding[]> {
  const before = settings(examination.config);
  const client = await connected(examination.url, APPLICATION).catch(unreachable);
  if (!(client instanceof Client)) return [...before, client];
  try {
    const connection = ok('connection', `The database accepts ${client.user}.`);
    return [...before, connection, ...(await look(client, examination))];
  } finally {
    await client.end();
  }
}

async function look(
  client: Client,
  { config, url, machines, clock }: Examination,
): Promise<Finding[]> {
  const known = await schema(client);
  return [
    encrypted(client),
    ...(await server(client)),
    known,
    ...((await hasOtherProcess(client))
      ? [await pooler(client, () => connected(url, APPLICATION)), await timeLimits(client)]
      : [ok('pooler', 'The connection is direct.'), await capacity(client, config, machines)]),
    ...(known.status === 'fail' ? [] : await lookAtRows(client, config)),
    ...(await tried('clock', clocks(client, clock))),
  ];
}

async function lookAtRows(client: Client, config: Config): Promise<Finding[]> {
  const found = await tried('secrets', secrets(client, config));
  for (const one of declarationsOf().diagnoses)
    found.push(...(await tried(one.name, diagnosed(client, one))));
  return found;
}

async function diagnosed(
  client: Client,
  { name, text, well, warnings }: Diagnosis,
): Promise<Finding[]> {
  const { rows } = await client.query<never>(text);
  const found = warnings(rows).map(({ found, advice }) => warn(name, found, advice));
  return found.length > 0 ? found : [ok(name, well)];
}

async function tried(name: string, check: Promise<Finding | Finding[]>): Promise<Finding[]> {
  const found = await check.catch((error: Error) =>
    fail(
      name,
      `This cannot be checked: ${error.message}.`,
      'Mend what the error names, and run doctor again.',
    ),
  );
  return [found].flat();
}

/** pg does not even try TLS when DATABASE_URL has no sslmode. */
export function encrypted({ ssl, host }: Pick<Client, 'ssl' | 'host'>): Finding {
  const { rejectUnauthorized = true } = Object(ssl) as TlsOptions;
  if (ssl)
    return ok(
      'tls',
      `The connection is encrypted${rejectUnauthorized ? ', and the server verified' : ''}.`,
    );
  if (/^(localhost$|127\.|::1$|\/)/.test(host))
    return ok('tls', 'The connection is not encrypted; the database is on this machine.');
  const advice =
    'Add ?sslmode=verify-full to DATABASE_URL (docs/operate/postgresql.md), unless the network ' +
    'is encrypted.';
  return warn('tls', `The connection to ${host} is not encrypted.`, advice);
}

function settings({
  databaseUrl,
  webhookAllowPrivate,
  publicUrl,
  encryptionKey,
}: Config): Finding[] {
  if (databaseUrl === undefined) {
    const advice = 'It is meant for a first try: set DATABASE_URL to a PostgreSQL of your own.';
    return [warn('settings', 'The database is the embedded one.', advice)];
  }
  const found: Finding[] = [];
  const doubt = (what: string, advice: string) => found.push(warn('settings', what, advice));
  if (webhookAllowPrivate) {
    const advice =
      'It is meant for development: unset WEBHOOK_ALLOW_PRIVATE where others choose the addresses.';
    doubt('Webhooks may reach private addresses.', advice);
  }
  if (publicUrl === undefined) {
    doubt(
      'PUBLIC_URL is not set: customers are shown no page.',
      'Set it to the address at which customers reach /c/.',
    );
  }
  if (encryptionKey === undefined) {
    const advice = 'Set it, and run `node dist/bundle/cli.js reencrypt`.';
    doubt(
      'ENCRYPTION_KEY is not set: the database alone is enough to read stored secrets.',
      advice,
    );
  }
  return found.length > 0 ? found : [ok('settings', 'All settings are valid.')];
}

function unreachable(error: unknown): Finding {
  const said = messageOf(error);
  const advice = 'Check DATABASE_URL, the network and pg_hba.conf; start PostgreSQL if it is down.';
  return fail('connection', `${said}.`, adviceOn(said, advice));
}

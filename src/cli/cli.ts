/** The command line: the same use cases as the HTTP API's, for operators. One JSON object out, or one line of error. */
import { parseArgs } from 'node:util';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule } from '../app.module.js';
import { type ApiKey, CreateOrganization, KEY_KINDS, ManageApiKeys } from '../modules/access/index.js';
import { paymentView, RecordPayment } from '../modules/payments/index.js';
import { Reconcile } from '../modules/refunds/index.js';
import { type Config, readConfig } from '../platform/config.js';
import { migrate, revertLast } from '../platform/database/migrate.js';
import { UnitOfWork } from '../platform/database/unit-of-work.js';
import type { EmbeddedPostgres } from '../platform/embedded-postgres/embedded-postgres.js';
import { openDatabase, openMigratedDatabase } from '../platform/embedded-postgres/open.js';
import { onStopSignal } from '../process/stop-signals.js';
import { MODES } from '../shared/caller.js';
import { createdAt } from '../shared/id.js';
import { Arguments, UsageError, type Values } from './arguments.js';
import { LISTEN_USAGE, listenForWebhooks, resendEvent, rotateWebhookSecret } from './webhooks.js';

type Run = (application: INestApplicationContext, given: Arguments) => Promise<unknown>;

interface Command {
  readonly usage: string;
  readonly run: Run;
}

const COMMANDS: Readonly<Record<string, Command>> = {
  'org create': { usage: '<name>', run: createOrganization },
  'key create': {
    usage: '[--kind secret|ledger] --org <org> --mode test|live [--origin <origin>]... [--expires <when>]',
    run: createKey,
  },
  'key list': { usage: '--org <org> | --kind ledger', run: listKeys },
  'key revoke': { usage: '<key id>', run: revokeKey },
  'key rotate': { usage: '<key id> [--overlap 7d]', run: rotateKey },
  'payment record': {
    usage: '--org <org> --mode test|live --amount <minor units> --currency <code> [--session <cs id>]',
    run: recordPayment,
  },
  'webhook secret rotate': { usage: '--org <org>', run: rotateWebhookSecret },
  'webhook resend': { usage: '<event id>', run: resendEvent },
  reconcile: { usage: '', run: reconcile },
};

const MIGRATE_USAGE = '[--revert]';
const LISTEN = 'webhook listen';

const OPTIONS = {
  org: { type: 'string' },
  kind: { type: 'string' },
  mode: { type: 'string' },
  origin: { type: 'string', multiple: true },
  expires: { type: 'string' },
  overlap: { type: 'string' },
  amount: { type: 'string' },
  currency: { type: 'string' },
  session: { type: 'string' },
  revert: { type: 'boolean' },
  port: { type: 'string' },
  secret: { type: 'string' },
} as const;

async function createOrganization(application: INestApplicationContext, given: Arguments) {
  const { id, name, webhookSecret } = await application.get(CreateOrganization).execute(given.subject('name'));
  return { id, name, webhook_secret: webhookSecret };
}

async function createKey(application: INestApplicationContext, given: Arguments) {
  const kind = given.oneOf('kind', KEY_KINDS, 'secret');
  const { key, token } = await application.get(ManageApiKeys).create({
    kind,
    mode: given.oneOf('mode', MODES),
    organization: kind === 'secret' ? given.id('org', 'org') : given.optionalId('org', 'org'),
    allowedOrigins: given.list('origin'),
    expiresAt: given.instant('expires', Date.now()),
  });
  return keyView(key, token);
}

async function listKeys(application: INestApplicationContext, given: Arguments) {
  const ofLedger = given.oneOf('kind', KEY_KINDS, 'secret') === 'ledger';
  const keys = await application.get(ManageApiKeys).list(ofLedger ? null : given.id('org', 'org'));
  return { object: 'list', data: keys.map((key) => keyView(key)) };
}

async function revokeKey(application: INestApplicationContext, given: Arguments) {
  return keyView(await application.get(ManageApiKeys).revoke(given.subjectId('key')));
}

async function rotateKey(application: INestApplicationContext, given: Arguments) {
  const overlap = given.duration('overlap', '7d');
  const { key, token } = await application.get(ManageApiKeys).rotate(given.subjectId('key'), overlap);
  return keyView(key, token);
}

async function recordPayment(application: INestApplicationContext, given: Arguments) {
  const caller = { organization: given.id('org', 'org'), mode: given.oneOf('mode', MODES) };
  const checkoutSession = given.optionalId('session', 'cs');
  const captured = { amount: given.amount('amount'), currency: given.currency('currency') };
  const record = application.get(RecordPayment);
  const { payment } = await application
    .get(UnitOfWork)
    .commit(() => record.execute(caller, { ...captured, checkoutSession, reference: null }));
  return paymentView(payment);
}

/** Exits 1 when a promise is broken, after printing what was checked. */
async function reconcile(application: INestApplicationContext) {
  const { checks, isBalanced } = await application.get(Reconcile).execute();
  if (!isBalanced) process.exitCode = 1;
  return { balanced: isBalanced, checks };
}

/** The token only where it was just made: it is never stored. Times in Unix seconds. */
function keyView({ facts }: ApiKey, token?: string) {
  const seconds = (instant: number | null) => (instant === null ? null : Math.floor(instant / 1000));
  return {
    id: facts.id,
    ...(token === undefined ? {} : { key: token }),
    mode: facts.mode,
    kind: facts.kind,
    organization: facts.organization,
    display: facts.display,
    allowed_origins: facts.allowedOrigins,
    expires_at: seconds(facts.expiresAt),
    revoked_at: seconds(facts.revokedAt),
    created_at: createdAt(facts.id),
  };
}

async function main(args: readonly string[]): Promise<unknown> {
  const { values, positionals } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  const config = readConfig(process.env);
  if (positionals.slice(0, 2).join(' ') === LISTEN) {
    refuseStrangers(LISTEN_USAGE, values, positionals.slice(2));
    return listenForWebhooks(new Arguments(values, positionals.slice(2)));
  }
  if (positionals[0] === 'migrate') {
    refuseStrangers(MIGRATE_USAGE, values, positionals.slice(1));
    return migrateSchema(config, values.revert === true);
  }
  const words = [3, 2, 1].find((count) => COMMANDS[positionals.slice(0, count).join(' ')]) ?? 2;
  const name = positionals.slice(0, words).join(' ');
  const command = COMMANDS[name];
  if (!command) throw new UsageError(`Unknown command${name ? ` ${name}` : ''}. There are: ${usage()}.`);
  refuseStrangers(command.usage, values, positionals.slice(words));
  return withApplication(config, (application) =>
    command.run(application, new Arguments(values, positionals.slice(words))),
  );
}

/** A word or an option that a command does not know is a mistake, even where another command knows it. */
function refuseStrangers(usage: string, values: Values, words: readonly string[]): void {
  const option = Object.keys(values).find((name) => !usage.includes(`--${name}`));
  const stranger = option ? `--${option}` : usage.startsWith('<') ? undefined : words[0];
  if (stranger !== undefined) throw new UsageError(`${stranger} does not belong here. The command takes ${usage}.`);
}

async function withApplication(config: Config, work: (application: INestApplicationContext) => Promise<unknown>) {
  return withDatabase(openMigratedDatabase(config, { role: 'command' }), async (url) => {
    const module = AppModule.register(config, url, { timeLimits: false });
    const application = await NestFactory.createApplicationContext(module, { logger: ['error'], abortOnError: false });
    try {
      return await work(application);
    } finally {
      await application.close();
    }
  });
}

async function migrateSchema(config: Config, revert: boolean) {
  return withDatabase(openDatabase(config, { role: 'command' }), async (url) =>
    revert ? { reverted: (await revertLast(url)) ?? null } : { applied: await migrate(url) },
  );
}

async function withDatabase(opening: Promise<EmbeddedPostgres>, work: (url: string) => Promise<unknown>) {
  onStopSignal(() => {
    opening.then((database) => database.close()).finally(() => process.exit(1));
  });
  const database = await opening;
  try {
    return await work(database.url);
  } finally {
    await database.close();
  }
}

function usage(): string {
  const lines = Object.entries(COMMANDS).map(([name, command]) => `${name} ${command.usage}`);
  return [...lines, `${LISTEN} ${LISTEN_USAGE}`, `migrate ${MIGRATE_USAGE}`].join(' · ');
}

main(process.argv.slice(2)).then(
  (result) => process.stdout.write(`${JSON.stringify(result)}\n`),
  (error: Error) => {
    process.stderr.write(`${error.message.replaceAll('\n', ' ')}\n`);
    process.exitCode = 1;
  },
);

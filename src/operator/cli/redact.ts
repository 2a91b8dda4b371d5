import type { Command } from '@commander-js/extra-typings';
import type { INestApplicationContext } from '@nestjs/common';
import { Organizations } from '../../modules/access/index.js';
import {
  CHECKOUT_SESSION_ID,
  RedactCheckoutSession,
  SessionDetails,
} from '../../modules/checkout/index.js';
import { LaterDetails } from '../../modules/payments/index.js';
import { Units } from '../../persistence/units.js';
import type { Progress } from '../../platform/progress.js';
import { mailboxOf } from '../../request/validation/mailbox.js';
import { type Caller, MODES, Owners } from '../../shared/caller.js';
import { modeOf, ORGANIZATION_ID } from '../../shared/id.js';
import { type OwnId, ownId } from '../../shared/own-id.js';
import { commandAuthor } from '../author.js';
import { withApplication } from './application.js';
import { emailAddress, id } from './arguments.js';

const AT_ONCE = 100;
const OPEN_SESSIONS_SHOWN = 100;

export function define(command: Command): void {
  command
    .description(
      'remove what closed sessions tell of a customer: of one session, or of all with an e-mail ' +
        'address, in both modes. Open ones stay, are counted, and the first 100 are named. ' +
        'An interrupted command can be run again.',
    )
    .option('--org <organization>', 'whose sessions; with --email required', id(ORGANIZATION_ID))
    .option('--email <address>', 'of the customer, in any spelling of it', emailAddress)
    .option('--session <session>', 'one session, cs_…', id(CHECKOUT_SESSION_ID))
    .action(({ org: organization, email, session }, command) => {
      if (session !== undefined && email === undefined)
        return withApplication((one) => redactOne(one, session, organization));
      if (organization === undefined || email === undefined || session !== undefined)
        return command.error('Give --session, or --org with --email.');
      return withApplication((application, progress) =>
        redactAll(application, { organization, email }, progress),
      );
    });
}

async function redactOne(
  application: INestApplicationContext,
  session: string,
  organization: string | undefined,
) {
  const ledger = { mode: modeOf(session) };
  const owner = await application.get(Owners).of(ledger, session);
  if (organization !== undefined && organization !== owner.organization)
    throw new Error(`${session} belongs to another organization than ${organization}.`);
  await redact(application, owner, ownId(owner, session));
  await forgetRest(application, owner);
  return { redacted: 1 };
}

/** Compares addresses here and not in the database, whose letters depend on its locale. */
async function redactAll(
  application: INestApplicationContext,
  { organization, email }: { organization: string; email: string },
  progress: Progress,
) {
  await application.get(Organizations).byId(organization);
  const details = application.get(SessionDetails);
  const mailbox = mailboxOf(email);
  const open: OwnId[] = [];
  let redacted = 0;
  for (const mode of MODES) {
    const caller = { organization, mode };
    const closed: OwnId[] = [];
    progress.begin(`Reading sessions with an e-mail address, ${mode}`);
    const read = (after?: OwnId) => details.withEmail(caller, after);
    for (let page = await read(); page.length > 0; page = await read(page.at(-1)?.id)) {
      const own = page.filter((session) => mailboxOf(session.email) === mailbox);
      for (const { id, isOpen } of own) (isOpen ? open : closed).push(id);
      progress.add(page.length);
    }
    progress.begin(`Redacting sessions, ${mode}`, closed.length);
    for (const id of closed) {
      await redact(application, caller, id);
      redacted += 1;
      progress.add();
    }
    await forgetRest(application, caller);
  }
  return { redacted, open: open.length, open_sessions: open.slice(0, OPEN_SESSIONS_SHOWN) };
}

async function redact(
  application: INestApplicationContext,
  caller: Caller,
  session: OwnId,
): Promise<void> {
  const redactSession = application.get(RedactCheckoutSession);
  await application
    .get(Units)
    .commit(caller, (unit) => redactSession.execute(unit, session), commandAuthor());
}

/** Forgets what a redaction left of very many refunds. A running service does the same. */
async function forgetRest(application: INestApplicationContext, caller: Caller): Promise<void> {
  const details = application.get(LaterDetails);
  // This begins what is due now, without what was said later.
  await details.begin(caller, Number.POSITIVE_INFINITY);
  const unfinished = () => details.unfinished(caller, AT_ONCE);
  for (let found = await unfinished(); found.length > 0; found = await unfinished())
    for (const payment of found) await details.forget(caller, payment);
}

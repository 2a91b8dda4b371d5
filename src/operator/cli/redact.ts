import type { Command } from '@commander-js/extra-typings';
import type { INestApplicationContext } from '@nestjs/common';
import {
  CHECKOUT_SESSION_ID,
  CheckoutSessionQueries,
  RedactCheckoutSession,
  SessionDetails,
} from '../../modules/checkout/index.js';
import { Database } from '../../persistence/database.js';
import { type Caller, MODES } from '../../shared/caller.js';
import { modeOf, ORGANIZATION_ID } from '../../shared/id.js';
import { type OwnId, ownId } from '../../shared/own-id.js';
import { id } from './arguments.js';
import { withApplication } from './run.js';

export function addRedactCommand(program: Command): void {
  program
    .command('redact')
    .summary('remove what closed sessions tell of a customer')
    .description(
      'remove what closed sessions tell of a customer: of one session, or of all with an e-mail address, in both modes. An interrupted command can be run again.',
    )
    .option('--org <organization>', 'whose sessions, with --email', id(ORGANIZATION_ID))
    .option('--email <address>', 'of the customer, in whatever case')
    .option('--session <session>', 'one session, cs_…', id(CHECKOUT_SESSION_ID))
    .action(({ org: organization, email, session }, command) => {
      if (session !== undefined && email === undefined) return redact((application) => one(application, session));
      if (organization === undefined || email === undefined || session !== undefined)
        return command.error('Give --session, or --org with --email.');
      return redact((application) => withEmail(application, organization, email));
    });
}

type Found = AsyncGenerator<readonly [caller: Caller, session: OwnId]>;

function redact(find: (application: INestApplicationContext) => Found): Promise<void> {
  return withApplication(async (application) => {
    let redacted = 0;
    for await (const [caller, session] of find(application)) {
      await application.get(Database).commit(() => application.get(RedactCheckoutSession).execute(caller, session));
      redacted += 1;
    }
    return { redacted };
  });
}

async function* one(application: INestApplicationContext, session: string): Found {
  const ledger = { mode: modeOf(session) };
  const own = ownId(ledger, session);
  yield [await application.get(CheckoutSessionQueries).ownerOf(ledger, own), own];
}

async function* withEmail(application: INestApplicationContext, organization: string, email: string): Found {
  for (const mode of MODES) {
    const caller = { organization, mode };
    const find = (after?: OwnId) => application.get(SessionDetails).withEmail(caller, email, after);
    for (let found = await find(); found.length > 0; found = await find(found.at(-1)))
      for (const session of found) yield [caller, session];
  }
}

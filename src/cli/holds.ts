import type { Command } from '@commander-js/extra-typings';
import {
  HOLD_ID,
  holdView,
  PAYMENT_ID,
  PlaceHold,
  ReadLedgerHold,
  ReadLedgerPayment,
  ReleaseHold,
} from '../modules/payments/index.js';
import { UnitOfWork } from '../platform/database/unit-of-work.js';
import { modeOf } from '../shared/id.js';
import { amount, id, modeOption, owner, reason, reference } from './arguments.js';
import { withApplication } from './run.js';

export function addHoldCommands(program: Command): void {
  const holds = program.command('hold').description('holds: amounts of payments that cannot be refunded');

  holds
    .command('create')
    .description('put an amount of a payment on hold')
    .argument('<payment>', 'its id, pay_…', id(PAYMENT_ID))
    .option(...owner)
    .option('--amount <minor units>', 'how much of it (default: all that is left)', amount)
    .option('--reason <text>', 'why', reason)
    .option('--reference <reference>', 'your own id of the dispute', reference)
    .action((payment, { org, amount, reason = null, reference = null }) =>
      withApplication(async (application) => {
        const mode = modeOf(payment);
        const { organization } = await application.get(ReadLedgerPayment).execute({ mode }, payment, org);
        const hold = await application
          .get(UnitOfWork)
          .commit(() =>
            application.get(PlaceHold).execute({ organization, mode }, payment, { amount, reason, reference }),
          );
        return holdView({ organization, hold });
      }),
    );

  holds
    .command('release')
    .description('release a hold, which frees its amount')
    .argument('<hold>', 'its id, hold_…', id(HOLD_ID))
    .option(...owner)
    .addOption(modeOption())
    .action((id, { org, mode }) =>
      withApplication(async (application) => {
        const { organization } = await application.get(ReadLedgerHold).execute({ mode }, id, org);
        const hold = await application
          .get(UnitOfWork)
          .commit(() => application.get(ReleaseHold).execute({ organization, mode }, id));
        return holdView({ organization, hold });
      }),
    );
}

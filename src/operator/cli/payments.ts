import type { Command } from '@commander-js/extra-typings';
import { CHECKOUT_SESSION_ID } from '../../modules/checkout/index.js';
import { paymentView } from '../../modules/payments/adapters/representation/payments.views.js';
import { RecordPayment } from '../../modules/payments/index.js';
import { Units } from '../../persistence/units.js';
import { ORGANIZATION_ID } from '../../shared/id.js';
import { MAX_AMOUNT } from '../../shared/money.js';
import { withApplication } from './application.js';
import { currency, id, modeOption, wholeNumber } from './arguments.js';

export function define(payments: Command): void {
  payments
    .command('record')
    .description('record a captured payment, as the ledger does over HTTP')
    .requiredOption('--org <organization>', 'whose payment it is', id(ORGANIZATION_ID))
    .addOption(modeOption())
    .requiredOption(
      '--amount <minor units>',
      'for example 5000 for 50.00 USD',
      wholeNumber(1, MAX_AMOUNT),
    )
    .requiredOption('--currency <code>', 'for example usd', currency)
    .option(
      '--session <session>',
      'the checkout session that it pays, which completes it',
      id(CHECKOUT_SESSION_ID),
    )
    .action(({ org: organization, mode, amount, currency, session: checkoutSession = null }) =>
      withApplication(async (application) => {
        const capture = { amount, currency, checkoutSession, reference: null };
        const { payment } = await application
          .get(Units)
          .commit({ organization, mode }, (unit) =>
            application.get(RecordPayment).execute(unit, capture),
          );
        return paymentView(payment);
      }),
    );
}

import type { Command } from '@commander-js/extra-typings';
import { CHECKOUT_SESSION_ID } from '../modules/checkout/index.js';
import {
  ListLedgerPayments,
  ledgerPaymentView,
  PAYMENT_ID,
  paymentView,
  RecordPayment,
} from '../modules/payments/index.js';
import { Database } from '../platform/database/database.js';
import { UnitOfWork } from '../platform/database/unit-of-work.js';
import { listView } from '../platform/http/list.view.js';
import { ORGANIZATION_ID } from '../shared/id.js';
import { amount, currency, id, modeOption, pageLimit, pastInstant, reference } from './arguments.js';
import { reconcile } from './reconcile.js';
import { withApplication } from './run.js';

export function addPaymentCommands(program: Command): void {
  const payments = program.command('payment').description('captured payments');
  addList(payments);
  addReconcile(program);

  payments
    .command('record')
    .description('record a captured payment, as the ledger does over HTTP')
    .requiredOption('--org <organization>', 'whose payment it is', id(ORGANIZATION_ID))
    .addOption(modeOption())
    .requiredOption('--amount <minor units>', 'for example 5000 for 50.00 USD', amount)
    .requiredOption('--currency <code>', 'for example usd', currency)
    .option('--session <session>', 'the checkout session that it pays, which completes it', id(CHECKOUT_SESSION_ID))
    .action(({ org: organization, mode, amount, currency, session = null }) =>
      withApplication(async (application) => {
        const capture = { amount, currency, checkoutSession: session, reference: null };
        const record = application.get(RecordPayment);
        const decide = () => record.execute({ organization, mode }, capture);
        const { payment } = await application.get(UnitOfWork).commit(decide);
        return paymentView(payment);
      }),
    );
}

function addReconcile(program: Command): void {
  program
    .command('reconcile')
    .description('prove that every amount adds up; exits 1 if not')
    .option(
      '--since <when>',
      'only of what was made since: a span (7d), an RFC 3339 time, a date or Unix seconds',
      pastInstant,
    )
    .action(({ since }) =>
      withApplication(
        async (application) => {
          const { checks, isBalanced } = await reconcile(application.get(Database), { since });
          if (!isBalanced) process.exitCode = 1;
          return { balanced: isBalanced, checks };
        },
        { mayLag: true },
      ),
    );
}

function addList(payments: Command): void {
  payments
    .command('list')
    .description('list payments, the newest first')
    .addOption(modeOption())
    .option('--org <organization>', 'only payments of this organization', id(ORGANIZATION_ID))
    .option('--session <session>', 'only payments for this checkout session', id(CHECKOUT_SESSION_ID))
    .option('--reference <reference>', 'only payments recorded under this reference', reference)
    .option('--limit <number>', 'payments on a page', pageLimit, 25)
    .option('--cursor <payment>', 'next_cursor of the page before', id(PAYMENT_ID))
    .action(({ mode, org: organization, session: checkoutSession, reference, limit, cursor }) =>
      withApplication(async (application) => {
        const filter = { organization, checkoutSession, reference, limit, cursor };
        const page = await application.get(ListLedgerPayments).execute({ mode }, filter);
        return listView(page, ledgerPaymentView);
      }),
    );
}

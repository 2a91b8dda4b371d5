import { type Command, Option } from '@commander-js/extra-typings';
import type { INestApplicationContext } from '@nestjs/common';
import {
  ClaimRefunds,
  FailRefund,
  ListLedgerRefunds,
  ledgerRefundView,
  PENDING,
  REFUND_ID,
  REFUND_STATUSES,
  ReadLedgerRefund,
  type Refund,
  ReturnRefund,
  SucceedRefund,
} from '../modules/refunds/index.js';
import { UnitOfWork } from '../platform/database/unit-of-work.js';
import { listView } from '../platform/http/list.view.js';
import type { Caller } from '../shared/caller.js';
import type { Decision } from '../shared/decision.js';
import { modeOf, ORGANIZATION_ID } from '../shared/id.js';
import { id, lease, modeOption, owner, pageLimit, reason, wholeNumber } from './arguments.js';
import { withApplication } from './run.js';

const REFUND = 'its id, re_…';
const ofOne = ['--org <organization>', 'only refunds of this organization', id(ORGANIZATION_ID)] as const;

export function addRefundCommands(program: Command): void {
  const refunds = program.command('refund').description('refunds: what the ledger pays out or refuses');
  addList(refunds);
  addClaim(refunds);

  refunds
    .command('succeed')
    .description('say that a refund was paid out')
    .argument('<refund>', REFUND, id(REFUND_ID))
    .option(...owner)
    .action((refund, { org }) =>
      change(refund, org, (application, caller) => application.get(SucceedRefund).execute(caller, refund)),
    );

  refunds
    .command('fail')
    .description('say that a refund was refused')
    .argument('<refund>', REFUND, id(REFUND_ID))
    .option(...owner)
    .option('--reason <text>', 'why', reason)
    .option('--claim <number>', 'the number of its claim, if it is claimed', wholeNumber(1, 2_147_483_647))
    .action((refund, { org, reason = null, claim = null }) =>
      change(refund, org, (application, caller) =>
        application.get(FailRefund).execute(caller, refund, { reason, claim }),
      ),
    );

  refunds
    .command('return')
    .description('say that a paid refund came back')
    .argument('<refund>', REFUND, id(REFUND_ID))
    .option(...owner)
    .option('--reason <text>', 'why', reason)
    .action((refund, { org, reason = null }) =>
      change(refund, org, (application, caller) => application.get(ReturnRefund).execute(caller, refund, reason)),
    );
}

function addList(refunds: Command): void {
  refunds
    .command('list')
    .description('list refunds, the oldest first')
    .addOption(modeOption())
    .addOption(
      new Option('--status <status>', 'only refunds with this status').choices(REFUND_STATUSES).default(PENDING),
    )
    .option(...ofOne)
    .option('--limit <number>', 'refunds on a page', pageLimit, 25)
    .option('--cursor <refund>', 'next_cursor of the page before', id(REFUND_ID))
    .action(({ mode, status, org: organization, limit, cursor }) =>
      withApplication(async (application) => {
        const filter = { status, organization, limit, cursor };
        return listView(await application.get(ListLedgerRefunds).execute({ mode }, filter), ledgerRefundView);
      }),
    );
}

function addClaim(refunds: Command): void {
  refunds
    .command('claim')
    .description('claim pending refunds to pay out')
    .addOption(modeOption())
    .option(...ofOne)
    .option('--limit <number>', 'at most so many refunds', pageLimit, 10)
    .option('--lease <span>', 'how long they are yours, from 15s to 1h (default: 60s)', lease)
    .action(({ mode, org: organization, limit, lease: leaseSeconds = lease('60s') }) =>
      withApplication(async (application) => {
        const claim = () => application.get(ClaimRefunds).execute({ mode }, { limit, leaseSeconds, organization });
        const items = await application.get(UnitOfWork).commit(claim);
        return listView({ items, hasMore: false }, ledgerRefundView);
      }),
    );
}

type Decide = (application: INestApplicationContext, caller: Caller) => Promise<Decision<Refund>>;

/** Commits a decision of the ledger about a refund, on behalf of the refund's organization. */
function change(id: string, owner: string | undefined, decide: Decide): Promise<void> {
  return withApplication(async (application) => {
    const mode = modeOf(id);
    const { organization } = await application.get(ReadLedgerRefund).execute({ mode }, id, owner);
    const refund = await application.get(UnitOfWork).commit(() => decide(application, { organization, mode }));
    return ledgerRefundView({ organization, refund });
  });
}

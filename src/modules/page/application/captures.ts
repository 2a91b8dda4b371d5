import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/caller.js';
import type { Write } from '../../../shared/decision.js';
import type { OwnId } from '../../../shared/own-id.js';
import { PaymentQueries, RecordPayment } from '../../payments/index.js';
import type { PageSession, RecordedPayment } from '../domain/checkout-page.js';

/** More than a session ever has. */
const ALL = { limit: 100, from: undefined, to: undefined, cursor: undefined };

@Injectable()
export class Captures {
  constructor(
    private readonly payments: PaymentQueries,
    private readonly recordPayment: RecordPayment,
  ) {}

  async ofSession(caller: Caller, session: OwnId): Promise<readonly RecordedPayment[]> {
    const { items } = await this.payments.list(caller, { checkoutSession: session, ...ALL });
    return items.map(({ state: { id, mismatch, amount, amountRefunded } }) => {
      return { id, isMatching: mismatch === null, isRefunded: amountRefunded === amount };
    });
  }

  /** Records a payment of the session's total, as the ledger does, and one that no longer fits. Pressing the button twice pays once. */
  async record(caller: Caller, { id, amountTotal: amount, currency }: PageSession): Promise<readonly Write[]> {
    const capture = { amount, currency, checkoutSession: id, reference: `pretend_${id}` };
    return (await this.recordPayment.execute(caller, capture, 'record')).writes;
  }
}

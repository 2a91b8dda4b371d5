import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';
import type { Mode } from '../../../../shared/caller.js';
import { type IdKind, idOf } from '../../../../shared/id.js';
import { CHECKOUT_SESSION_ID } from '../../../checkout/index.js';
import { PAYMENT_ID } from '../../../payments/index.js';
import { Books, type Check } from '../../application/reconcile.js';

interface Promised {
  readonly promise: string;
  readonly kind: IdKind;
  readonly from: string;
  /** True for a row that breaks the promise. */
  readonly broken: string;
}

const REFUND_SUMS = `payments book LEFT JOIN (
  SELECT organization_id, mode, payment_id,
    coalesce(sum(amount) FILTER (WHERE status = 'pending'), 0) AS pending,
    coalesce(sum(amount) FILTER (WHERE status = 'succeeded'), 0) AS succeeded
  FROM refunds GROUP BY organization_id, mode, payment_id
) sums ON (sums.organization_id, sums.mode, sums.payment_id) = (book.organization_id, book.mode, book.id)`;

const SESSION_PAYMENTS = `checkout_sessions book LEFT JOIN payments payment
  ON (payment.organization_id, payment.mode, payment.checkout_session_id)
   = (book.organization_id, book.mode, book.id)`;

const PROMISES: readonly Promised[] = [
  {
    promise: 'held = sum of pending and succeeded refunds',
    kind: PAYMENT_ID,
    from: REFUND_SUMS,
    broken: `book.amount_pending_refund + book.amount_refunded
      <> coalesce(sums.pending, 0) + coalesce(sums.succeeded, 0)`,
  },
  {
    promise: 'refunded = sum of succeeded refunds',
    kind: PAYMENT_ID,
    from: REFUND_SUMS,
    broken: 'book.amount_refunded <> coalesce(sums.succeeded, 0)',
  },
  {
    promise: 'held <= captured',
    kind: PAYMENT_ID,
    from: REFUND_SUMS,
    broken: 'coalesce(sums.pending, 0) + coalesce(sums.succeeded, 0) > book.amount',
  },
  {
    promise: 'a session is paid if and only if a payment exists for it',
    kind: CHECKOUT_SESSION_ID,
    from: SESSION_PAYMENTS,
    broken: `(book.payment_status = 'paid') <> (payment.id IS NOT NULL)`,
  },
  {
    promise: 'a session was paid exactly what it asks for',
    kind: CHECKOUT_SESSION_ID,
    from: SESSION_PAYMENTS,
    broken: '(payment.amount, payment.currency) <> (book.amount_total, book.currency)',
  },
];

/** Enough to see what is wrong; a broken book of millions would not help more. */
const MAX_OFFENDERS = 100;

@Injectable()
export class TypeormBooks extends Books {
  constructor(private readonly database: Database) {
    super();
  }

  /** One snapshot for all: a refund between two looks would seem a difference. On one core, to leave the service the others. */
  async check(): Promise<Check[]> {
    return this.database.run(async () => {
      await this.database.manager.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
      await this.database.manager.query('SET LOCAL statement_timeout = 0');
      await this.database.manager.query('SET LOCAL max_parallel_workers_per_gather = 0');
      const checks: Check[] = [];
      for (const promised of PROMISES) checks.push(await this.examine(promised));
      return checks;
    });
  }

  private async examine({ promise, kind, from, broken }: Promised): Promise<Check> {
    const [{ checked } = { checked: 0 }]: { checked: number }[] = await this.database.manager.query(
      `SELECT count(*) AS checked FROM ${kind === PAYMENT_ID ? 'payments' : 'checkout_sessions'}`,
    );
    const rows: { id: string; mode: Mode }[] = await this.database.manager.query(
      `SELECT book.id, book.mode FROM ${from} WHERE ${broken} ORDER BY book.id LIMIT ${MAX_OFFENDERS}`,
    );
    return { promise, checked, offenders: rows.map(({ id, mode }) => idOf(kind, id, mode)) };
  }
}

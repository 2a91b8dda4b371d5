import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';
import { violates } from '../../../../platform/database/faults.js';
import { compose, insertPart } from '../../../../platform/database/statement.js';
import { KEEP_ANSWER, keptValues } from '../../../../platform/idempotency/kept-answers.js';
import type { KeptAnswer } from '../../../../shared/answer.js';
import type { Caller } from '../../../../shared/caller.js';
import { Clock } from '../../../../shared/clock.js';
import { idOf, idRange, modeOf, uuidOf } from '../../../../shared/id.js';
import {
  deliverEventTo,
  type EventType,
  eventValues,
  foundDeliveryValues,
  type NewEvent,
  newEvent,
  RECORD_EVENT,
} from '../../../events/index.js';
import { HELD_CONSTRAINT, HOLD_AMOUNT, heldValues, NOTIFY_URL, SETTLE_AMOUNT } from '../../../payments/index.js';
import { type RefundFilter, Refunds } from '../../application/ports.js';
import { Refund, type RefundFacts } from '../../domain/refund.js';
import { refundView } from '../representation/refunds.views.js';

const INSERT = insertPart('refunds', ['organization_id', 'mode', 'id', 'payment_id', 'amount', 'currency', 'status']);
const DELIVER = deliverEventTo(NOTIFY_URL);
const ADD = compose('refunds.add', KEEP_ANSWER, HOLD_AMOUNT, INSERT, RECORD_EVENT, DELIVER);
const RECORD = compose('refunds.record', RECORD_EVENT, DELIVER);

/** What fromRow takes. */
export const COLUMNS = 'id, mode, payment_id AS payment, amount, currency, status, failure_reason AS "failureReason"';

const SCOPE = 'organization_id = $1 AND mode = $2';
const SELECT = `SELECT ${COLUMNS} FROM refunds WHERE ${SCOPE}`;
const FIND = { name: 'refunds.find', text: `${SELECT} AND id = $3` };

/** The guard on `pending` lets one outcome win; the payment is accounted in the same statement, or not at all. */
const SETTLE = {
  name: 'refunds.settle',
  text: `WITH refund AS (
      UPDATE refunds SET status = $4, failure_reason = $5 WHERE ${SCOPE} AND id = $3 AND status = 'pending'
      RETURNING organization_id, mode, payment_id, amount, status)
    ${SETTLE_AMOUNT}`,
};

const PAGE = `${SELECT} AND id >= $3 AND id < $4`;
const NEWEST = 'ORDER BY id DESC LIMIT $5';

/** One statement for each combination of filters, so that each has a plan of its own. */
const LISTS = {
  all: { name: 'refunds.list', text: `${PAGE} ${NEWEST}` },
  // A range of both, which only the index on both can walk: by id alone there may be many to pass by.
  status: {
    name: 'refunds.list_status',
    text: `${SELECT} AND (status, id) >= ($6, $3) AND (status, id) < ($6, $4) ORDER BY status DESC, id DESC LIMIT $5`,
  },
  payment: { name: 'refunds.list_payment', text: `${PAGE} AND payment_id = $6 ${NEWEST}` },
  // IS TRUE keeps to the payment's index: by status there are many more to pass by.
  both: { name: 'refunds.list_both', text: `${PAGE} AND payment_id = $6 AND (status = $7) IS TRUE ${NEWEST}` },
} as const;

@Injectable()
export class TypeormRefunds extends Refunds {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    super();
  }

  async add(caller: Caller, refund: Refund, kept: KeptAnswer): Promise<boolean> {
    const held = heldValues(caller, refund.facts.payment, refund.facts.amount);
    const event = newEvent('refund.created', refund.facts.id, kept.answer.body, this.clock.now());
    const recorded = recordedValues(caller, event, refund);
    try {
      await this.database.write(ADD, [...keptValues(caller, kept), ...held, ...toRow(caller, refund), ...recorded]);
      return true;
    } catch (error) {
      if (violates(error, HELD_CONSTRAINT)) return false;
      throw error;
    }
  }

  async find(caller: Caller, id: string): Promise<Refund | undefined> {
    const [row] = await this.database.read<Row>(FIND, [uuidOf(caller.organization), modeOf(id), uuidOf(id)]);
    return row && fromRow(row);
  }

  async settle(caller: Caller, refund: Refund): Promise<boolean> {
    const { id, status, failureReason } = refund.facts;
    const values = [uuidOf(caller.organization), caller.mode, uuidOf(id), status, failureReason];
    return this.database.run(async () => {
      if ((await this.database.write(SETTLE, values)) !== 1) return false;
      const type = `refund.${status}` as EventType;
      const event = newEvent(type, id, JSON.stringify(refundView(refund)), this.clock.now());
      await this.database.write(RECORD, recordedValues(caller, event, refund));
      return true;
    });
  }

  async list(caller: Caller, filter: RefundFilter): Promise<Refund[]> {
    const { payment, status, limit } = filter;
    const filters = [...(payment === undefined ? [] : [uuidOf(payment)]), ...(status === undefined ? [] : [status])];
    const values = [uuidOf(caller.organization), caller.mode, ...idRange(filter), limit + 1, ...filters];
    // The id names its payment's mode: another mode's payment has no refunds in this one.
    if (payment !== undefined && modeOf(payment) !== caller.mode) return [];
    return (await this.database.read<Row>(LISTS[listFor(filter)], values)).map(fromRow);
  }
}

function listFor({ payment, status }: RefundFilter): keyof typeof LISTS {
  if (payment === undefined) return status === undefined ? 'all' : 'status';
  return status === undefined ? 'payment' : 'both';
}

/** The facts, but for bare UUIDs, under the names that COLUMNS gives them. */
export type Row = RefundFacts;

function toRow(caller: Caller, { facts }: Refund): unknown[] {
  const { mode, id, payment, amount, currency, status } = facts;
  return [uuidOf(caller.organization), mode, uuidOf(id), uuidOf(payment), amount, currency, status];
}

function recordedValues(caller: Caller, event: NewEvent, { facts }: Refund): unknown[] {
  return [...eventValues(caller, event), ...foundDeliveryValues(caller, event, facts.payment)];
}

export function fromRow(row: Row): Refund {
  const { id, mode, payment } = row;
  return Refund.restore({ ...row, id: idOf('re', id, mode), payment: idOf('pay', payment, mode) });
}

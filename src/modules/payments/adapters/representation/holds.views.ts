import { listOf } from '../../../../request/response.js';
import {
  constant,
  describedEnum,
  type FieldsOf,
  id,
  integer,
  MODE,
  nullable,
  ORGANIZATION,
  object,
  text,
  timestamp,
  type ValueOf,
} from '../../../../request/schema.js';
import { recordedAt } from '../../../../shared/id.js';
import { MAX_AMOUNT } from '../../../../shared/money.js';
import { HOLD_ID, type Hold, type HoldState, type HoldStatus } from '../../domain/hold.js';
import { PAYMENT_ID } from '../../domain/payment.js';

export const HOLD = object(
  {
    id: id(HOLD_ID, 'ID of the hold.'),
    object: constant('payment.hold', 'Object type.'),
    organization: ORGANIZATION,
    mode: MODE,
    payment: id(PAYMENT_ID, 'ID of the payment.'),
    amount: integer('Amount on hold.', { minimum: 1, maximum: MAX_AMOUNT, examples: [5000] }),
    reason: nullable(text('Why the amount is on hold.')),
    reference: nullable(text('Your own ID of the dispute.')),
    status: describedEnum<HoldStatus>(
      {
        active: 'its amount cannot be refunded',
        released: 'its amount can be refunded again; final',
      },
      'Status of the hold.',
    ),
    created: timestamp('Time of creation, in Unix seconds.'),
  } satisfies FieldsOf<HoldState>,
  {
    name: 'PaymentHold',
    description: 'An amount of a payment that cannot be refunded, for example during a dispute.',
  },
);

export const HOLD_LIST = listOf('PaymentHoldList', HOLD);

export function holdView({ state }: Hold): ValueOf<typeof HOLD> {
  const { id, organization, mode, payment, amount, reason, reference, status } = state;
  const created = recordedAt(id);
  return {
    id,
    object: 'payment.hold',
    organization,
    mode,
    payment,
    amount,
    reason,
    reference,
    status,
    created,
  };
}

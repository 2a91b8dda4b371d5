import { listOf } from '../../../../platform/http/list.view.js';
import {
  constant,
  id,
  integer,
  MODE,
  object,
  oneMeaning,
  orNull,
  text,
  timestamp,
  type ValueOf,
} from '../../../../platform/http/schema.js';
import { createdAt, ORGANIZATION_ID } from '../../../../shared/id.js';
import { MAX_AMOUNT } from '../../../../shared/money.js';
import type { OwnedHold } from '../../application/ports.js';
import type { HoldStatus } from '../../domain/hold.js';
import { HOLD_ID } from '../../domain/hold.js';
import { PAYMENT_ID } from '../../domain/payment.js';

export const HOLD = object(
  {
    id: id(HOLD_ID, 'The identifier of the hold.'),
    object: constant('payment.hold', 'Object type.'),
    organization: id(ORGANIZATION_ID, 'Owning organization.'),
    mode: MODE,
    payment: id(PAYMENT_ID, 'The payment that it is on.'),
    amount: integer('How much of it is on hold.', { minimum: 1, maximum: MAX_AMOUNT, examples: [5000] }),
    reason: orNull(text('Why, as the ledger told it.')),
    reference: orNull(text("The ledger's own identifier of the dispute.")),
    status: oneMeaning<HoldStatus>(
      { active: 'its amount cannot be refunded', released: 'its amount is free again; final' },
      'Where the hold stands.',
    ),
    created: timestamp('When it was placed, in Unix seconds.'),
  },
  { name: 'PaymentHold', description: 'An amount of a payment that cannot be refunded: a dispute, a chargeback.' },
);

export const HOLD_LIST = listOf('PaymentHoldList', HOLD);

export function holdView({ organization, hold: { state } }: OwnedHold): ValueOf<typeof HOLD> {
  return {
    id: state.id,
    object: 'payment.hold',
    organization,
    mode: state.mode,
    payment: state.payment,
    amount: state.amount,
    reason: state.reason,
    reference: state.reference,
    status: state.status,
    created: createdAt(state.id),
  };
}

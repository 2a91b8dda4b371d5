import { listOf } from '../../../../request/response.js';
import {
  amount,
  CURRENCY,
  constant,
  describedEnum,
  type FieldsOf,
  id,
  MODE,
  nullable,
  ORGANIZATION,
  object,
  text,
  timestamp,
  type ValueOf,
  withOrganization,
} from '../../../../request/schema.js';
import { createdAt, recordedAt } from '../../../../shared/id.js';
import { CHECKOUT_SESSION_ID } from '../../../checkout/index.js';
import type { NewEvent } from '../../../events/index.js';
import {
  MISMATCHES,
  PAYMENT_ID,
  type Payment,
  type PaymentEvent,
  type PaymentState,
} from '../../domain/payment.js';

const FIELDS = {
  id: id(PAYMENT_ID, 'ID of the payment.'),
  object: constant('payment', 'Object type.'),
  mode: MODE,
  amount: amount('Captured amount.'),
  amount_refunded: amount('Amount of succeeded refunds.', 0),
  amount_pending_refund: amount('Amount reserved by pending refunds.', 0),
  amount_on_hold: amount('Amount of active holds, which cannot be refunded.', 0),
  amount_refundable: amount('Amount that can still be refunded.'),
  currency: CURRENCY,
  checkout_session: nullable(
    id(
      CHECKOUT_SESSION_ID,
      'ID of the checkout session that the payment is for; null if there is none.',
    ),
  ),
  mismatch: nullable(
    describedEnum(
      MISMATCHES,
      'Why the payment did not complete its checkout session; null if it did, or if it has none.',
    ),
  ),
  created: timestamp('Time of recording, in Unix seconds.'),
} satisfies FieldsOf<
  PaymentState,
  'organization' | 'reference' | 'notifyUrl' | 'isRedacted' | 'version'
>;

export const PAYMENT = object(FIELDS, {
  name: 'Payment',
  description: 'A captured payment.',
});

export const LEDGER_PAYMENT = object(
  {
    ...withOrganization(ORGANIZATION, FIELDS),
    reference: nullable(text('Your own ID of the capture.', { examples: ['capture-4711'] })),
  },
  {
    name: 'LedgerPayment',
    description: 'A payment with its owning organization and your reference.',
  },
);

export const PAYMENT_LIST = listOf('PaymentList', PAYMENT);
export const LEDGER_PAYMENT_LIST = listOf('LedgerPaymentList', LEDGER_PAYMENT);

export function paymentView({ state, refundable }: Payment): ValueOf<typeof PAYMENT> {
  return {
    id: state.id,
    object: 'payment',
    mode: state.mode,
    amount: state.amount,
    amount_refunded: state.amountRefunded,
    amount_pending_refund: state.amountPendingRefund,
    amount_on_hold: state.amountOnHold,
    amount_refundable: refundable,
    currency: state.currency,
    checkout_session: state.checkoutSession,
    mismatch: state.mismatch,
    created: createdAt(state.id),
  };
}

export function ledgerPaymentView(payment: Payment): ValueOf<typeof LEDGER_PAYMENT> {
  const { organization, id, reference } = payment.state;
  return {
    ...withOrganization(organization, paymentView(payment)),
    created: recordedAt(id),
    reference,
  };
}

export function toEvent(type: PaymentEvent, payment: Payment): NewEvent {
  const { id, version, notifyUrl } = payment.state;
  return {
    type,
    object: id,
    sequence: version,
    data: JSON.stringify(paymentView(payment)),
    notifyUrl,
  };
}

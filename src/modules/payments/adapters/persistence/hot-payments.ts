import { hot, insertInto } from '../../../../engine/index.js';
import type { Caller } from '../../../../shared/caller.js';
import type { Write } from '../../../../shared/decision.js';
import { uuidOf } from '../../../../shared/id.js';
import type { Payment } from '../../domain/payment.js';
import { PaymentRecord } from './payment.record.js';

const PAYMENT = insertInto('new_payment', PaymentRecord);

export function recorded(caller: Caller, { state }: Payment): Write {
  const checkoutSession = state.checkoutSession && uuidOf(state.checkoutSession);
  const ids = { organizationId: uuidOf(caller.organization), id: uuidOf(state.id), checkoutSession };
  // Its session may be removed meanwhile, because nobody paid it for so long.
  const stale = ['payments_reference_key', 'payments_checkout_session_key', 'payments_checkout_session_fkey'];
  return hot(caller, PAYMENT, { ...state, ...ids }, { stale });
}

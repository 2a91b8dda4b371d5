import { hot, insertInto } from '../../../../engine/index.js';
import type { Caller } from '../../../../shared/caller.js';
import type { Write } from '../../../../shared/decision.js';
import { uuidOf } from '../../../../shared/id.js';
import type { Refund } from '../../domain/refund.js';
import { RefundRecord, timesOf } from './refund.record.js';

const REFUND = insertInto('new_refund', RefundRecord);

export function proposed(caller: Caller, { state }: Refund): Write {
  const organizationId = uuidOf(caller.organization);
  const ids = { organizationId, id: uuidOf(state.id), payment: uuidOf(state.payment) };
  const stale = ['refunds_reference_key', 'refunds_made_elsewhere_key'];
  return hot(caller, REFUND, { ...state, ...ids, ...timesOf(state) }, { stale });
}

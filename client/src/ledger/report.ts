/** Reports an outcome to Tillgate. */
import type { TillgateLedger } from '../client.js';
import type { Outcome } from './outcomes.js';
import type { LedgerRefund } from './settle.js';

const LONGEST_LEASE_SECONDS = 60 * 86_400;
const HOUR_SECONDS = 3600;
const LONGEST_REASON = 500;

/** Rejects with `refund_claimed` if another worker has claimed the refund meanwhile. */
export async function report(
  refunds: TillgateLedger['refunds'],
  refund: LedgerRefund,
  outcome: Outcome,
): Promise<unknown> {
  const { id, organization } = refund;
  const claim = refund.claim?.number ?? 0;
  switch (outcome.type) {
    case 'succeeded':
      return refunds.succeed(id, { organization, provider_reference: outcome.reference ?? null });
    case 'failed': {
      const failure = {
        organization,
        reason: [...outcome.reason].slice(0, LONGEST_REASON).join(''),
      };
      if (refund.status === 'succeeded') return refunds.return(id, failure);
      return refunds.fail(id, claim === 0 ? failure : { ...failure, claim });
    }
    case 'submitted': {
      const lease = { lease_seconds: LONGEST_LEASE_SECONDS, provider_reference: outcome.reference };
      return refunds.extend(id, { organization, claim, ...lease });
    }
    case 'later': {
      const wait = Math.min(
        outcome.seconds * 2 ** (claim - 1),
        Math.max(outcome.seconds, HOUR_SECONDS),
      );
      return refunds.release(id, { organization, claim, delay_seconds: Math.ceil(wait) });
    }
    case 'stuck':
      return refunds.extend(id, { organization, claim, lease_seconds: HOUR_SECONDS });
    default:
      return undefined;
  }
}

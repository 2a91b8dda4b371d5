import type { Traces } from '../../../../platform/facts.js';

const OF_SESSIONS = 'organization_id = $1 AND mode = $2 AND session_id = ANY ($3::uuid[])';
const REMOVE = `DELETE FROM checkout_pages WHERE ${OF_SESSIONS}`;

/** An address to pay at may name a customer. */
export const PAGE_TRACES: Traces = {
  // A bank transfer that is on its way becomes a payment of its session.
  kept: [`SELECT session_id AS id FROM late_payments WHERE ${OF_SESSIONS}`],
  clear: [REMOVE],
  remove: [REMOVE],
  said: { payment_url: () => 'https://redacted.invalid' },
};

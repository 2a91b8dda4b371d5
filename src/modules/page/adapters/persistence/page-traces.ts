import type { Traces } from '../../../../platform/facts.js';

const REMOVE = 'DELETE FROM checkout_pages WHERE organization_id = $1 AND mode = $2 AND session_id = ANY ($3::uuid[])';

/** An address to pay at may name a customer. */
export const PAGE_TRACES: Traces = {
  clear: [REMOVE],
  remove: [REMOVE],
  said: { payment_url: () => 'https://redacted.invalid' },
};

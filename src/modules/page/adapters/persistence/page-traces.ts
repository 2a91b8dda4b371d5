import type { Traces } from '../../../../platform/facts.js';

const REMOVE = {
  name: 'page.remove',
  text: `DELETE FROM checkout_pages WHERE organization_id = $1 AND mode = $2 AND session_id = ANY ($3::uuid[])`,
};

/** A session that is forgotten has no page, and no address to pay at, which may name a customer. */
export const PAGE_TRACES: Traces = {
  clear: [REMOVE],
  remove: [REMOVE],
  members: { payment_url: () => 'https://redacted.invalid' },
};

import type { PersonalData } from '../../../../platform/module-declaration.js';

const OF_SESSIONS = 'organization_id = $1 AND mode = $2 AND session_id = ANY ($3::uuid[])';
const REMOVE = `DELETE FROM checkout_pages WHERE ${OF_SESSIONS}`;

/** A payment URL may name a customer. */
export const PAGE_PERSONAL_DATA: readonly PersonalData[] = [
  {
    object: 'checkout.session',
    // A bank transfer that is on its way becomes a payment of its session.
    kept: `SELECT session_id AS id FROM late_payments WHERE ${OF_SESSIONS}`,
    clear: REMOVE,
    remove: REMOVE,
  },
  { object: 'checkout.page', members: { payment_url: () => 'https://redacted.invalid' } },
];

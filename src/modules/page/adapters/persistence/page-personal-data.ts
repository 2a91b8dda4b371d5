import type { OwnedIds, PersonalData } from '../../../../platform/module-declaration.js';

const ofSessions = ({ organization, mode, ids }: OwnedIds) =>
  `organization_id = ${organization} AND mode = ${mode} AND session_id = ANY (${ids}::uuid[])`;
const remove = (sessions: OwnedIds) => `DELETE FROM checkout_pages WHERE ${ofSessions(sessions)}`;

/** A payment URL may name a customer. */
export const PAGE_PERSONAL_DATA: readonly PersonalData[] = [
  {
    object: 'checkout.session',
    // A bank transfer that is on its way becomes a payment of its session.
    kept: (sessions) => `SELECT session_id AS id FROM late_payments WHERE ${ofSessions(sessions)}`,
    clear: remove,
    remove,
  },
  { object: 'checkout.page', members: { payment_url: () => 'https://redacted.invalid' } },
];

import type { OwnedIds, PersonalData } from '../../../../platform/module-declaration.js';

const these = (of: OwnedIds, column = 'id') =>
  `organization_id = ${of.organization} AND mode = ${of.mode}
    AND ${column} = ANY (${of.ids}::uuid[])`;

export const PAYMENT_PERSONAL_DATA: readonly PersonalData[] = [
  // A session that has a payment is kept.
  {
    object: 'checkout.session',
    kept: (sessions) => `SELECT checkout_session_id AS id FROM payments
      WHERE ${these(sessions, 'checkout_session_id')}`,
  },
  {
    object: 'payment',
    of: 'checkout.session',
    belonging: { table: 'payments', column: 'checkout_session_id' },
    // The update locks each payment, so that a reader of notify_url reads again.
    clear: (payments) => `UPDATE payments
      SET is_redacted = true, notify_url = NULL, details_since = NULL WHERE ${these(payments)}`,
    // The texts are due at once, even if some of them are being forgotten now.
    unfinished: (payments) =>
      `UPDATE payments SET details_since = '-infinity' WHERE ${these(payments)}`,
  },
  {
    object: 'payment.hold',
    of: 'payment',
    belonging: { table: 'payment_holds', column: 'payment_id' },
    clear: (holds) => `UPDATE payment_holds SET reason = NULL
      WHERE ${these(holds)} AND reason IS NOT NULL`,
    members: { reason: () => null },
  },
];

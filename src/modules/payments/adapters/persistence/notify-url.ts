/**
 * The query for where a payment's news go: to the session it was captured for, if that asked for any. Placeholders: $1
 * organization, $2 mode, $3 payment.
 */
export const NOTIFY_URL = `SELECT session.notify_url FROM payments payment JOIN checkout_sessions session
    ON session.organization_id = payment.organization_id AND session.mode = payment.mode
      AND session.id = payment.checkout_session_id
  WHERE payment.organization_id = $1 AND payment.mode = $2 AND payment.id = $3 AND session.notify_url IS NOT NULL`;

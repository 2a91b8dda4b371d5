/** The columns of sessions that invariants of other modules may read. */
export const SESSION_BOOK =
  '(SELECT organization_id, mode, id, payment_status, amount_total, currency FROM checkout_sessions)';

/** SQL: the notify_url of the session that a row of `table` refers to. */
export const notifyUrlFor = (table: string): string => `(SELECT notify_url FROM checkout_sessions
  WHERE organization_id = ${table}.organization_id AND mode = ${table}.mode AND id = ${table}.checkout_session_id)`;

/**
 * The query for where a payment's news go: to the session it was captured for, if that asked for any. Placeholders: $1
 * organization, $2 mode, $3 payment. Two look-ups by primary key, one in the other: as a join it was planned, before
 * the tables' first statistics, as a walk through all sessions of the organization.
 */
export const NOTIFY_URL = `SELECT notify_url FROM checkout_sessions
  WHERE organization_id = $1 AND mode = $2 AND notify_url IS NOT NULL AND id = (
    SELECT checkout_session_id FROM payments WHERE organization_id = $1 AND mode = $2 AND id = $3)`;

/** SQL in parentheses, for other modules: the organizations that have a key of live mode. */
export const LIVE_ORGANIZATIONS = `(SELECT DISTINCT organization_id FROM api_keys
  WHERE kind = 'secret' AND mode = 'live' AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now()))`;

-- access.any_key_allows
SELECT
FROM api_keys
WHERE allowed_origins @> $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())
LIMIT 1;

-- access.key_by_digest
SELECT id, organization_id AS "organizationId", kind, mode, display, allowed_origins AS "allowedOrigins",
  expires_at AS "expiresAt", revoked_at AS "revokedAt"
FROM api_keys
WHERE digest = $1;

-- access.lock_test_clock
INSERT INTO sandbox_clocks (organization_id, ahead_seconds, scheduled_seconds)
VALUES ($1, 0, 0) ON CONFLICT (organization_id) DO UPDATE
SET ahead_seconds = sandbox_clocks.ahead_seconds
RETURNING ahead_seconds AS "aheadSeconds", scheduled_seconds AS "scheduledSeconds";

-- access.moved_test_clocks
/* every organization: one job serves all clocks that were moved */
SELECT organization_id AS organization, ahead_seconds AS "aheadSeconds", scheduled_seconds AS
  "scheduledSeconds"
FROM sandbox_clocks
WHERE ahead_seconds > 0 AND organization_id > $2
ORDER BY organization_id
LIMIT $1;

-- access.organization
SELECT id, name, webhook_secret AS "webhookSecret", contact, terms_url AS "termsUrl", privacy_url AS
  "privacyUrl"
FROM organizations
WHERE id = $1;

-- access.origins
SELECT DISTINCT unnest(allowed_origins) AS origin
FROM api_keys
WHERE organization_id = $1 AND mode = $2 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $3)
ORDER BY origin;

-- access.test_clock
SELECT ahead_seconds AS seconds
FROM sandbox_clocks
WHERE organization_id = $1;

-- access.webhook_secrets
SELECT webhook_secret AS current, previous_webhook_secret AS previous, (extract(epoch FROM
  previous_webhook_secret_expires_at) * 1000)::bigint AS "previousExpiresAt"
FROM organizations
WHERE id = $1;

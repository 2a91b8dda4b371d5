-- access.all_origins
SELECT DISTINCT unnest(allowed_origins) AS origin
FROM api_keys
WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now());

-- access.key_by_digest
SELECT id, organization_id AS "organizationId", kind, mode, holder, rights, display, allowed_origins AS
  "allowedOrigins", expires_at AS "expiresAt", revoked_at AS "revokedAt", last_used_at AS "lastUsedAt"
FROM api_keys
WHERE digest = $1;

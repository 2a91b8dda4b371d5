-- access.all_origins
SELECT DISTINCT unnest(allowed_origins) AS origin
FROM api_keys
WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now());

-- access.key_by_digest
SELECT key.id, organization_id AS "organizationId", kind, mode, holder, rights, display, allowed_origins AS
  origins, expires_at AS "expiresAt", revoked_at AS "revokedAt", last_used_at AS "lastUsedAt", refund_approval
  = 'all' AS "allRefundsWait", unique_references AS "uniqueReferences", coalesce(last_used_at > now() -
  interval '1 hour', false) AS "isNoted"
FROM api_keys AS key
LEFT JOIN organizations ON organizations.id = organization_id
WHERE digest = $1;

-- access.key_used
UPDATE api_keys
SET last_used_at = now()
WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < now() - interval '1 hour');

-- access.test_clock
SELECT ahead_seconds AS "aheadSeconds"
FROM sandbox_clocks
WHERE organization_id = $1;

-- access.trail_floor
SELECT drawn, ARRAY(
  SELECT virtualtransaction
  FROM pg_locks
  WHERE drawn IS NOT NULL AND locktype = 'relation' AND granted AND database = (
    SELECT oid
    FROM pg_database
    WHERE datname = current_database()
  ) AND relation = 'operator_events'::regclass AND mode = 'RowExclusiveLock'
) AS writers
FROM (
  SELECT coalesce(pg_sequence_last_value('operator_events_position_seq'), 0) AS drawn OFFSET 0
) sequence;

-- operator keys
SELECT id, holder
FROM api_keys
WHERE kind = 'operator' AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now()) AND coalesce(last_used_at,
  to_timestamp(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000.0)) < now() - interval
  '90 days'
ORDER BY id;

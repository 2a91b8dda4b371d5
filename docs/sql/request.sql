-- idempotency.find
SELECT fingerprint, status, location, body, resource_id AS "resourceId"
FROM idempotency_keys
WHERE organization_id = $1 AND mode = $2 AND operation = $3 AND key = $4 AND expires_at > now();

-- idempotency.forget
DELETE
FROM idempotency_keys
WHERE organization_id = $1 AND mode = $2 AND operation = $3 AND key = $4 AND expires_at <= now();

-- idempotency.old
/* every organization: expired responses are removed for all */
SELECT organization_id AS organization, ctid AS place, expires_at::text AS "expiresAt", key
FROM idempotency_keys
WHERE expires_at <= now() AND (expires_at, key) > ($1, $2)
ORDER BY expires_at, key
LIMIT $3;

-- idempotency.sweep
/* both modes: expired responses of either go */
DELETE
FROM idempotency_keys
WHERE organization_id = $1 AND ctid = ANY (ARRAY(
  SELECT ctid
  FROM idempotency_keys
  WHERE organization_id = $1 AND ctid = ANY ($2::tid[]) AND expires_at <= now()
  FOR UPDATE SKIP LOCKED
));

-- new_key
INSERT INTO idempotency_keys (organization_id, mode, operation, key, fingerprint, status, location, body,
  resource_id, expires_at)
VALUES ($1::uuid, $2::mode, $3::text, $4::text, $5::bytea, $6::smallint, $7::text, $8::text, $9::uuid,
  $10::timestamptz);

-- new_key*
WITH new_key AS (
  SELECT v1::uuid AS organization_id, v2::mode AS mode, v3::text AS operation, v4::text AS key, v5::bytea AS
    fingerprint, v6::smallint AS status, v7::text AS location, v8::text AS body, v9::uuid AS resource_id,
    v10::timestamptz AS expires_at
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
    $9::text[], $10::text[]) AS sent (v1, v2, v3, v4, v5, v6, v7, v8, v9, v10)
)
INSERT INTO idempotency_keys (organization_id, mode, operation, key, fingerprint, status, location, body,
  resource_id, expires_at)
SELECT organization_id, mode, operation, key, fingerprint, status, location, body, resource_id, expires_at
FROM new_key;

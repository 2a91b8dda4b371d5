-- webhooks.advance
UPDATE webhook_deliveries AS delivery
SET next_attempt_at = (next_attempt_at AT TIME ZONE 'UTC' - make_interval(secs => $1)) AT TIME ZONE 'UTC'
WHERE organization_id = $2 AND mode = $3 AND receiver NOT LIKE 'ledger %' AND next_attempt_at > $4 AND (attempts
  = 0 OR EXISTS (
  SELECT
  FROM webhook_attempts AS made
  WHERE made.organization_id = $2 AND made.mode = $3 AND made.event_id = delivery.event_id AND
    made.endpoint_id = delivery.endpoint_id AND made.attempt = delivery.attempts
));

-- webhooks.attempts
SELECT nullif(endpoint_id, '00000000-0000-0000-0000-000000000000') AS endpoint, attempt, (extract(epoch FROM
  attempted_at) * 1000)::bigint AS "attemptedAt", status_code AS "statusCode", error, duration_ms AS
  "durationMs", CASE WHEN later > 0 OR outcome IS NULL AND (endpoint_id =
  '00000000-0000-0000-0000-000000000000' OR EXISTS (
  SELECT
  FROM webhook_endpoints
  WHERE organization_id = $1 AND mode = $2 AND id = endpoint_id AND enabled
)) THEN (extract(epoch FROM made.next_attempt_at) * 1000)::bigint END AS "nextAttemptAt"
FROM webhook_deliveries AS delivery
CROSS JOIN LATERAL (
  SELECT attempt, attempted_at, status_code, error, duration_ms, next_attempt_at, row_number() OVER (ORDER BY
    attempt DESC) - 1 AS later
  FROM webhook_attempts
  WHERE organization_id = $1 AND mode = $2 AND event_id = $3 AND endpoint_id = delivery.endpoint_id
  ORDER BY attempt DESC
  LIMIT 20
) AS made
WHERE organization_id = $1 AND mode = $2 AND event_id = $3 AND receiver NOT LIKE 'ledger %'
ORDER BY attempted_at, endpoint_id, attempt;

-- webhooks.busy
SELECT
FROM webhook_deliveries AS delivery
WHERE organization_id = $1 AND mode = $2 AND receiver NOT LIKE 'ledger %' AND next_attempt_at IS NOT NULL AND (next_attempt_at
  <= $3 OR NOT (attempts = 0 OR EXISTS (
  SELECT
  FROM webhook_attempts AS made
  WHERE made.organization_id = $1 AND made.mode = $2 AND made.event_id = delivery.event_id AND
    made.endpoint_id = delivery.endpoint_id AND made.attempt = delivery.attempts
)))
LIMIT 1;

-- webhooks.claim
/* both modes: a receiver has deliveries of either */ WITH claimed AS (
  UPDATE webhook_deliveries AS delivery
  SET attempts = least(attempts + 1, 32767), next_attempt_at = $2
  WHERE organization_id = $1 AND ctid = ANY (ARRAY(
    SELECT free.place
    FROM unnest($3::text[], $4::integer[]) AS share (receiver, take)
    CROSS JOIN LATERAL (
      SELECT ctid AS place
      FROM webhook_deliveries
      WHERE organization_id = $1 AND receiver = share.receiver AND next_attempt_at <= $5
      ORDER BY next_attempt_at, event_id
      LIMIT share.take OFFSET $6
      FOR UPDATE SKIP LOCKED
    ) AS free
  ))
  RETURNING mode, event_id, endpoint_id, url, receiver, attempts, (
    SELECT nullif(next_attempt_at, '-infinity')
    FROM webhook_deliveries
    WHERE organization_id = $1 AND mode = delivery.mode AND event_id = delivery.event_id AND endpoint_id =
      delivery.endpoint_id
  ) AS due_at
)
SELECT coalesce(endpoint.url, claimed.url) AS url, claimed.receiver AS stored, attempts AS attempt, (extract(epoch
  FROM due_at) * 1000)::bigint AS "dueAt", event.id, type, event.mode, event.sequence, data, reason, details,
  nullif(endpoint_id, '00000000-0000-0000-0000-000000000000') AS "endpointId", endpoint.enabled IS TRUE AS
  enabled, secret, previous, "previousExpiresAt", "failingSince"
FROM claimed
CROSS JOIN LATERAL (
  SELECT mode AS "mode", id AS "id", type AS "type", sequence_base + sequence AS "sequence", data AS "data",
    reason AS "reason", details AS "details"
  FROM events
  WHERE organization_id = $1 AND mode = claimed.mode AND id >= claimed.event_id
  ORDER BY id
  LIMIT 1
) AS event
LEFT JOIN LATERAL (
  SELECT url, enabled, secret, previous_secret AS previous, (extract(epoch FROM previous_secret_expires_at) *
    1000)::bigint AS "previousExpiresAt", (extract(epoch FROM failing_since) * 1000)::bigint AS "failingSince"
  FROM webhook_endpoints
  WHERE organization_id = $1 AND mode = claimed.mode AND id = claimed.endpoint_id
  UNION ALL
  SELECT url, enabled, secret, previous_secret AS previous, (extract(epoch FROM previous_secret_expires_at) *
    1000)::bigint AS "previousExpiresAt", (extract(epoch FROM failing_since) * 1000)::bigint AS "failingSince"
  FROM ledger_webhook_endpoints
  WHERE mode = claimed.mode AND id = claimed.endpoint_id
) AS endpoint ON true
WHERE event.id = claimed.event_id
ORDER BY event.id;

-- webhooks.due
/* both modes: a receiver has deliveries of either */ WITH RECURSIVE step AS ( (
  SELECT receiver, next_attempt_at
  FROM webhook_deliveries
  WHERE organization_id = $1 AND next_attempt_at IS NOT NULL AND receiver > $2
  ORDER BY receiver, next_attempt_at
  LIMIT 1
) UNION ALL SELECT next.receiver, next.next_attempt_at FROM step CROSS JOIN LATERAL (
  SELECT receiver, next_attempt_at
  FROM webhook_deliveries
  WHERE organization_id = $1 AND next_attempt_at IS NOT NULL AND receiver > step.receiver
  ORDER BY receiver, next_attempt_at
  LIMIT 1
) AS next )
SELECT receiver AS stored, next_attempt_at <= $4 AS "isDue"
FROM step
LIMIT $3;

-- webhooks.finish
WITH recorded AS (
  INSERT INTO webhook_attempts (organization_id, mode, event_id, endpoint_id, attempt, attempted_at,
    status_code, error, duration_ms, next_attempt_at)
  SELECT $1::uuid, mode, event_id, endpoint_id, attempt, attempted_at, status_code, error, duration_ms,
    next_attempt_at
  FROM unnest($2::mode[], $3::uuid[], $4::uuid[], $5::smallint[], $6::timestamptz[], $7::delivery_outcome[],
    $8::timestamptz[], $9::smallint[], $10::text[], $11::integer[], $12::timestamptz[]) AS finished (mode,
    event_id, endpoint_id, attempt, due_at, outcome, attempted_at, status_code, error, duration_ms,
    next_attempt_at)
  CROSS JOIN LATERAL (
    SELECT
    FROM webhook_deliveries
    WHERE organization_id = $1 AND mode = finished.mode AND event_id = finished.event_id AND endpoint_id =
      finished.endpoint_id
    LIMIT 1
  ) AS stored
  WHERE finished.attempted_at IS NOT NULL
)
UPDATE webhook_deliveries delivery
SET next_attempt_at = finished.due_at, outcome = finished.outcome
FROM unnest($2::mode[], $3::uuid[], $4::uuid[], $5::smallint[], $6::timestamptz[], $7::delivery_outcome[],
  $8::timestamptz[], $9::smallint[], $10::text[], $11::integer[], $12::timestamptz[]) AS finished (mode,
  event_id, endpoint_id, attempt, due_at, outcome, attempted_at, status_code, error, duration_ms,
  next_attempt_at)
WHERE delivery.organization_id = $1 AND delivery.mode = finished.mode AND delivery.event_id =
  finished.event_id AND delivery.endpoint_id = finished.endpoint_id AND delivery.attempts = finished.attempt
  AND delivery.outcome IS NULL;

-- webhooks.measure
/* every organization: counts all unfinished deliveries */ WITH unfinished AS (
  SELECT mode, next_attempt_at <= statement_timestamp() AS is_due, greatest(next_attempt_at, to_timestamp(('x'
    || left(replace(event_id::text, '-', ''), 12))::bit(48)::bigint / 1000.0)) AS since
  FROM webhook_deliveries
  WHERE next_attempt_at IS NOT NULL
  LIMIT 50000
), sums AS (
  SELECT mode, count(*) FILTER (WHERE is_due) AS due, count(*) FILTER (WHERE NOT is_due) AS later, min(since)
    FILTER (WHERE is_due) AS oldest
  FROM unfinished RIGHT
  JOIN (VALUES ('test'::mode), ('live'::mode)) AS each_mode (mode) USING (mode)
  GROUP BY mode
)
SELECT 'deliveries' AS gauge, json_build_object('mode', mode, 'state', 'due') AS labels, (due)::float8 AS
  value
FROM sums
UNION ALL
SELECT 'deliveries' AS gauge, json_build_object('mode', mode, 'state', 'later') AS labels, (later)::float8 AS
  value
FROM sums
UNION ALL
SELECT 'oldest' AS gauge, json_build_object('mode', mode) AS labels, (coalesce(greatest(0, extract(epoch FROM
  statement_timestamp() - oldest)), 0))::float8 AS value
FROM sums;

-- webhooks.organizations
/* every organization: finds those with unfinished deliveries */
SELECT organization_id AS organization, count(*)::integer AS deliveries
FROM (
  SELECT organization_id
  FROM webhook_deliveries
  WHERE next_attempt_at IS NOT NULL AND organization_id > $1
  ORDER BY organization_id
  LIMIT 500
) AS waiting
GROUP BY organization_id
ORDER BY organization_id;

-- webhooks.undelivered
SELECT event_id AS id
FROM webhook_deliveries
WHERE organization_id = $1 AND mode = $2 AND event_id = (
  SELECT id
  FROM events
  WHERE organization_id = $1 AND mode = $2 AND object_id = $3 AND type = $4
  LIMIT 1
) AND outcome IS NULL AND receiver NOT LIKE 'ledger %'
LIMIT 1;

-- events.attempts
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

-- events.floor
SELECT drawn, ARRAY(
  SELECT virtualtransaction
  FROM pg_locks
  WHERE drawn IS NOT NULL AND locktype = 'relation' AND granted AND database = (
    SELECT oid
    FROM pg_database
    WHERE datname = current_database()
  ) AND relation = 'events'::regclass AND mode = 'RowExclusiveLock'
) AS writers
FROM (
  SELECT coalesce(pg_sequence_last_value('events_position_seq'), 0) AS drawn OFFSET 0
) sequence;

-- events.ledger_list_all_asc
/* every organization: the ledger reads the events of all */ WITH places AS MATERIALIZED (
  SELECT coalesce((
    SELECT position
    FROM (
      SELECT found.*
      FROM unnest($5::text[]) AS wanted (name)
      CROSS JOIN LATERAL (
        SELECT position, id
        FROM events
        WHERE mode = $1 AND type = wanted.name AND id <= $2
        ORDER BY id DESC
        LIMIT 1
      ) AS found
    ) AS each
    ORDER BY id DESC
    LIMIT 1
  ), 0) AS low, coalesce((
    SELECT position
    FROM (
      SELECT found.*
      FROM unnest($5::text[]) AS wanted (name)
      CROSS JOIN LATERAL (
        SELECT position, id
        FROM events
        WHERE mode = $1 AND type = wanted.name AND id >= $3
        ORDER BY id
        LIMIT 1
      ) AS found
    ) AS each
    ORDER BY id
    LIMIT 1
  ), 9223372036854775807) AS high
)
SELECT organization_id AS organization, mode AS "mode", id AS "id", type AS "type", sequence_base + sequence
  AS "sequence", data AS "data", reason AS "reason", details AS "details", followed
FROM (
  SELECT *, sum(octet_length(data)) OVER page - octet_length(data) AS before, lead(id) OVER page IS NOT NULL
    AS followed
  FROM (
    SELECT found.*
    FROM unnest($5::text[]) AS wanted (name)
    CROSS JOIN LATERAL (
      SELECT *
      FROM events
      WHERE mode = $1 AND type = wanted.name AND id > $6 AND id < $7 AND position <= $8 AND (position, id) > ((SELECT
        low FROM places), $2) AND (position, id) < ((SELECT high FROM places), $3)
      ORDER BY position asc, id asc
      LIMIT $4
    ) AS found
    ORDER BY position asc, id asc
    LIMIT $4
  ) found
  WINDOW page AS (ORDER BY position asc, id asc ROWS UNBOUNDED PRECEDING)
) measured
WHERE before < 1048576
ORDER BY position asc, id asc;

-- events.ledger_list_all_asc on Citus
/* every organization: the ledger reads the events of all */
SELECT organization_id AS organization, mode AS "mode", id AS "id", type AS "type", sequence_base + sequence
  AS "sequence", data AS "data", reason AS "reason", details AS "details", followed
FROM (
  SELECT *, sum(octet_length(data)) OVER page - octet_length(data) AS before, lead(id) OVER page IS NOT NULL
    AS followed
  FROM (
    SELECT *
    FROM events
    WHERE mode = $1 AND type = ANY ($5) AND id > $2 AND id < $3 AND id > $6 AND id < $7 AND position <= $8
    ORDER BY id asc
    LIMIT $4
  ) found
  WINDOW page AS (ORDER BY id asc ROWS UNBOUNDED PRECEDING)
) measured
WHERE before < 1048576
ORDER BY id asc;

-- events.ledger_list_all_desc
/* every organization: the ledger reads the events of all */ WITH places AS MATERIALIZED (
  SELECT coalesce((
    SELECT position
    FROM (
      SELECT found.*
      FROM unnest($5::text[]) AS wanted (name)
      CROSS JOIN LATERAL (
        SELECT position, id
        FROM events
        WHERE mode = $1 AND type = wanted.name AND id <= $2
        ORDER BY id DESC
        LIMIT 1
      ) AS found
    ) AS each
    ORDER BY id DESC
    LIMIT 1
  ), 0) AS low, coalesce((
    SELECT position
    FROM (
      SELECT found.*
      FROM unnest($5::text[]) AS wanted (name)
      CROSS JOIN LATERAL (
        SELECT position, id
        FROM events
        WHERE mode = $1 AND type = wanted.name AND id >= $3
        ORDER BY id
        LIMIT 1
      ) AS found
    ) AS each
    ORDER BY id
    LIMIT 1
  ), 9223372036854775807) AS high
)
SELECT organization_id AS organization, mode AS "mode", id AS "id", type AS "type", sequence_base + sequence
  AS "sequence", data AS "data", reason AS "reason", details AS "details", followed
FROM (
  SELECT *, sum(octet_length(data)) OVER page - octet_length(data) AS before, lead(id) OVER page IS NOT NULL
    AS followed
  FROM (
    SELECT found.*
    FROM unnest($5::text[]) AS wanted (name)
    CROSS JOIN LATERAL (
      SELECT *
      FROM events
      WHERE mode = $1 AND type = wanted.name AND id > $6 AND id < $7 AND position <= $8 AND (position, id) > ((SELECT
        low FROM places), $2) AND (position, id) < ((SELECT high FROM places), $3)
      ORDER BY position desc, id desc
      LIMIT $4
    ) AS found
    ORDER BY position desc, id desc
    LIMIT $4
  ) found
  WINDOW page AS (ORDER BY position desc, id desc ROWS UNBOUNDED PRECEDING)
) measured
WHERE before < 1048576
ORDER BY position desc, id desc;

-- events.ledger_list_all_desc on Citus
/* every organization: the ledger reads the events of all */
SELECT organization_id AS organization, mode AS "mode", id AS "id", type AS "type", sequence_base + sequence
  AS "sequence", data AS "data", reason AS "reason", details AS "details", followed
FROM (
  SELECT *, sum(octet_length(data)) OVER page - octet_length(data) AS before, lead(id) OVER page IS NOT NULL
    AS followed
  FROM (
    SELECT *
    FROM events
    WHERE mode = $1 AND type = ANY ($5) AND id > $2 AND id < $3 AND id > $6 AND id < $7 AND position <= $8
    ORDER BY id desc
    LIMIT $4
  ) found
  WINDOW page AS (ORDER BY id desc ROWS UNBOUNDED PRECEDING)
) measured
WHERE before < 1048576
ORDER BY id desc;

-- events.ledger_list_object_asc
/* every organization: the ledger reads the events of all */ WITH places AS MATERIALIZED (
  SELECT coalesce((
    SELECT position
    FROM (
      SELECT found.*
      FROM unnest($5::text[]) AS wanted (name)
      CROSS JOIN LATERAL (
        SELECT position, id
        FROM events
        WHERE mode = $1 AND type = wanted.name AND id <= $2
        ORDER BY id DESC
        LIMIT 1
      ) AS found
    ) AS each
    ORDER BY id DESC
    LIMIT 1
  ), 0) AS low, coalesce((
    SELECT position
    FROM (
      SELECT found.*
      FROM unnest($5::text[]) AS wanted (name)
      CROSS JOIN LATERAL (
        SELECT position, id
        FROM events
        WHERE mode = $1 AND type = wanted.name AND id >= $3
        ORDER BY id
        LIMIT 1
      ) AS found
    ) AS each
    ORDER BY id
    LIMIT 1
  ), 9223372036854775807) AS high
)
SELECT organization_id AS organization, mode AS "mode", id AS "id", type AS "type", sequence_base + sequence
  AS "sequence", data AS "data", reason AS "reason", details AS "details", followed
FROM (
  SELECT *, sum(octet_length(data)) OVER page - octet_length(data) AS before, lead(id) OVER page IS NOT NULL
    AS followed
  FROM (
    SELECT found.*
    FROM unnest($5::text[]) AS wanted (name)
    CROSS JOIN LATERAL (
      SELECT *
      FROM events
      WHERE mode = $1 AND type = wanted.name AND id > $6 AND id < $7 AND position <= $8 AND object_id = $9 AND (position,
        id) > ((SELECT low FROM places), $2) AND (position, id) < ((SELECT high FROM places), $3)
      ORDER BY position asc, id asc
      LIMIT $4
    ) AS found
    ORDER BY position asc, id asc
    LIMIT $4
  ) found
  WINDOW page AS (ORDER BY position asc, id asc ROWS UNBOUNDED PRECEDING)
) measured
WHERE before < 1048576
ORDER BY position asc, id asc;

-- events.ledger_list_object_asc on Citus
/* every organization: the ledger reads the events of all */
SELECT organization_id AS organization, mode AS "mode", id AS "id", type AS "type", sequence_base + sequence
  AS "sequence", data AS "data", reason AS "reason", details AS "details", followed
FROM (
  SELECT *, sum(octet_length(data)) OVER page - octet_length(data) AS before, lead(id) OVER page IS NOT NULL
    AS followed
  FROM (
    SELECT *
    FROM events
    WHERE mode = $1 AND type = ANY ($5) AND id > $2 AND id < $3 AND id > $6 AND id < $7 AND position <= $8 AND
      object_id = $9
    ORDER BY id asc
    LIMIT $4
  ) found
  WINDOW page AS (ORDER BY id asc ROWS UNBOUNDED PRECEDING)
) measured
WHERE before < 1048576
ORDER BY id asc;

-- events.ledger_list_object_desc
/* every organization: the ledger reads the events of all */ WITH places AS MATERIALIZED (
  SELECT coalesce((
    SELECT position
    FROM (
      SELECT found.*
      FROM unnest($5::text[]) AS wanted (name)
      CROSS JOIN LATERAL (
        SELECT position, id
        FROM events
        WHERE mode = $1 AND type = wanted.name AND id <= $2
        ORDER BY id DESC
        LIMIT 1
      ) AS found
    ) AS each
    ORDER BY id DESC
    LIMIT 1
  ), 0) AS low, coalesce((
    SELECT position
    FROM (
      SELECT found.*
      FROM unnest($5::text[]) AS wanted (name)
      CROSS JOIN LATERAL (
        SELECT position, id
        FROM events
        WHERE mode = $1 AND type = wanted.name AND id >= $3
        ORDER BY id
        LIMIT 1
      ) AS found
    ) AS each
    ORDER BY id
    LIMIT 1
  ), 9223372036854775807) AS high
)
SELECT organization_id AS organization, mode AS "mode", id AS "id", type AS "type", sequence_base + sequence
  AS "sequence", data AS "data", reason AS "reason", details AS "details", followed
FROM (
  SELECT *, sum(octet_length(data)) OVER page - octet_length(data) AS before, lead(id) OVER page IS NOT NULL
    AS followed
  FROM (
    SELECT found.*
    FROM unnest($5::text[]) AS wanted (name)
    CROSS JOIN LATERAL (
      SELECT *
      FROM events
      WHERE mode = $1 AND type = wanted.name AND id > $6 AND id < $7 AND position <= $8 AND object_id = $9 AND (position,
        id) > ((SELECT low FROM places), $2) AND (position, id) < ((SELECT high FROM places), $3)
      ORDER BY position desc, id desc
      LIMIT $4
    ) AS found
    ORDER BY position desc, id desc
    LIMIT $4
  ) found
  WINDOW page AS (ORDER BY position desc, id desc ROWS UNBOUNDED PRECEDING)
) measured
WHERE before < 1048576
ORDER BY position desc, id desc;

-- events.ledger_list_object_desc on Citus
/* every organization: the ledger reads the events of all */
SELECT organization_id AS organization, mode AS "mode", id AS "id", type AS "type", sequence_base + sequence
  AS "sequence", data AS "data", reason AS "reason", details AS "details", followed
FROM (
  SELECT *, sum(octet_length(data)) OVER page - octet_length(data) AS before, lead(id) OVER page IS NOT NULL
    AS followed
  FROM (
    SELECT *
    FROM events
    WHERE mode = $1 AND type = ANY ($5) AND id > $2 AND id < $3 AND id > $6 AND id < $7 AND position <= $8 AND
      object_id = $9
    ORDER BY id desc
    LIMIT $4
  ) found
  WINDOW page AS (ORDER BY id desc ROWS UNBOUNDED PRECEDING)
) measured
WHERE before < 1048576
ORDER BY id desc;

-- events.list_all_asc
SELECT mode AS "mode", id AS "id", type AS "type", sequence_base + sequence AS "sequence", data AS "data",
  reason AS "reason", details AS "details", followed
FROM (
  SELECT *, sum(octet_length(data)) OVER page - octet_length(data) AS before, lead(id) OVER page IS NOT NULL
    AS followed
  FROM (
    SELECT *
    FROM events
    WHERE organization_id = $1 AND mode = $2 AND id > $6 AND id < $7 AND CASE WHEN $8::bigint IS NULL THEN
      true ELSE CASE WHEN substr(id::text, 16, 1) < '8' THEN ('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint
      / 1000 ELSE ('x' || right(id::text, 8))::bit(32)::bigint END >= $8 AND CASE WHEN substr(id::text, 16, 1)
      < '8' THEN ('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000 ELSE ('x' || right(id::text,
      8))::bit(32)::bigint END < $9::bigint END AND position <= $10 AND (position, id) > (coalesce((
      SELECT position
      FROM events
      WHERE organization_id = $1 AND mode = $2 AND id <= $3
      ORDER BY id DESC
      LIMIT 1
    ), 0), $3) AND (position, id) < (coalesce((
      SELECT position
      FROM events
      WHERE organization_id = $1 AND mode = $2 AND id >= $4
      ORDER BY id
      LIMIT 1
    ), 9223372036854775807), $4)
    ORDER BY position asc, id asc
    LIMIT $5
  ) found
  WINDOW page AS (ORDER BY position asc, id asc ROWS UNBOUNDED PRECEDING)
) measured
WHERE before < 1048576
ORDER BY position asc, id asc;

-- events.list_all_desc
SELECT mode AS "mode", id AS "id", type AS "type", sequence_base + sequence AS "sequence", data AS "data",
  reason AS "reason", details AS "details", followed
FROM (
  SELECT *, sum(octet_length(data)) OVER page - octet_length(data) AS before, lead(id) OVER page IS NOT NULL
    AS followed
  FROM (
    SELECT *
    FROM events
    WHERE organization_id = $1 AND mode = $2 AND id > $6 AND id < $7 AND CASE WHEN $8::bigint IS NULL THEN
      true ELSE CASE WHEN substr(id::text, 16, 1) < '8' THEN ('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint
      / 1000 ELSE ('x' || right(id::text, 8))::bit(32)::bigint END >= $8 AND CASE WHEN substr(id::text, 16, 1)
      < '8' THEN ('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000 ELSE ('x' || right(id::text,
      8))::bit(32)::bigint END < $9::bigint END AND position <= $10 AND (position, id) > (coalesce((
      SELECT position
      FROM events
      WHERE organization_id = $1 AND mode = $2 AND id <= $3
      ORDER BY id DESC
      LIMIT 1
    ), 0), $3) AND (position, id) < (coalesce((
      SELECT position
      FROM events
      WHERE organization_id = $1 AND mode = $2 AND id >= $4
      ORDER BY id
      LIMIT 1
    ), 9223372036854775807), $4)
    ORDER BY position desc, id desc
    LIMIT $5
  ) found
  WINDOW page AS (ORDER BY position desc, id desc ROWS UNBOUNDED PRECEDING)
) measured
WHERE before < 1048576
ORDER BY position desc, id desc;

-- events.list_object_asc
WITH own AS MATERIALIZED (
  SELECT *
  FROM events
  WHERE organization_id = $1 AND mode = $2 AND id > $6 AND id < $7 AND CASE WHEN $8::bigint IS NULL THEN true
    ELSE CASE WHEN substr(id::text, 16, 1) < '8' THEN ('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint
    / 1000 ELSE ('x' || right(id::text, 8))::bit(32)::bigint END >= $8 AND CASE WHEN substr(id::text, 16, 1) <
    '8' THEN ('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000 ELSE ('x' || right(id::text,
    8))::bit(32)::bigint END < $9::bigint END AND position <= $10 AND object_id = ANY (ARRAY(SELECT $11::uuid))
    AND type = ANY ($12) AND object_id = coalesce($13, object_id)
)
SELECT mode AS "mode", id AS "id", type AS "type", sequence_base + sequence AS "sequence", data AS "data",
  reason AS "reason", details AS "details", followed
FROM (
  SELECT *, sum(octet_length(data)) OVER page - octet_length(data) AS before, lead(id) OVER page IS NOT NULL
    AS followed
  FROM (
    SELECT *
    FROM own
    WHERE (position, id) > (coalesce((
      SELECT position
      FROM events
      WHERE organization_id = $1 AND mode = $2 AND id <= $3
      ORDER BY id DESC
      LIMIT 1
    ), 0), $3) AND (position, id) < (coalesce((
      SELECT position
      FROM events
      WHERE organization_id = $1 AND mode = $2 AND id >= $4
      ORDER BY id
      LIMIT 1
    ), 9223372036854775807), $4)
    ORDER BY position asc, id asc
    LIMIT $5
  ) found
  WINDOW page AS (ORDER BY position asc, id asc ROWS UNBOUNDED PRECEDING)
) measured
WHERE before < 1048576
ORDER BY position asc, id asc;

-- events.list_object_desc
WITH own AS MATERIALIZED (
  SELECT *
  FROM events
  WHERE organization_id = $1 AND mode = $2 AND id > $6 AND id < $7 AND CASE WHEN $8::bigint IS NULL THEN true
    ELSE CASE WHEN substr(id::text, 16, 1) < '8' THEN ('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint
    / 1000 ELSE ('x' || right(id::text, 8))::bit(32)::bigint END >= $8 AND CASE WHEN substr(id::text, 16, 1) <
    '8' THEN ('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000 ELSE ('x' || right(id::text,
    8))::bit(32)::bigint END < $9::bigint END AND position <= $10 AND object_id = ANY (ARRAY(SELECT $11::uuid))
    AND type = ANY ($12) AND object_id = coalesce($13, object_id)
)
SELECT mode AS "mode", id AS "id", type AS "type", sequence_base + sequence AS "sequence", data AS "data",
  reason AS "reason", details AS "details", followed
FROM (
  SELECT *, sum(octet_length(data)) OVER page - octet_length(data) AS before, lead(id) OVER page IS NOT NULL
    AS followed
  FROM (
    SELECT *
    FROM own
    WHERE (position, id) > (coalesce((
      SELECT position
      FROM events
      WHERE organization_id = $1 AND mode = $2 AND id <= $3
      ORDER BY id DESC
      LIMIT 1
    ), 0), $3) AND (position, id) < (coalesce((
      SELECT position
      FROM events
      WHERE organization_id = $1 AND mode = $2 AND id >= $4
      ORDER BY id
      LIMIT 1
    ), 9223372036854775807), $4)
    ORDER BY position desc, id desc
    LIMIT $5
  ) found
  WINDOW page AS (ORDER BY position desc, id desc ROWS UNBOUNDED PRECEDING)
) measured
WHERE before < 1048576
ORDER BY position desc, id desc;

-- events.list_type_asc
SELECT mode AS "mode", id AS "id", type AS "type", sequence_base + sequence AS "sequence", data AS "data",
  reason AS "reason", details AS "details", followed
FROM (
  SELECT *, sum(octet_length(data)) OVER page - octet_length(data) AS before, lead(id) OVER page IS NOT NULL
    AS followed
  FROM (
    SELECT *
    FROM events
    WHERE organization_id = $1 AND mode = $2 AND id > $6 AND id < $7 AND CASE WHEN $8::bigint IS NULL THEN
      true ELSE CASE WHEN substr(id::text, 16, 1) < '8' THEN ('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint
      / 1000 ELSE ('x' || right(id::text, 8))::bit(32)::bigint END >= $8 AND CASE WHEN substr(id::text, 16, 1)
      < '8' THEN ('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000 ELSE ('x' || right(id::text,
      8))::bit(32)::bigint END < $9::bigint END AND position <= $10 AND (type, position, id) > ($11, coalesce((
      SELECT position
      FROM events
      WHERE organization_id = $1 AND mode = $2 AND id <= $3
      ORDER BY id DESC
      LIMIT 1
    ), 0), $3) AND (type, position, id) < ($11, coalesce((
      SELECT position
      FROM events
      WHERE organization_id = $1 AND mode = $2 AND id >= $4
      ORDER BY id
      LIMIT 1
    ), 9223372036854775807), $4)
    ORDER BY type asc, position asc, id asc
    LIMIT $5
  ) found
  WINDOW page AS (ORDER BY type asc, position asc, id asc ROWS UNBOUNDED PRECEDING)
) measured
WHERE before < 1048576
ORDER BY type asc, position asc, id asc;

-- events.list_type_desc
SELECT mode AS "mode", id AS "id", type AS "type", sequence_base + sequence AS "sequence", data AS "data",
  reason AS "reason", details AS "details", followed
FROM (
  SELECT *, sum(octet_length(data)) OVER page - octet_length(data) AS before, lead(id) OVER page IS NOT NULL
    AS followed
  FROM (
    SELECT *
    FROM events
    WHERE organization_id = $1 AND mode = $2 AND id > $6 AND id < $7 AND CASE WHEN $8::bigint IS NULL THEN
      true ELSE CASE WHEN substr(id::text, 16, 1) < '8' THEN ('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint
      / 1000 ELSE ('x' || right(id::text, 8))::bit(32)::bigint END >= $8 AND CASE WHEN substr(id::text, 16, 1)
      < '8' THEN ('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000 ELSE ('x' || right(id::text,
      8))::bit(32)::bigint END < $9::bigint END AND position <= $10 AND (type, position, id) > ($11, coalesce((
      SELECT position
      FROM events
      WHERE organization_id = $1 AND mode = $2 AND id <= $3
      ORDER BY id DESC
      LIMIT 1
    ), 0), $3) AND (type, position, id) < ($11, coalesce((
      SELECT position
      FROM events
      WHERE organization_id = $1 AND mode = $2 AND id >= $4
      ORDER BY id
      LIMIT 1
    ), 9223372036854775807), $4)
    ORDER BY type desc, position desc, id desc
    LIMIT $5
  ) found
  WINDOW page AS (ORDER BY type desc, position desc, id desc ROWS UNBOUNDED PRECEDING)
) measured
WHERE before < 1048576
ORDER BY type desc, position desc, id desc;

-- events.measure
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
  JOIN (VALUES ('test'), ('live')) AS each_mode (mode) USING (mode)
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

-- events.old
/* every organization: removes old events of all of them */
SELECT organization_id AS organization, ctid AS place, id
FROM events
WHERE mode = $2 AND type = $3 AND id > $5 AND id < $1
ORDER BY id
LIMIT $4;

-- events.remove
/* both modes: the places are those of one */ WITH removed AS (
  DELETE
  FROM events
  WHERE organization_id = $1 AND ctid = ANY (ARRAY(
    SELECT ctid
    FROM events
    WHERE organization_id = $1 AND ctid = ANY ($2::tid[]) AND id < $3
    FOR UPDATE SKIP LOCKED
  ))
  RETURNING organization_id, mode, id
), deliveries AS (
  DELETE
  FROM webhook_deliveries delivery USING removed
  WHERE delivery.organization_id = $1 AND delivery.mode = removed.mode AND delivery.event_id = removed.id
)
SELECT
FROM removed;

-- events.undelivered
SELECT id
FROM events
WHERE organization_id = $1 AND mode = $2 AND object_id = $3 AND type = $4 AND EXISTS (
  SELECT
  FROM webhook_deliveries
  WHERE organization_id = $1 AND mode = $2 AND event_id = events.id AND outcome IS NULL AND receiver NOT LIKE
    'ledger %'
);

-- new_event
WITH new_event AS NOT MATERIALIZED (
  SELECT $1::uuid AS organization_id, $2::text AS mode, $3::uuid AS id, $4::text AS type, $5::uuid AS
    object_id, $6::smallint AS sequence, $7::integer AS sequence_base, $8::text AS data, $9::text AS reason,
    $10::text AS details, $11::text AS url, $12::text AS receiver
), part_1 AS (
  INSERT INTO webhook_deliveries (organization_id, mode, event_id, endpoint_id, url, receiver, attempts,
    next_attempt_at)
  SELECT endpoint.organization_id, endpoint.mode, event.id, endpoint.id, endpoint.url, endpoint.receiver, 0,
    '-infinity'
  FROM new_event AS event
  JOIN webhook_endpoints AS endpoint ON endpoint.organization_id = event.organization_id AND endpoint.mode =
    event.mode AND endpoint.enabled AND endpoint.events && ARRAY['*', event.type]
), part_2 AS (
  INSERT INTO webhook_deliveries (organization_id, mode, event_id, endpoint_id, url, receiver, attempts,
    next_attempt_at)
  SELECT event.organization_id, endpoint.mode, event.id, endpoint.id, endpoint.url, endpoint.receiver, 0,
    '-infinity'
  FROM new_event AS event
  JOIN ledger_webhook_endpoints AS endpoint ON endpoint.mode = event.mode AND endpoint.enabled AND
    endpoint.events && ARRAY['*', event.type]
), part_3 AS (
  INSERT INTO webhook_deliveries (organization_id, mode, event_id, endpoint_id, url, receiver, attempts,
    next_attempt_at)
  SELECT event.organization_id, event.mode, event.id, '00000000-0000-0000-0000-000000000000', event.url,
    event.receiver, 0, '-infinity'
  FROM new_event AS event
  WHERE event.url IS NOT NULL AND NOT EXISTS (
    SELECT
    FROM webhook_endpoints AS endpoint
    WHERE endpoint.organization_id = event.organization_id AND endpoint.mode = event.mode AND endpoint.enabled
      AND endpoint.events && ARRAY['*', event.type] AND endpoint.url = event.url
  )
)
INSERT INTO events (organization_id, mode, id, type, object_id, sequence, sequence_base, data, reason, details)
VALUES ($1::uuid, $2::text, $3::uuid, $4::text, $5::uuid, $6::smallint, $7::integer, $8::text, $9::text,
  $10::text);

-- new_event*
WITH new_event AS (
  SELECT v1::uuid AS organization_id, v2::text AS mode, v3::uuid AS id, v4::text AS type, v5::uuid AS
    object_id, v6::smallint AS sequence, v7::integer AS sequence_base, v8::text AS data, v9::text AS reason,
    v10::text AS details, v11::text AS url, v12::text AS receiver
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
    $9::text[], $10::text[], $11::text[], $12::text[]) AS sent (v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11,
    v12)
), part_1 AS (
  INSERT INTO webhook_deliveries (organization_id, mode, event_id, endpoint_id, url, receiver, attempts,
    next_attempt_at)
  SELECT endpoint.organization_id, endpoint.mode, event.id, endpoint.id, endpoint.url, endpoint.receiver, 0,
    '-infinity'
  FROM new_event AS event
  JOIN webhook_endpoints AS endpoint ON endpoint.organization_id = event.organization_id AND endpoint.mode =
    event.mode AND endpoint.enabled AND endpoint.events && ARRAY['*', event.type]
), part_2 AS (
  INSERT INTO webhook_deliveries (organization_id, mode, event_id, endpoint_id, url, receiver, attempts,
    next_attempt_at)
  SELECT event.organization_id, endpoint.mode, event.id, endpoint.id, endpoint.url, endpoint.receiver, 0,
    '-infinity'
  FROM new_event AS event
  JOIN ledger_webhook_endpoints AS endpoint ON endpoint.mode = event.mode AND endpoint.enabled AND
    endpoint.events && ARRAY['*', event.type]
), part_3 AS (
  INSERT INTO webhook_deliveries (organization_id, mode, event_id, endpoint_id, url, receiver, attempts,
    next_attempt_at)
  SELECT event.organization_id, event.mode, event.id, '00000000-0000-0000-0000-000000000000', event.url,
    event.receiver, 0, '-infinity'
  FROM new_event AS event
  WHERE event.url IS NOT NULL AND NOT EXISTS (
    SELECT
    FROM webhook_endpoints AS endpoint
    WHERE endpoint.organization_id = event.organization_id AND endpoint.mode = event.mode AND endpoint.enabled
      AND endpoint.events && ARRAY['*', event.type] AND endpoint.url = event.url
  )
)
INSERT INTO events (organization_id, mode, id, type, object_id, sequence, sequence_base, data, reason, details)
SELECT organization_id, mode, id, type, object_id, sequence, sequence_base, data, reason, details
FROM new_event;

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
  SET attempts = least(attempts + 1, 32767), next_attempt_at = $5
  WHERE organization_id = $1 AND ctid = ANY (ARRAY(
    SELECT free.place
    FROM unnest($2::text[], $3::integer[], $6::integer[]) AS share (receiver, take, skip)
    CROSS JOIN LATERAL (
      SELECT ctid AS place
      FROM webhook_deliveries
      WHERE organization_id = $1 AND receiver = share.receiver AND next_attempt_at <= $4
      ORDER BY next_attempt_at, event_id
      LIMIT share.take OFFSET share.skip
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
  "isOpen", secret, previous, "previousExpiresAt", "failingSince"
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
  SELECT organization_id, mode, event_id, endpoint_id, attempt, attempted_at, status_code, error, duration_ms,
    finished.next_attempt_at
  FROM webhook_deliveries
  JOIN unnest($2::text[], $3::uuid[], $4::uuid[], $5::smallint[], $6::timestamptz[], $7::text[],
    $8::timestamptz[], $9::smallint[], $10::text[], $11::integer[], $12::timestamptz[]) AS finished (mode,
    event_id, endpoint_id, attempt, due_at, outcome, attempted_at, status_code, error, duration_ms,
    next_attempt_at) USING (mode, event_id, endpoint_id)
  WHERE organization_id = $1 AND finished.attempted_at IS NOT NULL
)
UPDATE webhook_deliveries delivery
SET next_attempt_at = finished.due_at, outcome = finished.outcome
FROM unnest($2::text[], $3::uuid[], $4::uuid[], $5::smallint[], $6::timestamptz[], $7::text[], $8::timestamptz[],
  $9::smallint[], $10::text[], $11::integer[], $12::timestamptz[]) AS finished (mode, event_id, endpoint_id,
  attempt, due_at, outcome, attempted_at, status_code, error, duration_ms, next_attempt_at)
WHERE delivery.organization_id = $1 AND delivery.mode = finished.mode AND delivery.event_id =
  finished.event_id AND delivery.endpoint_id = finished.endpoint_id AND delivery.attempts = finished.attempt
  AND delivery.outcome IS NULL;

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

-- webhooks.recipients
SELECT id AS endpoint, url, coalesce((
  SELECT attempts
  FROM webhook_deliveries
  WHERE organization_id = $1 AND mode = $2 AND event_id = $3 AND endpoint_id = endpoint.id
), 0) AS attempts
FROM webhook_endpoints endpoint
WHERE organization_id = $1 AND mode = $2 AND CASE WHEN $5::uuid IS NULL THEN endpoint.enabled AND
  endpoint.events && ARRAY['*', $4::text] ELSE id = $5 AND enabled END
UNION ALL
SELECT NULL, url, attempts
FROM webhook_deliveries
WHERE organization_id = $1 AND mode = $2 AND event_id = $3 AND endpoint_id =
  '00000000-0000-0000-0000-000000000000' AND $5::uuid IS NULL;

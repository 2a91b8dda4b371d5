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

-- events.ledger_list_asc
/* every organization: the ledger reads the events of all */ WITH places AS MATERIALIZED (
  SELECT coalesce((
    SELECT position
    FROM (
      SELECT found.*
      FROM unnest($8::text[]) AS wanted (name)
      CROSS JOIN LATERAL (
        SELECT position, id
        FROM events
        WHERE mode = $1 AND type = wanted.name AND id <= $2 AND position >= 0
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
      FROM unnest($8::text[]) AS wanted (name)
      CROSS JOIN LATERAL (
        SELECT position, id
        FROM events
        WHERE mode = $1 AND type = wanted.name AND id >= $3 AND position >= 0
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
    FROM unnest($8::text[]) AS wanted (name)
    CROSS JOIN LATERAL (
      SELECT *
      FROM events
      WHERE mode = $1 AND type = wanted.name AND id > $5 AND id < $6 AND position + 0 <= $7 AND (position, id)
        > ((SELECT low FROM places), $2) AND (position, id) < ((SELECT high FROM places), $3)
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

-- events.ledger_list_asc on Citus
/* every organization: the ledger reads the events of all */
SELECT organization_id AS organization, mode AS "mode", id AS "id", type AS "type", sequence_base + sequence
  AS "sequence", data AS "data", reason AS "reason", details AS "details", followed
FROM (
  SELECT *, sum(octet_length(data)) OVER page - octet_length(data) AS before, lead(id) OVER page IS NOT NULL
    AS followed
  FROM (
    SELECT *
    FROM events
    WHERE mode = $1 AND type = ANY ($2) AND id > $3 AND id < $4 AND id > $6 AND id < $7 AND position + 0 <= $8
      AND position >= 0
    ORDER BY id asc
    LIMIT $5
  ) found
  WINDOW page AS (ORDER BY id asc ROWS UNBOUNDED PRECEDING)
) measured
WHERE before < 1048576
ORDER BY id asc;

-- events.ledger_list_desc
/* every organization: the ledger reads the events of all */ WITH places AS MATERIALIZED (
  SELECT coalesce((
    SELECT position
    FROM (
      SELECT found.*
      FROM unnest($8::text[]) AS wanted (name)
      CROSS JOIN LATERAL (
        SELECT position, id
        FROM events
        WHERE mode = $1 AND type = wanted.name AND id <= $2 AND position >= 0
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
      FROM unnest($8::text[]) AS wanted (name)
      CROSS JOIN LATERAL (
        SELECT position, id
        FROM events
        WHERE mode = $1 AND type = wanted.name AND id >= $3 AND position >= 0
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
    FROM unnest($8::text[]) AS wanted (name)
    CROSS JOIN LATERAL (
      SELECT *
      FROM events
      WHERE mode = $1 AND type = wanted.name AND id > $5 AND id < $6 AND position + 0 <= $7 AND (position, id)
        > ((SELECT low FROM places), $2) AND (position, id) < ((SELECT high FROM places), $3)
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

-- events.ledger_list_desc on Citus
/* every organization: the ledger reads the events of all */
SELECT organization_id AS organization, mode AS "mode", id AS "id", type AS "type", sequence_base + sequence
  AS "sequence", data AS "data", reason AS "reason", details AS "details", followed
FROM (
  SELECT *, sum(octet_length(data)) OVER page - octet_length(data) AS before, lead(id) OVER page IS NOT NULL
    AS followed
  FROM (
    SELECT *
    FROM events
    WHERE mode = $1 AND type = ANY ($2) AND id > $3 AND id < $4 AND id > $6 AND id < $7 AND position + 0 <= $8
      AND position >= 0
    ORDER BY id desc
    LIMIT $5
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
    WHERE organization_id = $1 AND mode = $2 AND CASE WHEN position + 0 <= $7 THEN id > $3 AND id < $4 ELSE
      false END AND CASE WHEN $5::bigint IS NULL THEN true ELSE CASE WHEN substr(id::text, 16, 1) < '8' THEN ('x'
      || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000 ELSE ('x' || right(id::text, 8))::bit(32)::bigint
      END >= $5 AND CASE WHEN substr(id::text, 16, 1) < '8' THEN ('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint
      / 1000 ELSE ('x' || right(id::text, 8))::bit(32)::bigint END < $6::bigint END AND (position, id) > (coalesce((
      SELECT position
      FROM events
      WHERE organization_id = $1 AND mode = $2 AND id <= $8
      ORDER BY id DESC
      LIMIT 1
    ), 0), $8) AND (position, id) < (coalesce((
      SELECT position
      FROM events
      WHERE organization_id = $1 AND mode = $2 AND id >= $9
      ORDER BY id
      LIMIT 1
    ), 9223372036854775807), $9)
    ORDER BY position asc, id asc
    LIMIT $10
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
    WHERE organization_id = $1 AND mode = $2 AND CASE WHEN position + 0 <= $7 THEN id > $3 AND id < $4 ELSE
      false END AND CASE WHEN $5::bigint IS NULL THEN true ELSE CASE WHEN substr(id::text, 16, 1) < '8' THEN ('x'
      || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000 ELSE ('x' || right(id::text, 8))::bit(32)::bigint
      END >= $5 AND CASE WHEN substr(id::text, 16, 1) < '8' THEN ('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint
      / 1000 ELSE ('x' || right(id::text, 8))::bit(32)::bigint END < $6::bigint END AND (position, id) > (coalesce((
      SELECT position
      FROM events
      WHERE organization_id = $1 AND mode = $2 AND id <= $8
      ORDER BY id DESC
      LIMIT 1
    ), 0), $8) AND (position, id) < (coalesce((
      SELECT position
      FROM events
      WHERE organization_id = $1 AND mode = $2 AND id >= $9
      ORDER BY id
      LIMIT 1
    ), 9223372036854775807), $9)
    ORDER BY position desc, id desc
    LIMIT $10
  ) found
  WINDOW page AS (ORDER BY position desc, id desc ROWS UNBOUNDED PRECEDING)
) measured
WHERE before < 1048576
ORDER BY position desc, id desc;

-- events.list_object_asc
WITH own AS MATERIALIZED (
  SELECT found.*
  FROM (SELECT $1::uuid) AS wanted (id)
  CROSS JOIN LATERAL (
    SELECT *
    FROM events
    WHERE organization_id = $2 AND mode = $3 AND object_id = wanted.id AND type = coalesce($4, type) AND
      object_id = coalesce($5, object_id) OFFSET 0
  ) AS found
)
SELECT mode AS "mode", id AS "id", type AS "type", sequence_base + sequence AS "sequence", data AS "data",
  reason AS "reason", details AS "details", followed
FROM (
  SELECT *, sum(octet_length(data)) OVER page - octet_length(data) AS before, lead(id) OVER page IS NOT NULL
    AS followed
  FROM (
    SELECT *
    FROM own
    WHERE CASE WHEN position + 0 <= $10 THEN id > $6 AND id < $7 ELSE false END AND CASE WHEN $8::bigint IS
      NULL THEN true ELSE CASE WHEN substr(id::text, 16, 1) < '8' THEN ('x' || left(replace(id::text, '-', ''),
      12))::bit(48)::bigint / 1000 ELSE ('x' || right(id::text, 8))::bit(32)::bigint END >= $8 AND CASE WHEN
      substr(id::text, 16, 1) < '8' THEN ('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000
      ELSE ('x' || right(id::text, 8))::bit(32)::bigint END < $9::bigint END AND (position, id) > (coalesce((
      SELECT position
      FROM events
      WHERE organization_id = $2 AND mode = $3 AND id <= $11
      ORDER BY id DESC
      LIMIT 1
    ), 0), $11) AND (position, id) < (coalesce((
      SELECT position
      FROM events
      WHERE organization_id = $2 AND mode = $3 AND id >= $12
      ORDER BY id
      LIMIT 1
    ), 9223372036854775807), $12)
    ORDER BY position asc, id asc
    LIMIT $13
  ) found
  WINDOW page AS (ORDER BY position asc, id asc ROWS UNBOUNDED PRECEDING)
) measured
WHERE before < 1048576
ORDER BY position asc, id asc;

-- events.list_object_desc
WITH own AS MATERIALIZED (
  SELECT found.*
  FROM (SELECT $1::uuid) AS wanted (id)
  CROSS JOIN LATERAL (
    SELECT *
    FROM events
    WHERE organization_id = $2 AND mode = $3 AND object_id = wanted.id AND type = coalesce($4, type) AND
      object_id = coalesce($5, object_id) OFFSET 0
  ) AS found
)
SELECT mode AS "mode", id AS "id", type AS "type", sequence_base + sequence AS "sequence", data AS "data",
  reason AS "reason", details AS "details", followed
FROM (
  SELECT *, sum(octet_length(data)) OVER page - octet_length(data) AS before, lead(id) OVER page IS NOT NULL
    AS followed
  FROM (
    SELECT *
    FROM own
    WHERE CASE WHEN position + 0 <= $10 THEN id > $6 AND id < $7 ELSE false END AND CASE WHEN $8::bigint IS
      NULL THEN true ELSE CASE WHEN substr(id::text, 16, 1) < '8' THEN ('x' || left(replace(id::text, '-', ''),
      12))::bit(48)::bigint / 1000 ELSE ('x' || right(id::text, 8))::bit(32)::bigint END >= $8 AND CASE WHEN
      substr(id::text, 16, 1) < '8' THEN ('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000
      ELSE ('x' || right(id::text, 8))::bit(32)::bigint END < $9::bigint END AND (position, id) > (coalesce((
      SELECT position
      FROM events
      WHERE organization_id = $2 AND mode = $3 AND id <= $11
      ORDER BY id DESC
      LIMIT 1
    ), 0), $11) AND (position, id) < (coalesce((
      SELECT position
      FROM events
      WHERE organization_id = $2 AND mode = $3 AND id >= $12
      ORDER BY id
      LIMIT 1
    ), 9223372036854775807), $12)
    ORDER BY position desc, id desc
    LIMIT $13
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
    WHERE organization_id = $3 AND mode = $4 AND CASE WHEN position + 0 <= $10 THEN id > $6 AND id < $7 ELSE
      false END AND CASE WHEN $8::bigint IS NULL THEN true ELSE CASE WHEN substr(id::text, 16, 1) < '8' THEN ('x'
      || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000 ELSE ('x' || right(id::text, 8))::bit(32)::bigint
      END >= $8 AND CASE WHEN substr(id::text, 16, 1) < '8' THEN ('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint
      / 1000 ELSE ('x' || right(id::text, 8))::bit(32)::bigint END < $9::bigint END AND (type, position, id) > ($1,
      coalesce((
      SELECT position
      FROM events
      WHERE organization_id = $3 AND mode = $4 AND id <= $2
      ORDER BY id DESC
      LIMIT 1
    ), 0), $2) AND (type, position, id) < ($1, coalesce((
      SELECT position
      FROM events
      WHERE organization_id = $3 AND mode = $4 AND id >= $5
      ORDER BY id
      LIMIT 1
    ), 9223372036854775807), $5)
    ORDER BY type asc, position asc, id asc
    LIMIT $11
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
    WHERE organization_id = $3 AND mode = $4 AND CASE WHEN position + 0 <= $10 THEN id > $6 AND id < $7 ELSE
      false END AND CASE WHEN $8::bigint IS NULL THEN true ELSE CASE WHEN substr(id::text, 16, 1) < '8' THEN ('x'
      || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000 ELSE ('x' || right(id::text, 8))::bit(32)::bigint
      END >= $8 AND CASE WHEN substr(id::text, 16, 1) < '8' THEN ('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint
      / 1000 ELSE ('x' || right(id::text, 8))::bit(32)::bigint END < $9::bigint END AND (type, position, id) > ($1,
      coalesce((
      SELECT position
      FROM events
      WHERE organization_id = $3 AND mode = $4 AND id <= $2
      ORDER BY id DESC
      LIMIT 1
    ), 0), $2) AND (type, position, id) < ($1, coalesce((
      SELECT position
      FROM events
      WHERE organization_id = $3 AND mode = $4 AND id >= $5
      ORDER BY id
      LIMIT 1
    ), 9223372036854775807), $5)
    ORDER BY type desc, position desc, id desc
    LIMIT $11
  ) found
  WINDOW page AS (ORDER BY type desc, position desc, id desc ROWS UNBOUNDED PRECEDING)
) measured
WHERE before < 1048576
ORDER BY type desc, position desc, id desc;

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
), other_0 AS (
  DELETE
  FROM webhook_deliveries AS delivery USING removed
  WHERE delivery.organization_id = $1 AND delivery.mode = removed.mode AND delivery.event_id = removed.id
)
SELECT
FROM removed;

-- new_event
WITH part_1 AS (
  INSERT INTO webhook_deliveries (organization_id, mode, event_id, endpoint_id, url, receiver, attempts,
    next_attempt_at)
  SELECT endpoint.organization_id, endpoint.mode, event.id, endpoint.id, endpoint.url, endpoint.receiver, 0,
    '-infinity'
  FROM (
    SELECT $1::uuid AS organization_id, $2::mode AS mode, $3::uuid AS id, $4::text AS type, $5::uuid AS
      object_id, $6::smallint AS sequence, $7::integer AS sequence_base, $8::text AS data, $9::text AS reason,
      $10::text AS details
  ) AS event
  JOIN webhook_endpoints AS endpoint ON endpoint.organization_id = event.organization_id AND endpoint.mode =
    event.mode AND endpoint.enabled AND endpoint.events && ARRAY['*', event.type]
), part_2 AS (
  INSERT INTO webhook_deliveries (organization_id, mode, event_id, endpoint_id, url, receiver, attempts,
    next_attempt_at)
  SELECT event.organization_id, endpoint.mode, event.id, endpoint.id, endpoint.url, endpoint.receiver, 0,
    '-infinity'
  FROM (
    SELECT $1::uuid AS organization_id, $2::mode AS mode, $3::uuid AS id, $4::text AS type, $5::uuid AS
      object_id, $6::smallint AS sequence, $7::integer AS sequence_base, $8::text AS data, $9::text AS reason,
      $10::text AS details
  ) AS event
  JOIN ledger_webhook_endpoints AS endpoint ON endpoint.mode = event.mode AND endpoint.enabled AND
    endpoint.events && ARRAY['*', event.type]
)
INSERT INTO events (organization_id, mode, id, type, object_id, sequence, sequence_base, data, reason, details)
VALUES ($1::uuid, $2::mode, $3::uuid, $4::text, $5::uuid, $6::smallint, $7::integer, $8::text, $9::text,
  $10::text);

-- new_event*
WITH new_event AS (
  SELECT v1::uuid AS organization_id, v2::mode AS mode, v3::uuid AS id, v4::text AS type, v5::uuid AS
    object_id, v6::smallint AS sequence, v7::integer AS sequence_base, v8::text AS data, v9::text AS reason,
    v10::text AS details
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
    $9::text[], $10::text[]) AS sent (v1, v2, v3, v4, v5, v6, v7, v8, v9, v10)
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
)
INSERT INTO events (organization_id, mode, id, type, object_id, sequence, sequence_base, data, reason, details)
SELECT organization_id, mode, id, type, object_id, sequence, sequence_base, data, reason, details
FROM new_event;

-- new_notifying_event
WITH part_1 AS (
  INSERT INTO webhook_deliveries (organization_id, mode, event_id, endpoint_id, url, receiver, attempts,
    next_attempt_at)
  SELECT endpoint.organization_id, endpoint.mode, event.id, endpoint.id, endpoint.url, endpoint.receiver, 0,
    '-infinity'
  FROM (
    SELECT $1::uuid AS organization_id, $2::mode AS mode, $3::uuid AS id, $4::text AS type, $5::uuid AS
      object_id, $6::smallint AS sequence, $7::integer AS sequence_base, $8::text AS data, $9::text AS reason,
      $10::text AS details, $11::text AS url, $12::text AS receiver
  ) AS event
  JOIN webhook_endpoints AS endpoint ON endpoint.organization_id = event.organization_id AND endpoint.mode =
    event.mode AND endpoint.enabled AND endpoint.events && ARRAY['*', event.type]
), part_2 AS (
  INSERT INTO webhook_deliveries (organization_id, mode, event_id, endpoint_id, url, receiver, attempts,
    next_attempt_at)
  SELECT event.organization_id, endpoint.mode, event.id, endpoint.id, endpoint.url, endpoint.receiver, 0,
    '-infinity'
  FROM (
    SELECT $1::uuid AS organization_id, $2::mode AS mode, $3::uuid AS id, $4::text AS type, $5::uuid AS
      object_id, $6::smallint AS sequence, $7::integer AS sequence_base, $8::text AS data, $9::text AS reason,
      $10::text AS details, $11::text AS url, $12::text AS receiver
  ) AS event
  JOIN ledger_webhook_endpoints AS endpoint ON endpoint.mode = event.mode AND endpoint.enabled AND
    endpoint.events && ARRAY['*', event.type]
), part_3 AS (
  INSERT INTO webhook_deliveries (organization_id, mode, event_id, endpoint_id, url, receiver, attempts,
    next_attempt_at)
  SELECT event.organization_id, event.mode, event.id, '00000000-0000-0000-0000-000000000000', event.url,
    event.receiver, 0, '-infinity'
  FROM (
    SELECT $1::uuid AS organization_id, $2::mode AS mode, $3::uuid AS id, $4::text AS type, $5::uuid AS
      object_id, $6::smallint AS sequence, $7::integer AS sequence_base, $8::text AS data, $9::text AS reason,
      $10::text AS details, $11::text AS url, $12::text AS receiver
  ) AS event
  LEFT JOIN webhook_endpoints AS endpoint ON endpoint.organization_id = event.organization_id AND
    endpoint.mode = event.mode AND endpoint.enabled AND endpoint.events && ARRAY['*', event.type] AND
    endpoint.url = event.url
  WHERE endpoint.url IS NULL
)
INSERT INTO events (organization_id, mode, id, type, object_id, sequence, sequence_base, data, reason, details)
VALUES ($1::uuid, $2::mode, $3::uuid, $4::text, $5::uuid, $6::smallint, $7::integer, $8::text, $9::text,
  $10::text);

-- new_notifying_event*
WITH new_notifying_event AS (
  SELECT v1::uuid AS organization_id, v2::mode AS mode, v3::uuid AS id, v4::text AS type, v5::uuid AS
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
  FROM new_notifying_event AS event
  JOIN webhook_endpoints AS endpoint ON endpoint.organization_id = event.organization_id AND endpoint.mode =
    event.mode AND endpoint.enabled AND endpoint.events && ARRAY['*', event.type]
), part_2 AS (
  INSERT INTO webhook_deliveries (organization_id, mode, event_id, endpoint_id, url, receiver, attempts,
    next_attempt_at)
  SELECT event.organization_id, endpoint.mode, event.id, endpoint.id, endpoint.url, endpoint.receiver, 0,
    '-infinity'
  FROM new_notifying_event AS event
  JOIN ledger_webhook_endpoints AS endpoint ON endpoint.mode = event.mode AND endpoint.enabled AND
    endpoint.events && ARRAY['*', event.type]
), part_3 AS (
  INSERT INTO webhook_deliveries (organization_id, mode, event_id, endpoint_id, url, receiver, attempts,
    next_attempt_at)
  SELECT event.organization_id, event.mode, event.id, '00000000-0000-0000-0000-000000000000', event.url,
    event.receiver, 0, '-infinity'
  FROM new_notifying_event AS event
  LEFT JOIN webhook_endpoints AS endpoint ON endpoint.organization_id = event.organization_id AND
    endpoint.mode = event.mode AND endpoint.enabled AND endpoint.events && ARRAY['*', event.type] AND
    endpoint.url = event.url
  WHERE endpoint.url IS NULL
)
INSERT INTO events (organization_id, mode, id, type, object_id, sequence, sequence_base, data, reason, details)
SELECT organization_id, mode, id, type, object_id, sequence, sequence_base, data, reason, details
FROM new_notifying_event;

-- checkout.change
UPDATE checkout_sessions
SET status = $1, payment_status = $2, expires_at = to_timestamp($3), original_expires_at = to_timestamp($4),
  awaits = $5, closed_at = statement_timestamp() + make_interval(secs => $6)
WHERE organization_id = $7 AND mode = $8 AND id = $9 AND status = 'open' AND expires_at > statement_timestamp()
  + make_interval(secs => $10) AND awaits <= $5;

-- checkout.expire_overdue
WITH expired AS (
  UPDATE checkout_sessions
  SET status = 'expired'
  WHERE organization_id = $1 AND mode = $2 AND ctid = ANY (ARRAY(
    SELECT ctid
    FROM checkout_sessions
    WHERE organization_id = $1 AND mode = $2 AND ctid = ANY ($3::tid[]) AND status = 'open' AND expires_at <=
      statement_timestamp() + make_interval(secs => $4)
    FOR NO KEY UPDATE SKIP LOCKED
  ))
  RETURNING *
)
SELECT mode AS "mode", id AS "id", ui_mode AS "uiMode", status AS "status", payment_status AS "paymentStatus",
  currency AS "currency", amount_subtotal AS "amountSubtotal", amount_discount AS "amountDiscount",
  amount_shipping AS "amountShipping", amount_tax AS "amountTax", amount_total AS "amountTotal", success_url
  AS "successUrl", cancel_url AS "cancelUrl", return_url AS "returnUrl", notify_url AS "notifyUrl",
  description AS "description", customer_email AS "customerEmail", locale AS "locale", metadata AS "metadata",
  line_items AS "lineItems", extract(epoch FROM expires_at)::bigint AS "expiresAt", extract(epoch FROM
  original_expires_at)::bigint AS "originalExpiresAt", awaits AS "awaits", is_redacted AS "isRedacted",
  unique_reference AS "uniqueReference"
FROM expired;

-- checkout.expire_with_reference
WITH expired AS (
  UPDATE checkout_sessions
  SET status = 'expired'
  WHERE organization_id = $1 AND mode = $2 AND metadata->>'reference' = $3 AND status = 'open' AND expires_at
    <= statement_timestamp() + make_interval(secs => $4)
  RETURNING *
)
SELECT mode AS "mode", id AS "id", ui_mode AS "uiMode", status AS "status", payment_status AS "paymentStatus",
  currency AS "currency", amount_subtotal AS "amountSubtotal", amount_discount AS "amountDiscount",
  amount_shipping AS "amountShipping", amount_tax AS "amountTax", amount_total AS "amountTotal", success_url
  AS "successUrl", cancel_url AS "cancelUrl", return_url AS "returnUrl", notify_url AS "notifyUrl",
  description AS "description", customer_email AS "customerEmail", locale AS "locale", metadata AS "metadata",
  line_items AS "lineItems", extract(epoch FROM expires_at)::bigint AS "expiresAt", extract(epoch FROM
  original_expires_at)::bigint AS "originalExpiresAt", awaits AS "awaits", is_redacted AS "isRedacted",
  unique_reference AS "uniqueReference"
FROM expired;

-- checkout.find
SELECT mode AS "mode", id AS "id", ui_mode AS "uiMode", CASE WHEN status = 'open' AND expires_at <=
  statement_timestamp() + make_interval(secs => $1) THEN 'expired' ELSE status END AS "status", payment_status
  AS "paymentStatus", currency AS "currency", amount_subtotal AS "amountSubtotal", amount_discount AS
  "amountDiscount", amount_shipping AS "amountShipping", amount_tax AS "amountTax", amount_total AS
  "amountTotal", success_url AS "successUrl", cancel_url AS "cancelUrl", return_url AS "returnUrl", notify_url
  AS "notifyUrl", description AS "description", customer_email AS "customerEmail", locale AS "locale",
  metadata AS "metadata", line_items AS "lineItems", extract(epoch FROM expires_at)::bigint AS "expiresAt",
  extract(epoch FROM original_expires_at)::bigint AS "originalExpiresAt", awaits AS "awaits", is_redacted AS
  "isRedacted", unique_reference AS "uniqueReference"
FROM checkout_sessions
WHERE organization_id = $2 AND mode = $3 AND id = $4;

-- checkout.find_many
SELECT mode AS "mode", id AS "id", ui_mode AS "uiMode", CASE WHEN status = 'open' AND expires_at <=
  statement_timestamp() + make_interval(secs => $1) THEN 'expired' ELSE status END AS "status", payment_status
  AS "paymentStatus", currency AS "currency", amount_subtotal AS "amountSubtotal", amount_discount AS
  "amountDiscount", amount_shipping AS "amountShipping", amount_tax AS "amountTax", amount_total AS
  "amountTotal", success_url AS "successUrl", cancel_url AS "cancelUrl", return_url AS "returnUrl", notify_url
  AS "notifyUrl", description AS "description", customer_email AS "customerEmail", locale AS "locale",
  metadata AS "metadata", line_items AS "lineItems", extract(epoch FROM expires_at)::bigint AS "expiresAt",
  extract(epoch FROM original_expires_at)::bigint AS "originalExpiresAt", awaits AS "awaits", is_redacted AS
  "isRedacted", unique_reference AS "uniqueReference"
FROM checkout_sessions
WHERE organization_id = $2 AND mode = $3 AND id = ANY ($4::uuid[]);

-- checkout.list
SELECT id AS "id", CASE WHEN status = 'open' AND expires_at <= statement_timestamp() + make_interval(secs =>
  $1) THEN 'expired' ELSE status END AS "status", payment_status AS "paymentStatus", currency AS "currency",
  amount_total AS "amountTotal"
FROM checkout_sessions
WHERE organization_id = $2 AND mode = $3 AND CASE WHEN $4::bigint IS NULL THEN true ELSE CASE WHEN substr(id::text,
  16, 1) < '8' THEN ('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000 ELSE ('x' || right(id::text,
  8))::bit(32)::bigint END >= $4 AND CASE WHEN substr(id::text, 16, 1) < '8' THEN ('x' || left(replace(id::text,
  '-', ''), 12))::bit(48)::bigint / 1000 ELSE ('x' || right(id::text, 8))::bit(32)::bigint END < $5::bigint
  END AND id >= $6 AND id < $7
ORDER BY id DESC
LIMIT $8;

-- checkout.list_complete
SELECT id AS "id", CASE WHEN status = 'open' AND expires_at <= statement_timestamp() + make_interval(secs =>
  $1) THEN 'expired' ELSE status END AS "status", payment_status AS "paymentStatus", currency AS "currency",
  amount_total AS "amountTotal"
FROM checkout_sessions
WHERE organization_id = $2 AND mode = $3 AND CASE WHEN $4::bigint IS NULL THEN true ELSE CASE WHEN substr(id::text,
  16, 1) < '8' THEN ('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000 ELSE ('x' || right(id::text,
  8))::bit(32)::bigint END >= $4 AND CASE WHEN substr(id::text, 16, 1) < '8' THEN ('x' || left(replace(id::text,
  '-', ''), 12))::bit(48)::bigint / 1000 ELSE ('x' || right(id::text, 8))::bit(32)::bigint END < $5::bigint
  END AND (status, id) >= ('complete', $6) AND (status, id) < ('complete', $7)
ORDER BY checkout_sessions.status DESC, id DESC
LIMIT $8;

-- checkout.list_expired
WITH late AS MATERIALIZED (
  SELECT id AS "id", CASE WHEN status = 'open' AND expires_at <= statement_timestamp() + make_interval(secs =>
    $1) THEN 'expired' ELSE status END AS "status", payment_status AS "paymentStatus", currency AS "currency",
    amount_total AS "amountTotal"
  FROM checkout_sessions
  WHERE organization_id = $2 AND mode = $3 AND CASE WHEN $4::bigint IS NULL THEN true ELSE CASE WHEN substr(id::text,
    16, 1) < '8' THEN ('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000 ELSE ('x' || right(id::text,
    8))::bit(32)::bigint END >= $4 AND CASE WHEN substr(id::text, 16, 1) < '8' THEN ('x' || left(replace(id::text,
    '-', ''), 12))::bit(48)::bigint / 1000 ELSE ('x' || right(id::text, 8))::bit(32)::bigint END < $5::bigint
    END AND status = 'open' AND expires_at <= statement_timestamp() + make_interval(secs => $1)
) (
  SELECT id AS "id", CASE WHEN status = 'open' AND expires_at <= statement_timestamp() + make_interval(secs =>
    $1) THEN 'expired' ELSE status END AS "status", payment_status AS "paymentStatus", currency AS "currency",
    amount_total AS "amountTotal"
  FROM checkout_sessions
  WHERE organization_id = $2 AND mode = $3 AND CASE WHEN $4::bigint IS NULL THEN true ELSE CASE WHEN substr(id::text,
    16, 1) < '8' THEN ('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000 ELSE ('x' || right(id::text,
    8))::bit(32)::bigint END >= $4 AND CASE WHEN substr(id::text, 16, 1) < '8' THEN ('x' || left(replace(id::text,
    '-', ''), 12))::bit(48)::bigint / 1000 ELSE ('x' || right(id::text, 8))::bit(32)::bigint END < $5::bigint
    END AND (status, id) >= ('expired', $6) AND (status, id) < ('expired', $7)
  ORDER BY checkout_sessions.status DESC, id DESC
  LIMIT $8
)
UNION ALL (
  SELECT *
  FROM late
  WHERE id >= $6 AND id < $7
  ORDER BY id DESC
  LIMIT $8
)
ORDER BY id DESC
LIMIT $8;

-- checkout.list_open
SELECT id AS "id", CASE WHEN status = 'open' AND expires_at <= statement_timestamp() + make_interval(secs =>
  $1) THEN 'expired' ELSE status END AS "status", payment_status AS "paymentStatus", currency AS "currency",
  amount_total AS "amountTotal"
FROM checkout_sessions
WHERE organization_id = $2 AND mode = $3 AND CASE WHEN $4::bigint IS NULL THEN true ELSE CASE WHEN substr(id::text,
  16, 1) < '8' THEN ('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000 ELSE ('x' || right(id::text,
  8))::bit(32)::bigint END >= $4 AND CASE WHEN substr(id::text, 16, 1) < '8' THEN ('x' || left(replace(id::text,
  '-', ''), 12))::bit(48)::bigint / 1000 ELSE ('x' || right(id::text, 8))::bit(32)::bigint END < $5::bigint
  END AND (status, id) >= ('open', $6) AND (status, id) < ('open', $7) AND expires_at > statement_timestamp()
  + make_interval(secs => $1)
ORDER BY checkout_sessions.status DESC, id DESC
LIMIT $8;

-- checkout.list_reference
SELECT found.*
FROM unnest(enum_range(NULL::session_status)) AS stored (status)
CROSS JOIN LATERAL (
  SELECT id AS "id", CASE WHEN status = 'open' AND expires_at <= statement_timestamp() + make_interval(secs =>
    $1) THEN 'expired' ELSE status END AS "status", payment_status AS "paymentStatus", currency AS "currency",
    amount_total AS "amountTotal"
  FROM checkout_sessions
  WHERE organization_id = $2 AND mode = $3 AND CASE WHEN $4::bigint IS NULL THEN true ELSE CASE WHEN substr(id::text,
    16, 1) < '8' THEN ('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000 ELSE ('x' || right(id::text,
    8))::bit(32)::bigint END >= $4 AND CASE WHEN substr(id::text, 16, 1) < '8' THEN ('x' || left(replace(id::text,
    '-', ''), 12))::bit(48)::bigint / 1000 ELSE ('x' || right(id::text, 8))::bit(32)::bigint END < $5::bigint
    END AND metadata->>'reference' = $6 AND checkout_sessions.status = stored.status AND id >= $7 AND id < $8
    AND ($9::session_status IS NULL OR CASE WHEN status = 'open' AND expires_at <= statement_timestamp() +
    make_interval(secs => $1) THEN 'expired' ELSE status END = $9)
  ORDER BY id DESC
  LIMIT $10
) AS found
WHERE $9 IS NULL OR stored.status IN ($9, 'open')
ORDER BY id DESC
LIMIT $10;

-- checkout.with_reference
(
  SELECT id AS "id", CASE WHEN status = 'open' AND expires_at <= statement_timestamp() + make_interval(secs =>
    $1) THEN 'expired' ELSE status END AS "status", payment_status AS "paymentStatus", currency AS "currency",
    amount_total AS "amountTotal"
  FROM checkout_sessions
  WHERE organization_id = $2 AND mode = $3 AND metadata->>'reference' = $4 AND status = 'complete'
  ORDER BY id DESC
  LIMIT 1
)
UNION ALL (
  SELECT id AS "id", CASE WHEN status = 'open' AND expires_at <= statement_timestamp() + make_interval(secs =>
    $1) THEN 'expired' ELSE status END AS "status", payment_status AS "paymentStatus", currency AS "currency",
    amount_total AS "amountTotal"
  FROM checkout_sessions
  WHERE organization_id = $2 AND mode = $3 AND metadata->>'reference' = $4 AND status = 'open'
)
ORDER BY id DESC;

-- new_session
INSERT INTO checkout_sessions (organization_id, mode, id, ui_mode, status, payment_status, currency,
  amount_subtotal, amount_discount, amount_shipping, amount_tax, amount_total, success_url, cancel_url,
  return_url, notify_url, description, customer_email, locale, metadata, line_items, expires_at,
  original_expires_at, awaits, is_redacted, unique_reference)
VALUES ($1::uuid, $2::mode, $3::uuid, $4::ui_mode, $5::session_status, $6::payment_status, $7::text,
  $8::bigint, $9::bigint, $10::bigint, $11::bigint, $12::bigint, $13::text, $14::text, $15::text, $16::text,
  $17::text, $18::text, $19::text, $20::json, $21::json, $22::timestamptz, $23::timestamptz, $24::integer,
  $25::boolean, $26::text);

-- new_session*
WITH new_session AS (
  SELECT v1::uuid AS organization_id, v2::mode AS mode, v3::uuid AS id, v4::ui_mode AS ui_mode,
    v5::session_status AS status, v6::payment_status AS payment_status, v7::text AS currency, v8::bigint AS
    amount_subtotal, v9::bigint AS amount_discount, v10::bigint AS amount_shipping, v11::bigint AS amount_tax,
    v12::bigint AS amount_total, v13::text AS success_url, v14::text AS cancel_url, v15::text AS return_url,
    v16::text AS notify_url, v17::text AS description, v18::text AS customer_email, v19::text AS locale,
    v20::json AS metadata, v21::json AS line_items, v22::timestamptz AS expires_at, v23::timestamptz AS
    original_expires_at, v24::integer AS awaits, v25::boolean AS is_redacted, v26::text AS unique_reference
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
    $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[], $16::text[],
    $17::text[], $18::text[], $19::text[], $20::text[], $21::text[], $22::text[], $23::text[], $24::text[],
    $25::text[], $26::text[]) AS sent (v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15, v16,
    v17, v18, v19, v20, v21, v22, v23, v24, v25, v26)
)
INSERT INTO checkout_sessions (organization_id, mode, id, ui_mode, status, payment_status, currency,
  amount_subtotal, amount_discount, amount_shipping, amount_tax, amount_total, success_url, cancel_url,
  return_url, notify_url, description, customer_email, locale, metadata, line_items, expires_at,
  original_expires_at, awaits, is_redacted, unique_reference)
SELECT organization_id, mode, id, ui_mode, status, payment_status, currency, amount_subtotal, amount_discount,
  amount_shipping, amount_tax, amount_total, success_url, cancel_url, return_url, notify_url, description,
  customer_email, locale, metadata, line_items, expires_at, original_expires_at, awaits, is_redacted,
  unique_reference
FROM new_session;

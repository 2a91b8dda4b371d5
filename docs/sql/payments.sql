-- free_amount
UPDATE payments
SET amount_pending_refund = greatest(amount_pending_refund - $4::bigint, 0)
WHERE organization_id = $1::uuid AND mode = $2::mode AND id = $3::uuid AND payments.is_redacted = $5::boolean;

-- free_amount*
WITH free_amount AS (
  SELECT v1::uuid AS organization_id, v2::mode AS mode, v3::uuid AS id, v4::bigint AS amount, v5::boolean AS
    is_redacted
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[]) AS sent (v1, v2, v3, v4, v5)
)
UPDATE payments
SET amount_pending_refund = greatest(amount_pending_refund - (
  SELECT sum(amount)::bigint
  FROM free_amount
  WHERE free_amount.organization_id = payments.organization_id AND free_amount.mode = payments.mode AND
    free_amount.id = payments.id
), 0)
WHERE organization_id = ANY (ARRAY(SELECT organization_id FROM free_amount)) AND mode = ANY (ARRAY(SELECT mode
  FROM free_amount)) AND id = ANY (ARRAY(SELECT id FROM free_amount)) AND payments.is_redacted = ALL (ARRAY(
  SELECT free_amount.is_redacted
  FROM free_amount
  WHERE free_amount.organization_id = payments.organization_id AND free_amount.mode = payments.mode AND
    free_amount.id = payments.id
));

-- hold_amount
UPDATE payments
SET amount_on_hold = amount_on_hold + $4::bigint, version = version + 1
WHERE organization_id = $1::uuid AND mode = $2::mode AND id = $3::uuid AND payments.is_redacted = $5::boolean;

-- hold_amount*
WITH hold_amount AS (
  SELECT v1::uuid AS organization_id, v2::mode AS mode, v3::uuid AS id, v4::bigint AS amount, v5::boolean AS
    is_redacted
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[]) AS sent (v1, v2, v3, v4, v5)
)
UPDATE payments
SET amount_on_hold = amount_on_hold + (
  SELECT sum(amount)::bigint
  FROM hold_amount
  WHERE hold_amount.organization_id = payments.organization_id AND hold_amount.mode = payments.mode AND
    hold_amount.id = payments.id
), version = version + 1
WHERE organization_id = ANY (ARRAY(SELECT organization_id FROM hold_amount)) AND mode = ANY (ARRAY(SELECT mode
  FROM hold_amount)) AND id = ANY (ARRAY(SELECT id FROM hold_amount)) AND payments.is_redacted = ALL (ARRAY(
  SELECT hold_amount.is_redacted
  FROM hold_amount
  WHERE hold_amount.organization_id = payments.organization_id AND hold_amount.mode = payments.mode AND
    hold_amount.id = payments.id
));

-- new_payment
INSERT INTO payments (organization_id, mode, id, currency, amount, amount_refunded, amount_pending_refund,
  amount_on_hold, checkout_session_id, mismatch, reference, notify_url, is_redacted, version)
VALUES ($1::uuid, $2::mode, $3::uuid, $4::text, $5::bigint, $6::bigint, $7::bigint, $8::bigint, $9::uuid,
  $10::mismatch, $11::text, $12::text, $13::boolean, $14::integer);

-- new_payment*
WITH new_payment AS (
  SELECT v1::uuid AS organization_id, v2::mode AS mode, v3::uuid AS id, v4::text AS currency, v5::bigint AS
    amount, v6::bigint AS amount_refunded, v7::bigint AS amount_pending_refund, v8::bigint AS amount_on_hold,
    v9::uuid AS checkout_session_id, v10::mismatch AS mismatch, v11::text AS reference, v12::text AS
    notify_url, v13::boolean AS is_redacted, v14::integer AS version
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
    $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[]) AS sent (v1, v2, v3, v4, v5,
    v6, v7, v8, v9, v10, v11, v12, v13, v14)
)
INSERT INTO payments (organization_id, mode, id, currency, amount, amount_refunded, amount_pending_refund,
  amount_on_hold, checkout_session_id, mismatch, reference, notify_url, is_redacted, version)
SELECT organization_id, mode, id, currency, amount, amount_refunded, amount_pending_refund, amount_on_hold,
  checkout_session_id, mismatch, reference, notify_url, is_redacted, version
FROM new_payment;

-- payments.begin_to_forget
UPDATE payments
SET is_forgetting = true, details_since = NULL
WHERE organization_id = $1 AND mode = $2 AND NOT is_forgetting AND details_since <= to_timestamp($3);

-- payments.find
SELECT organization_id AS "organizationId", mode AS "mode", id AS "id", currency AS "currency", amount AS
  "amount", amount_refunded AS "amountRefunded", amount_pending_refund AS "amountPendingRefund",
  amount_on_hold AS "amountOnHold", checkout_session_id AS "checkoutSession", mismatch AS "mismatch",
  reference AS "reference", notify_url AS "notifyUrl", is_redacted AS "isRedacted", version AS "version"
FROM payments
WHERE organization_id = $1 AND mode = $2 AND id = $3;

-- payments.find_many
SELECT organization_id AS "organizationId", mode AS "mode", id AS "id", currency AS "currency", amount AS
  "amount", amount_refunded AS "amountRefunded", amount_pending_refund AS "amountPendingRefund",
  amount_on_hold AS "amountOnHold", checkout_session_id AS "checkoutSession", mismatch AS "mismatch",
  reference AS "reference", notify_url AS "notifyUrl", is_redacted AS "isRedacted", version AS "version"
FROM payments
WHERE organization_id = $1 AND mode = $2 AND id = ANY ($3::uuid[]);

-- payments.finish_forgetting
UPDATE payments
SET is_forgetting = false
WHERE organization_id = $1 AND mode = $2 AND id = $3;

-- payments.note_details
UPDATE payments
SET details_since = coalesce(details_since, to_timestamp($1))
WHERE organization_id = $2 AND mode = $3 AND id = $4 AND is_redacted;

-- payments.owners_of_details
/* every organization: finds those that have any */
SELECT organization_id AS organization, mode
FROM payments
WHERE details_since IS NOT NULL
UNION
SELECT organization_id, mode
FROM payments
WHERE is_forgetting;

-- payments.unfinished
SELECT id
FROM payments
WHERE organization_id = $1 AND mode = $2 AND is_forgetting AND id > $3
ORDER BY id
LIMIT $4;

-- refund_amount
UPDATE payments
SET amount_pending_refund = greatest(amount_pending_refund - $4::bigint, 0), amount_refunded = amount_refunded
  + $4::bigint
WHERE organization_id = $1::uuid AND mode = $2::mode AND id = $3::uuid AND payments.is_redacted = $5::boolean;

-- refund_amount*
WITH refund_amount AS (
  SELECT v1::uuid AS organization_id, v2::mode AS mode, v3::uuid AS id, v4::bigint AS amount, v5::boolean AS
    is_redacted
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[]) AS sent (v1, v2, v3, v4, v5)
)
UPDATE payments
SET amount_pending_refund = greatest(amount_pending_refund - (
  SELECT sum(amount)::bigint
  FROM refund_amount
  WHERE refund_amount.organization_id = payments.organization_id AND refund_amount.mode = payments.mode AND
    refund_amount.id = payments.id
), 0), amount_refunded = amount_refunded + (
  SELECT sum(amount)::bigint
  FROM refund_amount
  WHERE refund_amount.organization_id = payments.organization_id AND refund_amount.mode = payments.mode AND
    refund_amount.id = payments.id
)
WHERE organization_id = ANY (ARRAY(SELECT organization_id FROM refund_amount)) AND mode = ANY (ARRAY(SELECT
  mode FROM refund_amount)) AND id = ANY (ARRAY(SELECT id FROM refund_amount)) AND payments.is_redacted = ALL (ARRAY(
  SELECT refund_amount.is_redacted
  FROM refund_amount
  WHERE refund_amount.organization_id = payments.organization_id AND refund_amount.mode = payments.mode AND
    refund_amount.id = payments.id
));

-- refund_unreserved_amount
UPDATE payments
SET amount_refunded = amount_refunded + $4::bigint
WHERE organization_id = $1::uuid AND mode = $2::mode AND id = $3::uuid AND payments.is_redacted = $5::boolean;

-- refund_unreserved_amount*
WITH refund_unreserved_amount AS (
  SELECT v1::uuid AS organization_id, v2::mode AS mode, v3::uuid AS id, v4::bigint AS amount, v5::boolean AS
    is_redacted
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[]) AS sent (v1, v2, v3, v4, v5)
)
UPDATE payments
SET amount_refunded = amount_refunded + (
  SELECT sum(amount)::bigint
  FROM refund_unreserved_amount
  WHERE refund_unreserved_amount.organization_id = payments.organization_id AND refund_unreserved_amount.mode
    = payments.mode AND refund_unreserved_amount.id = payments.id
)
WHERE organization_id = ANY (ARRAY(SELECT organization_id FROM refund_unreserved_amount)) AND mode = ANY (ARRAY(SELECT
  mode FROM refund_unreserved_amount)) AND id = ANY (ARRAY(SELECT id FROM refund_unreserved_amount)) AND
  payments.is_redacted = ALL (ARRAY(
  SELECT refund_unreserved_amount.is_redacted
  FROM refund_unreserved_amount
  WHERE refund_unreserved_amount.organization_id = payments.organization_id AND refund_unreserved_amount.mode
    = payments.mode AND refund_unreserved_amount.id = payments.id
));

-- release_amount
UPDATE payments
SET amount_on_hold = greatest(amount_on_hold - $4::bigint, 0), version = version + 1
WHERE organization_id = $1::uuid AND mode = $2::mode AND id = $3::uuid AND payments.is_redacted = $5::boolean;

-- release_amount*
WITH release_amount AS (
  SELECT v1::uuid AS organization_id, v2::mode AS mode, v3::uuid AS id, v4::bigint AS amount, v5::boolean AS
    is_redacted
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[]) AS sent (v1, v2, v3, v4, v5)
)
UPDATE payments
SET amount_on_hold = greatest(amount_on_hold - (
  SELECT sum(amount)::bigint
  FROM release_amount
  WHERE release_amount.organization_id = payments.organization_id AND release_amount.mode = payments.mode AND
    release_amount.id = payments.id
), 0), version = version + 1
WHERE organization_id = ANY (ARRAY(SELECT organization_id FROM release_amount)) AND mode = ANY (ARRAY(SELECT
  mode FROM release_amount)) AND id = ANY (ARRAY(SELECT id FROM release_amount)) AND payments.is_redacted =
  ALL (ARRAY(
  SELECT release_amount.is_redacted
  FROM release_amount
  WHERE release_amount.organization_id = payments.organization_id AND release_amount.mode = payments.mode AND
    release_amount.id = payments.id
));

-- reserve_amount
UPDATE payments
SET amount_pending_refund = amount_pending_refund + $4::bigint
WHERE organization_id = $1::uuid AND mode = $2::mode AND id = $3::uuid AND payments.is_redacted = $5::boolean;

-- reserve_amount*
WITH reserve_amount AS (
  SELECT v1::uuid AS organization_id, v2::mode AS mode, v3::uuid AS id, v4::bigint AS amount, v5::boolean AS
    is_redacted
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[]) AS sent (v1, v2, v3, v4, v5)
)
UPDATE payments
SET amount_pending_refund = amount_pending_refund + (
  SELECT sum(amount)::bigint
  FROM reserve_amount
  WHERE reserve_amount.organization_id = payments.organization_id AND reserve_amount.mode = payments.mode AND
    reserve_amount.id = payments.id
)
WHERE organization_id = ANY (ARRAY(SELECT organization_id FROM reserve_amount)) AND mode = ANY (ARRAY(SELECT
  mode FROM reserve_amount)) AND id = ANY (ARRAY(SELECT id FROM reserve_amount)) AND payments.is_redacted =
  ALL (ARRAY(
  SELECT reserve_amount.is_redacted
  FROM reserve_amount
  WHERE reserve_amount.organization_id = payments.organization_id AND reserve_amount.mode = payments.mode AND
    reserve_amount.id = payments.id
));

-- take_back_amount
UPDATE payments
SET amount_refunded = greatest(amount_refunded - $4::bigint, 0)
WHERE organization_id = $1::uuid AND mode = $2::mode AND id = $3::uuid AND payments.is_redacted = $5::boolean;

-- take_back_amount*
WITH take_back_amount AS (
  SELECT v1::uuid AS organization_id, v2::mode AS mode, v3::uuid AS id, v4::bigint AS amount, v5::boolean AS
    is_redacted
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[]) AS sent (v1, v2, v3, v4, v5)
)
UPDATE payments
SET amount_refunded = greatest(amount_refunded - (
  SELECT sum(amount)::bigint
  FROM take_back_amount
  WHERE take_back_amount.organization_id = payments.organization_id AND take_back_amount.mode = payments.mode
    AND take_back_amount.id = payments.id
), 0)
WHERE organization_id = ANY (ARRAY(SELECT organization_id FROM take_back_amount)) AND mode = ANY (ARRAY(SELECT
  mode FROM take_back_amount)) AND id = ANY (ARRAY(SELECT id FROM take_back_amount)) AND payments.is_redacted
  = ALL (ARRAY(
  SELECT take_back_amount.is_redacted
  FROM take_back_amount
  WHERE take_back_amount.organization_id = payments.organization_id AND take_back_amount.mode = payments.mode
    AND take_back_amount.id = payments.id
));

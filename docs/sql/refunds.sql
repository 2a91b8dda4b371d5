-- approvals
/* every organization: an operator looks at payouts of all */ (
  SELECT mode, id
  FROM refunds
  WHERE mode = 'test' AND status = 'succeeded' AND approval = 'waiting'
  ORDER BY id DESC
  LIMIT 5
)
UNION ALL (
  SELECT mode, id
  FROM refunds
  WHERE mode = 'live' AND status = 'succeeded' AND approval = 'waiting'
  ORDER BY id DESC
  LIMIT 5
);

-- ledger workers
/* every organization: an operator looks at all pending refunds */
SELECT mode, id, claim_number AS "claimNumber", (count(*) OVER ())::integer AS refunds
FROM ((
  SELECT mode, id, claim_number
  FROM refunds
  WHERE mode = 'test' AND status = 'pending'
  ORDER BY id
  LIMIT 50000
) UNION ALL (
  SELECT mode, id, claim_number
  FROM refunds
  WHERE mode = 'live' AND status = 'pending'
  ORDER BY id
  LIMIT 50000
)) AS pending
WHERE claim_number >= 5
ORDER BY id
LIMIT 5;

-- new_refund
INSERT INTO refunds (organization_id, mode, id, payment_id, amount, currency, status, reference, description,
  provider_reference, failure_reason, made_elsewhere, claim_number, claim_expires_at, lapses, claimable_at,
  approval, proposed_by, approval_expires_at, decided_by, decided_at, comment)
VALUES ($1::uuid, $2::mode, $3::uuid, $4::uuid, $5::bigint, $6::text, $7::refund_status, $8::text, $9::text,
  $10::text, $11::text, $12::boolean, $13::integer, $14::timestamptz, $15::integer, $16::timestamptz,
  $17::approval, $18::json, $19::timestamptz, $20::json, $21::timestamptz, $22::text);

-- new_refund*
WITH new_refund AS (
  SELECT v1::uuid AS organization_id, v2::mode AS mode, v3::uuid AS id, v4::uuid AS payment_id, v5::bigint AS
    amount, v6::text AS currency, v7::refund_status AS status, v8::text AS reference, v9::text AS description,
    v10::text AS provider_reference, v11::text AS failure_reason, v12::boolean AS made_elsewhere, v13::integer
    AS claim_number, v14::timestamptz AS claim_expires_at, v15::integer AS lapses, v16::timestamptz AS
    claimable_at, v17::approval AS approval, v18::json AS proposed_by, v19::timestamptz AS approval_expires_at,
    v20::json AS decided_by, v21::timestamptz AS decided_at, v22::text AS comment
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
    $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[], $16::text[],
    $17::text[], $18::text[], $19::text[], $20::text[], $21::text[], $22::text[]) AS sent (v1, v2, v3, v4, v5,
    v6, v7, v8, v9, v10, v11, v12, v13, v14, v15, v16, v17, v18, v19, v20, v21, v22)
)
INSERT INTO refunds (organization_id, mode, id, payment_id, amount, currency, status, reference, description,
  provider_reference, failure_reason, made_elsewhere, claim_number, claim_expires_at, lapses, claimable_at,
  approval, proposed_by, approval_expires_at, decided_by, decided_at, comment)
SELECT organization_id, mode, id, payment_id, amount, currency, status, reference, description,
  provider_reference, failure_reason, made_elsewhere, claim_number, claim_expires_at, lapses, claimable_at,
  approval, proposed_by, approval_expires_at, decided_by, decided_at, comment
FROM new_refund;

-- refunds.claim
UPDATE refunds
SET claim_number = claim.number, lapses = claim.lapses, claim_expires_at = claim.expires_at, claimable_at =
  claim.claimable_at
FROM unnest($1::uuid[], $2::integer[], $3::integer[], $4::timestamptz[], $5::timestamptz[]) AS claim (id,
  number, lapses, expires_at, claimable_at)
WHERE refunds.organization_id = $6 AND refunds.mode = $7 AND refunds.id = claim.id;

-- refunds.claim_of_all
/* every organization: each has its turn in a claim */
UPDATE refunds
SET claim_number = claim.number, lapses = claim.lapses, claim_expires_at = claim.expires_at, claimable_at =
  claim.claimable_at
FROM unnest($1::uuid[], $2::integer[], $3::integer[], $4::timestamptz[], $5::timestamptz[], $6::uuid[]) AS
  claim (id, number, lapses, expires_at, claimable_at, organization_id)
WHERE refunds.organization_id = claim.organization_id AND refunds.mode = $7 AND refunds.id = claim.id;

-- refunds.find
SELECT organization_id AS "organizationId", mode AS "mode", id AS "id", payment_id AS "payment", amount AS
  "amount", currency AS "currency", status AS "status", reference AS "reference", description AS "description",
  provider_reference AS "providerReference", failure_reason AS "failureReason", made_elsewhere AS
  "isMadeElsewhere", claim_number AS "claimNumber", claim_expires_at AS "claimExpiresAt", lapses AS "lapses",
  claimable_at AS "claimableAt", approval AS "approval", proposed_by AS "proposedBy", approval_expires_at AS
  "approvalExpiresAt", decided_by AS "decidedBy", decided_at AS "decidedAt", comment AS "comment"
FROM refunds
WHERE organization_id = $1 AND mode = $2 AND id = $3;

-- refunds.find_many
SELECT organization_id AS "organizationId", mode AS "mode", id AS "id", payment_id AS "payment", amount AS
  "amount", currency AS "currency", status AS "status", reference AS "reference", description AS "description",
  provider_reference AS "providerReference", failure_reason AS "failureReason", made_elsewhere AS
  "isMadeElsewhere", claim_number AS "claimNumber", claim_expires_at AS "claimExpiresAt", lapses AS "lapses",
  claimable_at AS "claimableAt", approval AS "approval", proposed_by AS "proposedBy", approval_expires_at AS
  "approvalExpiresAt", decided_by AS "decidedBy", decided_at AS "decidedAt", comment AS "comment"
FROM refunds
WHERE organization_id = $1 AND mode = $2 AND id = ANY ($3::uuid[]);

-- refunds.lock_claimable
SELECT organization_id AS "organizationId", mode AS "mode", id AS "id", payment_id AS "payment", amount AS
  "amount", currency AS "currency", status AS "status", reference AS "reference", description AS "description",
  provider_reference AS "providerReference", failure_reason AS "failureReason", made_elsewhere AS
  "isMadeElsewhere", claim_number AS "claimNumber", claim_expires_at AS "claimExpiresAt", lapses AS "lapses",
  claimable_at AS "claimableAt", approval AS "approval", proposed_by AS "proposedBy", approval_expires_at AS
  "approvalExpiresAt", decided_by AS "decidedBy", decided_at AS "decidedAt", comment AS "comment",
  statement_timestamp() AS now
FROM refunds
WHERE organization_id = $1 AND mode = $2 AND status = 'pending' AND approval <> 'waiting' AND claimable_at <=
  statement_timestamp() AND (claim_expires_at IS NULL OR claim_expires_at <= statement_timestamp())
ORDER BY refunds.claimable_at, refunds.id
LIMIT $3
FOR NO KEY UPDATE SKIP LOCKED;

-- refunds.lock_claimable_of_all
/* every organization: each has its turn in a claim */
SELECT locked.*
FROM unnest($1::uuid[], $3::integer[]) AS turn (organization_id, refunds)
CROSS JOIN LATERAL (
  SELECT organization_id AS "organizationId", mode AS "mode", id AS "id", payment_id AS "payment", amount AS
    "amount", currency AS "currency", status AS "status", reference AS "reference", description AS
    "description", provider_reference AS "providerReference", failure_reason AS "failureReason",
    made_elsewhere AS "isMadeElsewhere", claim_number AS "claimNumber", claim_expires_at AS "claimExpiresAt",
    lapses AS "lapses", claimable_at AS "claimableAt", approval AS "approval", proposed_by AS "proposedBy",
    approval_expires_at AS "approvalExpiresAt", decided_by AS "decidedBy", decided_at AS "decidedAt", comment
    AS "comment", statement_timestamp() AS now
  FROM refunds
  WHERE organization_id = turn.organization_id AND mode = $2 AND status = 'pending' AND approval <> 'waiting'
    AND claimable_at <= statement_timestamp() AND (claim_expires_at IS NULL OR claim_expires_at <=
    statement_timestamp())
  ORDER BY refunds.claimable_at, refunds.id
  LIMIT turn.refunds
  FOR NO KEY UPDATE SKIP LOCKED
) AS locked;

-- refunds.measure
/* every organization: counts all pending refunds */ WITH pending AS MATERIALIZED (
  SELECT mode, currency, amount, claim_number, coalesce(claim_expires_at > statement_timestamp(), false) AS
    is_claimed
  FROM refunds
  WHERE status = 'pending' AND approval <> 'waiting'
  LIMIT 50000
), sums AS (
  SELECT mode, count(*) FILTER (WHERE is_claimed) AS claimed, count(*) FILTER (WHERE NOT is_claimed) AS
    unclaimed, count(*) FILTER (WHERE claim_number >= 5) AS stuck
  FROM pending RIGHT
  JOIN (VALUES ('test'::mode), ('live'::mode)) AS each_mode (mode) USING (mode)
  GROUP BY mode
), held AS (
  SELECT mode, currency, sum(amount) AS amount
  FROM pending
  GROUP BY mode, currency
), first AS (
  SELECT 'test' AS mode, (
    SELECT id
    FROM refunds
    WHERE mode = 'test' AND status = 'pending' AND approval <> 'waiting' AND (provider_reference IS NULL OR
      coalesce(claim_expires_at <= statement_timestamp(), true))
    ORDER BY id
    LIMIT 1
  ) AS id
  UNION ALL
  SELECT 'live' AS mode, (
    SELECT id
    FROM refunds
    WHERE mode = 'live' AND status = 'pending' AND approval <> 'waiting' AND (provider_reference IS NULL OR
      coalesce(claim_expires_at <= statement_timestamp(), true))
    ORDER BY id
    LIMIT 1
  ) AS id
)
SELECT 'pending' AS gauge, json_build_object('mode', mode, 'claimed', 'yes') AS labels, (claimed)::float8 AS
  value
FROM sums
UNION ALL
SELECT 'pending' AS gauge, json_build_object('mode', mode, 'claimed', 'no') AS labels, (unclaimed)::float8 AS
  value
FROM sums
UNION ALL
SELECT 'stuck' AS gauge, json_build_object('mode', mode) AS labels, (stuck)::float8 AS value
FROM sums
UNION ALL
SELECT 'amount' AS gauge, json_build_object('mode', mode, 'currency', currency) AS labels, (amount)::float8 AS
  value
FROM held
UNION ALL
SELECT 'oldest' AS gauge, json_build_object('mode', mode) AS labels, (coalesce(greatest(0, extract(epoch FROM
  statement_timestamp() - to_timestamp(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000.0))),
  0))::float8 AS value
FROM first;

-- refunds.waiting
/* every organization: claims take refunds of all of them by turns */ WITH RECURSIVE owner AS ( (
  SELECT organization_id, claimable_at, 1 AS place
  FROM refunds
  WHERE mode = $2 AND status = 'pending' AND approval <> 'waiting' AND organization_id > $1 AND
    organization_id <= $3
  ORDER BY organization_id, claimable_at
  LIMIT 1
) UNION ALL SELECT following.* FROM owner CROSS JOIN LATERAL (
  SELECT organization_id, claimable_at, owner.place + 1 AS place
  FROM refunds
  WHERE mode = $2 AND status = 'pending' AND approval <> 'waiting' AND organization_id > owner.organization_id
    AND organization_id <= $3
  ORDER BY organization_id, claimable_at
  LIMIT 1
) AS following WHERE owner.place < 1000 )
SELECT organization_id AS organization, place = 1000 AS "isEnd", (
  SELECT count(*)
  FROM (
    SELECT
    FROM refunds
    WHERE organization_id = found.organization_id AND mode = $2 AND status = 'pending' AND approval <>
      'waiting' AND claimable_at <= statement_timestamp() AND (claim_expires_at IS NULL OR claim_expires_at <=
      statement_timestamp())
    LIMIT $4 - found.others
  ) AS counted
)::integer AS refunds
FROM (
  SELECT *, count(*) OVER () - 1 AS others
  FROM (
    SELECT organization_id, place
    FROM owner
    WHERE claimable_at <= statement_timestamp() OR place = 1000
    LIMIT $4
  ) AS first
) AS found
ORDER BY place;

-- refunds.waiting_anywhere
/* every organization: claims take refunds of all of them by turns */
SELECT organization_id AS organization, false AS "isEnd", least(count(*), $4)::integer AS refunds
FROM refunds
WHERE mode = $1 AND status = 'pending' AND approval <> 'waiting' AND claimable_at <= statement_timestamp() AND (claim_expires_at
  IS NULL OR claim_expires_at <= statement_timestamp()) AND organization_id > $2 AND organization_id <= $3
GROUP BY organization_id
ORDER BY organization_id
LIMIT $4;

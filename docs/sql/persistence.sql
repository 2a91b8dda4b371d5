-- checkout_sessions.owner
/* every organization: a resource of the ledger is of any of them */
SELECT organization_id AS organization
FROM checkout_sessions
WHERE mode = $1 AND id = $2;

-- encryption.count idempotency_keys body
/* every organization: any of them may have values under an older key */
SELECT count(*) AS values
FROM idempotency_keys
WHERE body LIKE 'encrypted:%';

-- encryption.count ledger_webhook_endpoints previous_secret
/* every organization: any of them may have values under an older key */
SELECT count(*) AS values
FROM ledger_webhook_endpoints
WHERE previous_secret IS NOT NULL;

-- encryption.count ledger_webhook_endpoints secret
/* every organization: any of them may have values under an older key */
SELECT count(*) AS values
FROM ledger_webhook_endpoints
WHERE secret IS NOT NULL;

-- encryption.count organizations previous_webhook_secret
/* every organization: any of them may have values under an older key */
SELECT count(*) AS values
FROM organizations
WHERE previous_webhook_secret LIKE 'encrypted:%';

-- encryption.count organizations webhook_secret
/* every organization: any of them may have values under an older key */
SELECT count(*) AS values
FROM organizations
WHERE webhook_secret LIKE 'encrypted:%';

-- encryption.count webhook_endpoints previous_secret
/* every organization: any of them may have values under an older key */
SELECT count(*) AS values
FROM webhook_endpoints
WHERE previous_secret IS NOT NULL;

-- encryption.count webhook_endpoints secret
/* every organization: any of them may have values under an older key */
SELECT count(*) AS values
FROM webhook_endpoints
WHERE secret IS NOT NULL;

-- encryption.key
SELECT key
FROM encryption_keys
WHERE id = 1;

-- encryption.look idempotency_keys body
/* every organization: any of them may have values under an older key */
SELECT ARRAY[organization_id::text,mode::text,operation::text,key::text] AS key, body AS sealed
FROM idempotency_keys
WHERE (organization_id,mode,operation,key) > ($1,$2,$3,$4) AND body LIKE 'encrypted:%'
ORDER BY organization_id,mode,operation,key
LIMIT 1000;

-- encryption.look ledger_webhook_endpoints previous_secret
/* every organization: any of them may have values under an older key */
SELECT ARRAY[mode::text,id::text] AS key, previous_secret AS sealed
FROM ledger_webhook_endpoints
WHERE (mode,id) > ($1,$2) AND previous_secret IS NOT NULL
ORDER BY mode,id
LIMIT 1000;

-- encryption.look ledger_webhook_endpoints secret
/* every organization: any of them may have values under an older key */
SELECT ARRAY[mode::text,id::text] AS key, secret AS sealed
FROM ledger_webhook_endpoints
WHERE (mode,id) > ($1,$2) AND secret IS NOT NULL
ORDER BY mode,id
LIMIT 1000;

-- encryption.look organizations previous_webhook_secret
/* every organization: any of them may have values under an older key */
SELECT ARRAY[id::text] AS key, previous_webhook_secret AS sealed
FROM organizations
WHERE (id) > ($1) AND previous_webhook_secret LIKE 'encrypted:%'
ORDER BY id
LIMIT 1000;

-- encryption.look organizations webhook_secret
/* every organization: any of them may have values under an older key */
SELECT ARRAY[id::text] AS key, webhook_secret AS sealed
FROM organizations
WHERE (id) > ($1) AND webhook_secret LIKE 'encrypted:%'
ORDER BY id
LIMIT 1000;

-- encryption.look webhook_endpoints previous_secret
/* every organization: any of them may have values under an older key */
SELECT ARRAY[organization_id::text,mode::text,id::text] AS key, previous_secret AS sealed
FROM webhook_endpoints
WHERE (organization_id,mode,id) > ($1,$2,$3) AND previous_secret IS NOT NULL
ORDER BY organization_id,mode,id
LIMIT 1000;

-- encryption.look webhook_endpoints secret
/* every organization: any of them may have values under an older key */
SELECT ARRAY[organization_id::text,mode::text,id::text] AS key, secret AS sealed
FROM webhook_endpoints
WHERE (organization_id,mode,id) > ($1,$2,$3) AND secret IS NOT NULL
ORDER BY organization_id,mode,id
LIMIT 1000;

-- encryption.replace idempotency_keys body
UPDATE idempotency_keys
SET body = $6
WHERE organization_id = $1 AND mode = $2 AND operation = $3 AND key = $4 AND body = $5;

-- encryption.replace ledger_webhook_endpoints previous_secret
UPDATE ledger_webhook_endpoints
SET previous_secret = $4
WHERE mode = $1 AND id = $2 AND previous_secret = $3;

-- encryption.replace ledger_webhook_endpoints secret
UPDATE ledger_webhook_endpoints
SET secret = $4
WHERE mode = $1 AND id = $2 AND secret = $3;

-- encryption.replace organizations previous_webhook_secret
UPDATE organizations
SET previous_webhook_secret = $3
WHERE id = $1 AND previous_webhook_secret = $2;

-- encryption.replace organizations webhook_secret
UPDATE organizations
SET webhook_secret = $3
WHERE id = $1 AND webhook_secret = $2;

-- encryption.replace webhook_endpoints previous_secret
UPDATE webhook_endpoints
SET previous_secret = $5
WHERE organization_id = $1 AND mode = $2 AND id = $3 AND previous_secret = $4;

-- encryption.replace webhook_endpoints secret
UPDATE webhook_endpoints
SET secret = $5
WHERE organization_id = $1 AND mode = $2 AND id = $3 AND secret = $4;

-- jobs.pending_work
/* every organization: jobs work for all of them */ (
  SELECT 'follow_test_clocks' AS job
  FROM (
    SELECT
    FROM sandbox_clocks
    WHERE ahead_seconds > 0
    ORDER BY organization_id
    LIMIT 1
  ) AS pending
)
UNION ALL (
  SELECT 'expire_sessions' AS job
  FROM (
    SELECT
    FROM checkout_sessions
    WHERE status = 'open' AND expires_at <= statement_timestamp() + make_interval(secs => 0)
    ORDER BY expires_at
    LIMIT 1
  ) AS pending
)
UNION ALL (
  SELECT 'deliver_webhooks' AS job
  FROM (
    SELECT
    FROM webhook_deliveries
    WHERE next_attempt_at IS NOT NULL
    ORDER BY organization_id
    LIMIT 1
  ) AS pending
)
UNION ALL (
  SELECT 'receive_transfers' AS job
  FROM (
    SELECT
    FROM late_payments
    WHERE due_at <= statement_timestamp()
    ORDER BY due_at
    LIMIT 1
  ) AS pending
)
UNION ALL (
  SELECT 'expire_approvals' AS job
  FROM (
    SELECT
    FROM refunds
    WHERE status = 'pending' AND approval = 'waiting' AND approval_expires_at <= statement_timestamp()
    ORDER BY approval_expires_at
    LIMIT 1
  ) AS pending
);

-- payment_holds.owner
/* every organization: a resource of the ledger is of any of them */
SELECT organization_id AS organization
FROM payment_holds
WHERE mode = $1 AND id = $2;

-- payments.owner
/* every organization: a resource of the ledger is of any of them */
SELECT organization_id AS organization
FROM payments
WHERE mode = $1 AND id = $2;

-- personal_data.belonging event 3
SELECT found.id
FROM unnest($1::uuid[]) AS wanted (id)
CROSS JOIN LATERAL (
  SELECT id
  FROM events
  WHERE organization_id = $2 AND mode = $3 AND object_id = wanted.id AND id > $4
  ORDER BY id
  LIMIT $5
) AS found
ORDER BY id
LIMIT $5;

-- personal_data.belonging payment 1
SELECT found.id
FROM unnest($1::uuid[]) AS wanted (id)
CROSS JOIN LATERAL (
  SELECT id
  FROM payments
  WHERE organization_id = $2 AND mode = $3 AND checkout_session_id = wanted.id AND id > $4
  ORDER BY id
  LIMIT $5
) AS found
ORDER BY id
LIMIT $5;

-- personal_data.belonging payment.hold 1
SELECT found.id
FROM unnest($1::uuid[]) AS wanted (id)
CROSS JOIN LATERAL (
  SELECT id
  FROM payment_holds
  WHERE organization_id = $2 AND mode = $3 AND payment_id = wanted.id AND id > $4
  ORDER BY id
  LIMIT $5
) AS found
ORDER BY id
LIMIT $5;

-- personal_data.belonging refund 1
SELECT found.id
FROM unnest($1::uuid[]) AS wanted (id)
CROSS JOIN LATERAL (
  SELECT id
  FROM refunds
  WHERE organization_id = $2 AND mode = $3 AND payment_id = wanted.id AND id > $4
  ORDER BY id
  LIMIT $5
) AS found
ORDER BY id
LIMIT $5;

-- personal_data.clear checkout.session 2
DELETE
FROM checkout_pages
WHERE organization_id = $1 AND mode = $2 AND session_id = ANY ($3::uuid[]);

-- personal_data.clear event 2
DELETE
FROM webhook_deliveries
WHERE organization_id = $1 AND mode = $2 AND event_id = ANY ($3::uuid[]) AND endpoint_id =
  '00000000-0000-0000-0000-000000000000';

-- personal_data.clear event 3
UPDATE events
SET reason = NULL
WHERE organization_id = $1 AND mode = $2 AND id = ANY ($3::uuid[]) AND reason IS NOT NULL;

-- personal_data.clear payment 1
UPDATE payments
SET is_redacted = true, notify_url = NULL, details_since = NULL
WHERE organization_id = $1 AND mode = $2 AND id = ANY ($3::uuid[]);

-- personal_data.clear payment.hold 1
UPDATE payment_holds
SET reason = NULL
WHERE organization_id = $1 AND mode = $2 AND id = ANY ($3::uuid[]) AND reason IS NOT NULL;

-- personal_data.clear refund 1
UPDATE refunds
SET description = NULL, failure_reason = NULL, comment = NULL
WHERE organization_id = $1 AND mode = $2 AND id = ANY ($3::uuid[]) AND num_nonnulls(description,
  failure_reason, comment) > 0;

-- personal_data.find events data
SELECT ctid::text AS place, id::text AS key, data AS json
FROM events
WHERE organization_id = $1 AND mode = $2 AND id = ANY ($3::uuid[]) AND data LIKE '{%' AND (id::text) COLLATE
  "C" > $4
ORDER BY (id::text) COLLATE "C"
LIMIT $5
FOR NO KEY UPDATE;

-- personal_data.find events details
SELECT ctid::text AS place, id::text AS key, details AS json
FROM events
WHERE organization_id = $1 AND mode = $2 AND id = ANY ($3::uuid[]) AND details LIKE '{%' AND (id::text)
  COLLATE "C" > $4
ORDER BY (id::text) COLLATE "C"
LIMIT $5
FOR NO KEY UPDATE;

-- personal_data.find idempotency_keys body
SELECT ctid::text AS place, operation || ' ' || key AS key, body AS json
FROM idempotency_keys
WHERE organization_id = $1 AND mode = $2 AND resource_id = ANY ($3::uuid[]) AND body LIKE '{%' AND (operation
  || ' ' || key) COLLATE "C" > $4
ORDER BY (operation || ' ' || key) COLLATE "C"
LIMIT $5
FOR NO KEY UPDATE;

-- personal_data.kept checkout.session 1
SELECT checkout_session_id AS id
FROM payments
WHERE organization_id = $1 AND mode = $2 AND checkout_session_id = ANY ($3::uuid[]);

-- personal_data.kept checkout.session 2
SELECT session_id AS id
FROM late_payments
WHERE organization_id = $1 AND mode = $2 AND session_id = ANY ($3::uuid[]);

-- personal_data.remove checkout.session 2
DELETE
FROM checkout_pages
WHERE organization_id = $1 AND mode = $2 AND session_id = ANY ($3::uuid[]);

-- personal_data.remove event 2
DELETE
FROM webhook_deliveries
WHERE organization_id = $1 AND mode = $2 AND event_id = ANY ($3::uuid[]);

-- personal_data.remove event 3
DELETE
FROM events
WHERE organization_id = $1 AND mode = $2 AND id = ANY ($3::uuid[]);

-- personal_data.store events data
UPDATE events
SET data = cleared.json
FROM unnest($1::tid[], $2::text[]) AS cleared (place, json)
WHERE organization_id = $3 AND mode = $4 AND ctid = ANY ($1::tid[]) AND ctid = cleared.place;

-- personal_data.store events details
UPDATE events
SET details = cleared.json
FROM unnest($1::tid[], $2::text[]) AS cleared (place, json)
WHERE organization_id = $3 AND mode = $4 AND ctid = ANY ($1::tid[]) AND ctid = cleared.place;

-- personal_data.store idempotency_keys body
UPDATE idempotency_keys
SET body = cleared.json
FROM unnest($1::tid[], $2::text[]) AS cleared (place, json)
WHERE organization_id = $3 AND mode = $4 AND ctid = ANY ($1::tid[]) AND ctid = cleared.place;

-- personal_data.unfinished payment 1
UPDATE payments
SET details_since = '-infinity'
WHERE organization_id = $1 AND mode = $2 AND id = ANY ($3::uuid[]);

-- refunds.owner
/* every organization: a resource of the ledger is of any of them */
SELECT organization_id AS organization
FROM refunds
WHERE mode = $1 AND id = $2;

-- webhook_endpoints.owner
/* every organization: a resource of the ledger is of any of them */
SELECT organization_id AS organization
FROM webhook_endpoints
WHERE mode = $1 AND id = $2;

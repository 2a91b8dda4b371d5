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

-- telemetry.readiness
SELECT pg_is_in_recovery() OR current_setting('default_transaction_read_only')::boolean AS "isReadOnly",
  EXISTS (SELECT FROM migrations WHERE name = $1) AS "isMigrated";

-- database.grown_tables
SELECT relname AS name
FROM pg_class
WHERE relkind = 'r' AND pg_relation_size(oid) >= greatest(65536, 81920 * relpages) AND relnamespace = 'public'::regnamespace
  AND pg_has_role(relowner, 'USAGE');

-- The roles of docs/operate/postgresql.md, and their time limits behind PgBouncer. The image runs this file when it makes its database.
-- The passwords are for trying it out.
CREATE ROLE tillgate_owner LOGIN PASSWORD 'tillgate_owner';
CREATE ROLE tillgate LOGIN PASSWORD 'tillgate';
CREATE DATABASE tillgate OWNER tillgate_owner ENCODING 'UTF8' TEMPLATE template0;
REVOKE ALL ON DATABASE tillgate FROM PUBLIC;
GRANT CONNECT ON DATABASE tillgate TO tillgate;
ALTER ROLE tillgate IN DATABASE tillgate SET lock_timeout = '500ms';
ALTER ROLE tillgate IN DATABASE tillgate SET statement_timeout = '5s';
ALTER ROLE tillgate IN DATABASE tillgate SET idle_in_transaction_session_timeout = '10s';
ALTER ROLE tillgate IN DATABASE tillgate SET plan_cache_mode = 'force_generic_plan';
ALTER ROLE tillgate IN DATABASE tillgate SET enable_bitmapscan = 'off';
\connect tillgate
SET ROLE tillgate_owner;
ALTER DEFAULT PRIVILEGES GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO tillgate;
ALTER DEFAULT PRIVILEGES GRANT USAGE ON SEQUENCES TO tillgate;

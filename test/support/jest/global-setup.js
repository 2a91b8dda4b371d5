/**
 * Jest runs this file outside its module system, so it uses the build, which `npm test` makes
 * first.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { openEmbeddedPostgres } from '../../../dist/src/operator/embedded-postgres/embedded-postgres.js';
import { migrate } from '../../../dist/src/operator/migrate/migrate.js';

/**
 * Prepares one PostgreSQL for the whole run, with a migrated template database that each test file
 * copies. It is an embedded one, or the server of TEST_DATABASE_URL, which may be the coordinator
 * of a Citus cluster.
 */
const globalSetup = async () => {
  const given = process.env.TEST_DATABASE_URL;
  const postgres = given ? { url: given, close: async () => undefined } : await openEmbedded();
  const template = given ? `tillgate_template_${process.pid}` : 'tillgate_template';
  const url = new URL(postgres.url);
  url.pathname = `/${template}`;
  const scratch = mkdtempSync(join(tmpdir(), 'tillgate-run-'));
  globalThis.testRun = { postgres, template: given && template, scratch };
  process.env.TEST_SCRATCH = scratch;
  process.env.TEST_POSTGRES_URL = postgres.url;
  process.env.TEST_TEMPLATE = template;
  process.env.TEST_CITUS_WORKERS = (await query(postgres.url, IS_CITUS))
    ? await query(postgres.url, WORKERS)
    : '';
  if (!given) await query(postgres.url.replace(/[^/]+$/, 'template1'), SERVICE_ROLE);
  process.env.TEST_SERVICE_ROLE = given ? '' : 'tillgate_service';
  await query(postgres.url, `CREATE DATABASE ${template}`);
  await migrate(url.href);
};

const IS_CITUS = `SELECT to_regclass('pg_dist_node') AS found`;
const WORKERS = `SELECT string_agg(nodename || ':' || nodeport, ' ') AS found FROM pg_dist_node WHERE groupid > 0`;

/**
 * The service has these rights and no others in all tests (docs/operate/postgresql.md). A copy of a
 * database has them too.
 */
const SERVICE_ROLE = `CREATE ROLE tillgate_service LOGIN PASSWORD 'service';
  ALTER DEFAULT PRIVILEGES GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO tillgate_service;
  ALTER DEFAULT PRIVILEGES GRANT USAGE ON SEQUENCES TO tillgate_service`;

async function openEmbedded() {
  const dataDir = mkdtempSync(join(tmpdir(), 'tillgate-test-'));
  const postgres = await openEmbeddedPostgres({ dataDir, role: 'server' });
  const close = async () => {
    await postgres.close();
    rmSync(dataDir, { recursive: true, force: true });
  };
  return { url: postgres.url, close };
}

async function query(connectionString, sql) {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    return (await client.query(sql)).rows?.[0]?.found ?? '';
  } finally {
    await client.end();
  }
}

export default globalSetup;

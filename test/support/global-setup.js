/** Runs outside jest's module system, so it uses the build, which `npm test` makes first. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { migrate } from '../../dist/src/platform/database/migrate.js';
import { openEmbeddedPostgres } from '../../dist/src/platform/embedded-postgres/embedded-postgres.js';

/** One PostgreSQL for the whole run, with a migrated template database that each test file copies. */
const globalSetup = async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'tillgate-test-'));
  const postgres = await openEmbeddedPostgres({ dataDir, role: 'server' });
  globalThis.testPostgres = { postgres, dataDir };
  const template = 'tillgate_template';
  process.env.TEST_POSTGRES_URL = postgres.url;
  process.env.TEST_TEMPLATE = template;
  const client = new Client({ connectionString: postgres.url });
  await client.connect();
  await client.query(`CREATE DATABASE ${template}`);
  await client.end();
  const url = new URL(postgres.url);
  url.pathname = `/${template}`;
  await migrate(url.href);
};

export default globalSetup;

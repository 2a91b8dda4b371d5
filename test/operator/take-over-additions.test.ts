/** `migrate` names what others added to a database of 1.2.0 before it changes anything. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { migrate } from '../../src/operator/migrate/migrate.js';
import { MIGRATIONS } from '../../src/persistence/data-source.js';
import { Progress } from '../../src/platform/progress.js';
import { readCatalog } from '../support/catalog.js';
import { withClient } from '../support/postgres.js';
import { createDatabaseOf120 } from '../support/version-1-2-0.js';

const NAMES = MIGRATIONS.map(({ name }) => name);
const PARAMETERS = `SELECT own.reloptions AS own, toast.reloptions AS toast
  FROM pg_class AS own JOIN pg_class AS toast ON toast.oid = own.reltoastrelid
  WHERE own.oid = 'events'::regclass`;

let database: Awaited<ReturnType<typeof createDatabaseOf120>>;

const sql = (text: string) =>
  withClient(database.url, async (client) => (await client.query(text)).rows);
const takeOver = () => migrate(database.url, new Progress({ write: () => undefined }));
const namesOnly = (names: string) => `Tillgate did not make these: ${names}. Move types and tables`;

beforeEach(async () => {
  database = await createDatabaseOf120({ withRows: false });
});

afterEach(async () => database.drop());

describe('a database of 1.2.0 is refused and stays as it was', () => {
  test.each([
    ['an enum', `CREATE TYPE mood AS ENUM ('good')`, 'type mood'],
    ['a domain', 'CREATE DOMAIN share AS integer', 'type share'],
    ['a type with a name of ours', `CREATE TYPE mode AS ENUM ('fast')`, 'type mode'],
    ['a table', 'CREATE TABLE "Orders" (id uuid PRIMARY KEY)', 'table Orders'],
    ['a column', 'ALTER TABLE refunds ADD COLUMN team text', 'column refunds.team'],
    [
      'a column whose name a column of another table had',
      'ALTER TABLE refunds ADD COLUMN residence text',
      'column refunds.residence',
    ],
    [
      'a check',
      'ALTER TABLE refunds ADD CONSTRAINT small CHECK (amount < 100)',
      'constraint refunds.small',
    ],
    [
      'a foreign key of our table',
      'ALTER TABLE events ADD CONSTRAINT shop FOREIGN KEY (organization_id) REFERENCES organizations',
      'constraint events.shop',
    ],
    [
      'a foreign key in another schema',
      `CREATE SCHEMA reports; CREATE TABLE reports.notes (
        shop uuid CONSTRAINT of_shop REFERENCES organizations)`,
      'foreign key reports.notes.of_shop',
    ],
    ['an index', 'CREATE INDEX by_description ON refunds (description)', 'index by_description'],
    [
      'a view in another schema',
      'CREATE SCHEMA reports; CREATE VIEW reports.states AS SELECT status FROM refunds',
      'view reports.states',
    ],
  ])('if it has %s, which is named', async (_, addition, name) => {
    await sql(addition);
    const before = await readCatalog(database.url);
    await expect(takeOver()).rejects.toThrow(namesOnly(name));
    expect(await readCatalog(database.url)).toEqual(before);
  });

  test('if it has several additions, and all are named', async () => {
    await sql(`CREATE TABLE taxes (id uuid PRIMARY KEY);
      ALTER TABLE refunds ADD COLUMN team text;
      CREATE DOMAIN share AS integer`);
    await expect(takeOver()).rejects.toThrow(
      namesOnly('type share, table taxes, column refunds.team'),
    );
  });

  test('if tables have other storage parameters, with the statements that mend it', async () => {
    await sql(`ALTER TABLE refunds SET (fillfactor = 50, parallel_workers = 2);
      ALTER TABLE payments SET (fillfactor = 50)`);
    const before = await readCatalog(database.url);
    const mending =
      'ALTER TABLE payments SET (fillfactor=80); ' +
      'ALTER TABLE refunds RESET (fillfactor, parallel_workers);';
    await expect(takeOver()).rejects.toThrow(
      'Tables have storage parameters that differ from those of Tillgate. Nothing was changed. ' +
        `Run this, and then \`tillgate migrate\` again: ${mending}`,
    );
    expect(await readCatalog(database.url)).toEqual(before);
    await sql(mending);
    expect(await takeOver()).toEqual(NAMES);
  });
});

test('a database of 1.2.0 keeps the storage parameters of autovacuum and of TOAST', async () => {
  await sql(`ALTER TABLE events SET (autovacuum_vacuum_scale_factor = 0.01,
    log_autovacuum_min_duration = 0, toast.autovacuum_enabled = false)`);
  const before = await sql(PARAMETERS);
  expect(await takeOver()).toEqual(NAMES);
  expect(await sql(PARAMETERS)).toEqual(before);
});

test('a database of 1.2.0 keeps the types, tables and views of an extension', async () => {
  await sql(`CREATE TYPE mood AS ENUM ('good');
    CREATE TABLE "Places" (mood mood PRIMARY KEY);
    CREATE VIEW moods AS SELECT mood FROM "Places";
    ALTER EXTENSION plpgsql ADD TYPE mood;
    ALTER EXTENSION plpgsql ADD TABLE "Places";
    ALTER EXTENSION plpgsql ADD VIEW moods`);
  expect(await takeOver()).toEqual(NAMES);
  expect(await sql('SELECT mood FROM moods')).toEqual([]);
});

/**
 * The guide adds a value to an enum as one migration. Statements that were prepared before accept
 * it.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import type { QueryRunner } from 'typeorm';
import { CHECKOUT_SESSION_ID } from '../../src/modules/checkout/domain/checkout-session.js';
import { createMigrationDataSource } from '../../src/persistence/data-source.js';
import { idOf, newId, uuidOf } from '../../src/shared/id.js';
import { useService, useShop } from '../kit/setup.js';

const [, ADD_VALUE = ''] =
  /```sql\n(ALTER TYPE .*?)\n```/.exec(readFileSync('docs/guides/adding-a-field.md', 'utf8')) ?? [];
const [, INSERT = '', COLUMNS = ''] =
  /-- new_session\n(INSERT INTO checkout_sessions \((.*?)\).*?);/s.exec(
    readFileSync('docs/sql/checkout.sql', 'utf8'),
  ) ?? [];

/** A table or an index that is rewritten gets another file. */
const FILES = `SELECT relname AS name, relfilenode AS file FROM pg_class
  WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'i') ORDER BY relname`;

class CustomUiMode1790000000099 {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query(ADD_VALUE);
  }

  async down(): Promise<void> {
    // PostgreSQL cannot remove a value.
  }
}

const service = useService();
const shop = useShop(service);

const filesOf = async () => (await service.sql.query(FILES)).rows;

async function runMigration(): Promise<void> {
  const dataSource = createMigrationDataSource(service.databaseUrl);
  dataSource.setOptions({ migrations: [CustomUiMode1790000000099] });
  await dataSource.initialize();
  await dataSource.runMigrations();
  await dataSource.destroy();
}

/** Copies a session with the statement that creates one. pg prepares it once for its name. */
async function copied(id: string, uiMode: string): Promise<string> {
  const columns = COLUMNS.split(/,\s+/);
  const [row = []] = (
    await service.sql.query({
      text: `SELECT ${columns.map((column) => `${column}::text`).join(', ')}
        FROM checkout_sessions WHERE id = $1`,
      values: [uuidOf(id)],
      rowMode: 'array',
    })
  ).rows;
  const uuid = uuidOf(newId(CHECKOUT_SESSION_ID, Date.now(), 'test'));
  const changed: Readonly<Record<string, string>> = { id: uuid, ui_mode: uiMode };
  const values = columns.map((column, place) => changed[column] ?? row[place]);
  await service.sql.query({ name: 'new_session', text: INSERT, values });
  return idOf(CHECKOUT_SESSION_ID, uuid, 'test');
}

test('a new value of an enum rewrites nothing, and running statements accept it', async () => {
  const { body: session } = await shop.createSession();
  await copied(session.id, 'embedded');
  await expect(copied(session.id, 'custom')).rejects.toThrow(
    'invalid input value for enum ui_mode: "custom"',
  );
  await shop.get(`/v1/checkout_sessions/${session.id}`);
  const before = await filesOf();
  expect(before.length).toBeGreaterThan(50);

  await runMigration();

  expect(await filesOf()).toEqual(before);
  const id = await copied(session.id, 'custom');
  // The description of the API does not have the value yet, so the test's client would refuse it.
  const answer = await fetch(`${service.url}/v1/checkout_sessions/${id}`, {
    headers: { authorization: `Bearer ${shop.key}` },
  });
  expect(await answer.json()).toEqual({
    ...session,
    id,
    ui_mode: 'custom',
    created_at: expect.any(Number),
  });
});

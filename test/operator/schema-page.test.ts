/** The page of the schema shows the tables that the migrations make. */
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { createDatabase } from '../support/postgres.js';
import { run } from '../support/processes.js';

test('docs/operate/schema.md shows the tables of a migrated database', async () => {
  const database = await createDatabase();
  const { stdout } = await run(['dist/tools/diagrams/schema.js', database.url]).ended;
  const [, shown] =
    /```mermaid\n(.*?)```/s.exec(readFileSync('docs/operate/schema.md', 'utf8')) ?? [];
  expect(stdout).toBe(shown);
  await database.drop();
});

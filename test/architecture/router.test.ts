/**
 * `npm run check` refuses the statements that Citus's router refuses. The second list has
 * similar statements that are accepted.
 */
import { describe, expect, test } from '@jest/globals';
import { refusedOfAll } from '../../tools/statements/every-organization.js';
import { IMMUTABLE, STABLE } from '../../tools/statements/functions.js';
import { faultsOf } from '../../tools/statements/organizations.js';
import { serverUrl, withClient } from '../support/postgres.js';

const TABLES = new Set(['notes', 'payments']);
const OWN = 'WHERE organization_id = $1 AND id = $2';
const NEW = 'INSERT INTO notes (organization_id, id, title)';
const CONFLICT = `${NEW} VALUES ($1, $2, $3) ON CONFLICT (organization_id, id) DO UPDATE SET`;

const LAZY = 'has a function that is not IMMUTABLE in CASE or COALESCE of a write';
const COLUMN = 'gives a column to a function that is not IMMUTABLE in a write';
const RETURNING = 'has a function that is not IMMUTABLE in RETURNING';
const ON_CONFLICT = 'has a function that is not IMMUTABLE in ON CONFLICT';
const QUERY = 'has a sub-query in an INSERT of values';
const REFERENCE = 'reads a table of organizations to change one that each machine has';
const ELEMENT = 'takes or sets a part of a value in a write';
const calls = (name: string) =>
  `calls ${name}, which is VOLATILE or not in tools/statements/functions.ts`;

test.each([
  [LAZY, `UPDATE notes SET closed_at = CASE WHEN $3 <> 'open' THEN now() END ${OWN}`],
  [LAZY, `UPDATE notes SET closed_at = CASE WHEN $3 THEN CURRENT_TIMESTAMP END ${OWN}`],
  [LAZY, `UPDATE notes SET closed_at = coalesce(closed_at, statement_timestamp()) ${OWN}`],
  [LAZY, `UPDATE notes SET title = coalesce($3, json_build_object('a', $4)::text) ${OWN}`],
  [LAZY, `UPDATE notes SET due_at = coalesce(due_at, CASE WHEN $3 THEN now() END) ${OWN}`],
  [LAZY, `UPDATE notes SET due_at = CASE WHEN $3 THEN greatest(due_at, now()) END ${OWN}`],
  [LAZY, `UPDATE notes SET due_at = nullif(coalesce(due_at, now()), closed_at) ${OWN}`],
  [LAZY, `UPDATE notes SET title = CASE due_at WHEN now() THEN 'a' ELSE 'b' END ${OWN}`],
  [LAZY, `UPDATE notes SET title = coalesce(title, CURRENT_USER) ${OWN}`],
  [LAZY, `UPDATE notes SET due_at = coalesce($3::text::timestamptz, due_at) ${OWN}`],
  [LAZY, `UPDATE notes SET status = coalesce(($3::json->>'a')::refund_status, status) ${OWN}`],
  [LAZY, `UPDATE notes SET due_at = CASE WHEN $3 THEN $4 + make_interval(secs => 1) END ${OWN}`],
  [LAZY, `UPDATE notes SET title = $3 ${OWN} AND coalesce(due_at <= now(), true)`],
  [LAZY, `DELETE FROM notes ${OWN} AND CASE WHEN $3 THEN due_at <= now() ELSE true END`],
  [
    LAZY,
    `WITH p AS (UPDATE notes SET due_at = coalesce($3, now()) ${OWN} RETURNING *) SELECT FROM p`,
  ],
  [COLUMN, `UPDATE notes SET title = to_char(due_at, 'YYYY') ${OWN}`],
  [COLUMN, `UPDATE notes SET due_at = due_at + interval '1 day' ${OWN}`],
  [COLUMN, `UPDATE notes SET due_at = due_at + $3::int * interval '1 second' ${OWN}`],
  [COLUMN, `UPDATE notes SET due_at = due_at + (now() - due_at) ${OWN}`],
  [COLUMN, `UPDATE notes SET title = due_at::text ${OWN}`],
  [COLUMN, `UPDATE notes SET title = status::text ${OWN}`],
  [COLUMN, `UPDATE notes SET title = 'a-' || id ${OWN}`],
  [COLUMN, `UPDATE notes SET due_at = title::timestamptz ${OWN}`],
  [COLUMN, `UPDATE notes SET title = $3 ${OWN} AND due_at::date = $4`],
  [COLUMN, `UPDATE notes SET title = $3 ${OWN} AND due_at < CURRENT_DATE`],
  [COLUMN, `UPDATE notes SET title = $3 ${OWN} AND now()::date >= due_at`],
  [COLUMN, `DELETE FROM notes ${OWN} AND due_at + make_interval(secs => $3) < now()`],
  [RETURNING, `UPDATE notes SET title = $3 ${OWN} RETURNING id, now()`],
  [RETURNING, `${NEW} VALUES ($1, $2, $3) RETURNING to_json(title)`],
  [RETURNING, `DELETE FROM notes ${OWN} RETURNING due_at::text`],
  [RETURNING, `DELETE FROM notes ${OWN} RETURNING CASE WHEN due_at < CURRENT_TIMESTAMP THEN 1 END`],
  [ON_CONFLICT, `${CONFLICT} due_at = now()`],
  [ON_CONFLICT, `${CONFLICT} title = $3 WHERE notes.due_at < now()`],
  [ON_CONFLICT, `${CONFLICT} title = notes.due_at::text`],
  [QUERY, `${NEW} VALUES ($1, $2, (SELECT $3::text))`],
  [QUERY, `${CONFLICT} title = (SELECT $4::text)`],
  [QUERY, `${NEW} VALUES ($1, $2, $3) RETURNING (SELECT 1)`],
  [calls('clock_timestamp'), `UPDATE notes SET due_at = clock_timestamp() ${OWN}`],
  [calls('random'), `DELETE FROM notes ${OWN} AND random() < 0.5`],
  [calls('nextval'), `UPDATE notes SET title = $3, version = nextval('numbers') ${OWN}`],
  [calls('lastval'), `${NEW} VALUES ($1, $2, lastval()::text)`],
  [calls('gen_random_uuid'), `${NEW} SELECT $1::uuid, gen_random_uuid(), $2`],
  [calls('title_of'), `UPDATE notes SET title = title_of($3) ${OWN}`],
  [ELEMENT, `UPDATE notes SET title = ($3::text[])[1] ${OWN}`],
  [ELEMENT, `UPDATE notes SET words[1] = $3 ${OWN}`],
  [REFERENCE, `UPDATE keys SET name = $2 WHERE EXISTS (SELECT FROM notes ${OWN})`],
  [REFERENCE, `UPDATE keys SET name = title FROM notes ${OWN}`],
  [REFERENCE, `WITH found AS (SELECT FROM notes ${OWN}) DELETE FROM keys USING found`],
  [
    REFERENCE,
    `WITH done AS (UPDATE notes SET title = $3 ${OWN} RETURNING id)
      UPDATE keys SET name = $3 WHERE id IN (SELECT id FROM done)`,
  ],
])('the check says "%s" of %s', async (fault, sql) => {
  expect(await faultsOf(sql, TABLES)).toEqual([fault]);
});

test.each([
  `UPDATE notes SET closed_at = now() + make_interval(secs => $3) ${OWN} AND due_at > now()`,
  `UPDATE notes SET title = CASE WHEN $3 <> 'open' THEN lower(title) END ${OWN}`,
  `UPDATE notes SET due_at = greatest(due_at, now()), closed_at = nullif(closed_at, now()) ${OWN}`,
  `UPDATE notes SET due_at = CURRENT_TIMESTAMP + $3::interval * 2, title = now()::text ${OWN}`,
  `UPDATE notes SET due_at = coalesce(due_at, $3::timestamptz, '2030-01-01Z'::timestamptz) ${OWN}`,
  `UPDATE notes SET due_at = now() + (now() - $3::timestamptz) ${OWN} AND now() - due_at > $4`,
  `UPDATE notes SET title = title || id::text ${OWN} AND (due_at AT TIME ZONE 'UTC')::date = $3`,
  `UPDATE keys SET used_at = now() WHERE id IN (SELECT id FROM keys WHERE name = $1)`,
  `WITH used AS (UPDATE keys SET name = $3 RETURNING id) SELECT notes.id FROM notes, used ${OWN}`,
  `UPDATE notes SET title = coalesce($3, left(title, 9)), due_at = to_timestamp($4) ${OWN}`,
  `UPDATE notes SET due_at = (due_at AT TIME ZONE 'UTC' + interval '1 day') AT TIME ZONE 'UTC' ${OWN}`,
  `UPDATE notes SET title = $3 ${OWN} AND (due_at IS NULL OR due_at <= now() - interval '1 hour')`,
  `UPDATE notes SET title = (SELECT coalesce(min(title), 'a') FROM notes ${OWN}) ${OWN}`,
  `DELETE FROM notes ${OWN} AND due_at < now() - make_interval(secs => $3) RETURNING id, due_at`,
  `${NEW} VALUES ($1, $2, coalesce($3, now()::text)) RETURNING id`,
  `${NEW} SELECT $1::uuid, $2::uuid, CASE WHEN $3::boolean THEN now()::text END`,
  `${CONFLICT} title = excluded.title, due_at = $4 WHERE notes.title < $5`,
  `SELECT coalesce(due_at, now()), to_char(due_at, 'YYYY') FROM notes ${OWN} FOR UPDATE`,
])('the check accepts %s', async (sql) => {
  expect(await faultsOf(sql, TABLES)).toEqual([]);
});

describe('of a statement for all organizations', () => {
  const ALL = '/* every organization: the ledger reads the notes of all */ SELECT';
  const EACH = 'has a sub-query for each row that is not of its organization';
  const JOIN = 'joins tables of all organizations by other columns than the organization';
  const OF_NOTE = 'p.organization_id = n.organization_id AND p.note_id = n.id';

  test.each([
    [
      'groups all organizations by GROUPING SETS, CUBE or ROLLUP',
      `${ALL} count(*) FROM notes GROUP BY ROLLUP (title)`,
    ],
    [
      'is recursive over all organizations',
      `${ALL} id FROM (WITH RECURSIVE each AS (SELECT id FROM notes UNION SELECT id FROM each) TABLE each) all_of`,
    ],
    [JOIN, `${ALL} n.id FROM notes n, payments p`],
    [JOIN, `${ALL} n.id FROM notes n LEFT JOIN payments p ON p.note_id = n.id`],
    [JOIN, `${ALL} n.id FROM notes n JOIN payments p USING (id)`],
    [JOIN, `${ALL} n.id FROM notes n JOIN payments p ON ${OF_NOTE} JOIN notes m ON m.id = n.id`],
    [EACH, `${ALL} n.id FROM notes n WHERE EXISTS (SELECT FROM payments p WHERE p.id = n.id)`],
    [EACH, `${ALL} (SELECT count(*) FROM payments p WHERE p.note_id = n.id) FROM notes n`],
    [
      EACH,
      `${ALL} FROM notes n, LATERAL (SELECT FROM payments p WHERE p.note_id = n.id LIMIT 1) l`,
    ],
    [EACH, `${ALL} k.id FROM keys k WHERE NOT EXISTS (SELECT FROM notes n WHERE n.id = k.id)`],
    [
      EACH,
      `${ALL} FROM unnest($1::text[]) w (t), LATERAL (SELECT FROM notes n WHERE n.title = w.t LIMIT 1) l`,
    ],
  ])('the check says "%s" of %s', async (fault, sql) => {
    expect(await refusedOfAll(sql, TABLES)).toEqual([fault]);
  });

  test.each([
    `${ALL} title, count(*) FROM notes GROUP BY title`,
    `${ALL} n.id FROM notes n LEFT JOIN payments p ON ${OF_NOTE}`,
    `${ALL} n.id FROM notes n JOIN payments p USING (organization_id, id)`,
    `${ALL} n.id FROM notes n WHERE NOT EXISTS (SELECT FROM payments p WHERE ${OF_NOTE})`,
    `${ALL} (SELECT count(*) FROM payments p WHERE ${OF_NOTE}) FROM notes n`,
    `${ALL} n.id FROM notes n, LATERAL (SELECT FROM payments p WHERE ${OF_NOTE} LIMIT 1) l`,
    `${ALL} n.id FROM notes n WHERE n.id IN (SELECT note_id FROM payments)`,
    `${ALL} k.id FROM keys k LEFT JOIN notes n ON n.id = k.id`,
    `${ALL} (SELECT k.name FROM keys k WHERE k.id = n.id) FROM notes n`,
    `${ALL} n.id FROM unnest($1::uuid[]) AS w (id) JOIN notes n ON n.id = w.id`,
    'SELECT count(*) FROM notes WHERE organization_id = $1 GROUP BY ROLLUP (title)',
  ])('the check accepts %s', async (sql) => {
    expect(await refusedOfAll(sql, TABLES)).toEqual([]);
  });
});

test('PostgreSQL marks the functions as the check knows them', async () => {
  const marked = await withClient(serverUrl(), async (client) => {
    const { rows } = await client.query<{ name: string; marks: string }>(
      `SELECT proname AS name, string_agg(DISTINCT provolatile::text, '') AS marks FROM pg_proc
        WHERE pronamespace = 'pg_catalog'::regnamespace GROUP BY proname`,
    );
    return new Map(rows.map(({ name, marks }) => [name as unknown, marks]));
  });
  const wrong = [
    ...[...IMMUTABLE].filter((name) => !/^is?$/.test(marked.get(name) ?? '')),
    ...[...STABLE].filter((name) => !/^i?s$/.test(marked.get(name) ?? '')),
  ];
  expect(wrong).toEqual([]);
});

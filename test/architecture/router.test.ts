/**
 * `npm run check` refuses the statements that Citus's router refuses. The second list has an
 * accepted form of each statement of the first one.
 */
import { expect, test } from '@jest/globals';
import { faultsOf } from '../../tools/statements/organizations.js';

const TABLES = new Set(['notes', 'payments']);
const OWN = 'WHERE organization_id = $1 AND id = $2';
const NEW = 'INSERT INTO notes (organization_id, id, title)';
const CONFLICT = `${NEW} VALUES ($1, $2, $3) ON CONFLICT (organization_id, id) DO UPDATE SET`;

const LAZY = 'has a function that is not IMMUTABLE in CASE or COALESCE of a write';
const COLUMN = 'gives a column to a function that is not IMMUTABLE in a write';
const RETURNING = 'has a function that is not IMMUTABLE in RETURNING';
const ON_CONFLICT = 'has a function that is not IMMUTABLE in ON CONFLICT';
const QUERY = 'has a sub-query in an INSERT of values';
const VOLATILE = 'writes what differs by machine';
const ELEMENT = 'takes an element of an array in a write';

test.each([
  [LAZY, `UPDATE notes SET closed_at = CASE WHEN $3 <> 'open' THEN now() END ${OWN}`],
  [LAZY, `UPDATE notes SET closed_at = CASE WHEN $3 THEN CURRENT_TIMESTAMP END ${OWN}`],
  [LAZY, `UPDATE notes SET closed_at = coalesce(closed_at, statement_timestamp()) ${OWN}`],
  [LAZY, `UPDATE notes SET title = coalesce($3, json_build_object('a', $4)::text) ${OWN}`],
  [LAZY, `UPDATE notes SET due_at = CASE WHEN $3 THEN $4 + make_interval(secs => 1) END ${OWN}`],
  [LAZY, `UPDATE notes SET title = $3 ${OWN} AND coalesce(due_at <= now(), true)`],
  [LAZY, `DELETE FROM notes ${OWN} AND CASE WHEN $3 THEN due_at <= now() ELSE true END`],
  [
    LAZY,
    `WITH p AS (UPDATE notes SET due_at = coalesce($3, now()) ${OWN} RETURNING *) SELECT FROM p`,
  ],
  [COLUMN, `UPDATE notes SET title = to_char(due_at, 'YYYY') ${OWN}`],
  [COLUMN, `UPDATE notes SET due_at = due_at + interval '1 day' ${OWN}`],
  [COLUMN, `DELETE FROM notes ${OWN} AND due_at + make_interval(secs => $3) < now()`],
  [RETURNING, `UPDATE notes SET title = $3 ${OWN} RETURNING id, now()`],
  [RETURNING, `${NEW} VALUES ($1, $2, $3) RETURNING to_json(title)`],
  [ON_CONFLICT, `${CONFLICT} due_at = now()`],
  [ON_CONFLICT, `${CONFLICT} title = $3 WHERE notes.due_at < now()`],
  [QUERY, `${NEW} VALUES ($1, $2, (SELECT $3::text))`],
  [QUERY, `${CONFLICT} title = (SELECT $4::text)`],
  [VOLATILE, `UPDATE notes SET due_at = clock_timestamp() ${OWN}`],
  [VOLATILE, `${NEW} SELECT $1::uuid, gen_random_uuid(), $2`],
  [ELEMENT, `UPDATE notes SET title = ($3::text[])[1] ${OWN}`],
])('the check says "%s" of %s', async (fault, sql) => {
  expect(await faultsOf(sql, TABLES)).toEqual([fault]);
});

test.each([
  `UPDATE notes SET closed_at = now() + make_interval(secs => $3) ${OWN} AND due_at > now()`,
  `UPDATE notes SET title = CASE WHEN $3 <> 'open' THEN lower(title) END ${OWN}`,
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

/** Each object has one answer, whatever was killed, cut off or raced. */
import type { Client } from 'pg';
import { uuidOf } from '../../src/shared/id.js';

/**
 * The statement finds every session and refund, and every stored response that says one was
 * created.
 */
const OBJECTS = 'SELECT id FROM checkout_sessions UNION ALL SELECT id FROM refunds';
const ANSWERS = `SELECT body::json ->> 'id' AS id FROM idempotency_keys
  WHERE status = 201 AND operation IN ('POST /v1/checkout_sessions', 'POST /v1/refunds')`;

/**
 * Returns the objects and answers that do not come in pairs. It is valid as long as no stored
 * response has been swept.
 */
export async function unpaired(sql: Client): Promise<string[]> {
  const objects = (await sql.query<{ id: string }>(OBJECTS)).rows.map(({ id }) =>
    id.replaceAll('-', ''),
  );
  const answers = (await sql.query<{ id: string }>(ANSWERS)).rows.map(({ id }) => uuidOf(id));
  return [...without(objects, answers), ...without(answers, objects)];
}

function without(some: readonly string[], others: readonly string[]): string[] {
  const left = [...some].sort();
  const taken = new Map<string, number>();
  for (const other of others) taken.set(other, (taken.get(other) ?? 0) + 1);
  return left.filter((one) => {
    const count = taken.get(one) ?? 0;
    if (count > 0) taken.set(one, count - 1);
    return count === 0;
  });
}

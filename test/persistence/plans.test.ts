/**
 * A plan that PostgreSQL made while a table was small may read the rows of one organization by an
 * index of all organizations, or sort all of its rows.
 */
import { expect, test } from '@jest/globals';
import { Database } from '../../src/persistence/database.js';
import { type Service, startService } from '../kit/service.js';
import { atOnce } from '../support/client.js';
import { Shop } from '../support/shop.js';

const OWNER = { queue: 'test' };
const PREPARED = {
  name: 'prepared',
  text: `SELECT name, cardinality(parameter_types) AS parameters FROM pg_prepared_statements
    WHERE statement ~ 'organization_id = \\$' AND statement ~ '(checkout_sessions|payments|refunds)' AND statement ~ '^SELECT' AND name NOT LIKE '%ledger%'`,
};
const TABLES = ['checkout_sessions', 'payments', 'refunds'];
const [SHOPS, EACH, COPIES] = [8, 5, 25];

interface Node {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Cond'?: string;
  /** The condition of a bitmap of rows, which is made in the node below. */
  readonly 'Recheck Cond'?: string;
  readonly Plans?: readonly Node[];
}

test('a list of one organization in a table that has just grown reads no rows of others, and sorts none', async () => {
  // The service has one connection, because each connection knows the statements that were prepared
  // on it.
  const service = await startService({ config: { databasePoolSize: 1 } });
  const database = service.application.get(Database);
  try {
    // Autovacuum would analyze a table while it is being filled, and see its pages without their
    // rows.
    for (const table of TABLES)
      await service.sql.query(`ALTER TABLE ${table} SET (autovacuum_enabled = false)`);
    let shop = await Shop.open(service);
    for (let number = 0; number < SHOPS; number++) {
      if (number > 0) shop = await Shop.open(service, shop);
      const { body: payment } = await shop.record({ amount: 1_000_000 });
      await atOnce(EACH, () => shop.createSession());
      await atOnce(EACH, () => shop.record());
      await atOnce(EACH, () => shop.propose(payment.id, 1));
    }
    for (const resource of TABLES) {
      const { body } = await shop.get(`/v1/${resource}?limit=1`);
      await shop.get(`/v1/${resource}/${body.data[0].id}`);
    }
    await shop.get('/v1/checkout_sessions?reference=4711');
    for (const table of [...TABLES, 'checkout_sessions']) await multiply(service, table);
    await service.sql.query(`ANALYZE ${TABLES.join(', ')}`);
    const { rows } = await database.autocommit<{ name: string; parameters: number }>(
      OWNER,
      PREPARED,
      [],
    );
    const wrong: string[] = [];
    for (const { name, parameters } of rows) {
      const text = `EXPLAIN (FORMAT JSON) EXECUTE "${name}" (${Array(parameters).fill('NULL')})`;
      const [plan] = (
        await database.autocommit<Record<string, [{ Plan: Node }]>>(
          OWNER,
          { name: `explain ${name}`, text },
          [],
        )
      ).rows;
      const nodes = nodesOf(plan?.['QUERY PLAN']?.[0].Plan as Node);
      const others = nodes.filter(
        (node) =>
          !/organization_id|\(id = \$/.test(node['Index Cond'] ?? node['Recheck Cond'] ?? '') ||
          (name.endsWith('.list') && node['Node Type'] !== 'Index Scan'),
      );
      wrong.push(...others.map((node) => `${name}: ${JSON.stringify(node)}`));
    }
    expect(wrong).toEqual([]);
    expect(rows.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'checkout.find',
        'checkout.list',
        'checkout.list_reference',
        'refunds.find',
      ]),
    );
  } finally {
    await service.close();
  }
});

/** Lets the table grow within seconds, with the rows of one organization among those of others. */
async function multiply({ sql }: Service, table: string): Promise<void> {
  const copy = `(jsonb_populate_record(original, jsonb_build_object('id', gen_random_uuid(), 'reference', NULL))).*`;
  await sql.query(
    `INSERT INTO ${table} SELECT ${copy} FROM ${table} AS original, generate_series(1, ${COPIES}) ORDER BY random()`,
  );
}

/** Returns the nodes that read one of the three tables, without the nodes below them. */
function nodesOf({ Plans = [], ...node }: Node): Node[] {
  const isRead = /^(checkout_sessions|payments|refunds)$/.test(node['Relation Name'] ?? '');
  return [...(isRead ? [node] : []), ...Plans.flatMap(nodesOf)];
}

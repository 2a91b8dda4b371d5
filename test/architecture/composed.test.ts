/**
 * The statements that PostgreSQL prepared for the writes of a payment's life, as they stand: a change of one is seen in a
 * review. `npm test -- test/architecture/composed -u` writes them anew.
 */
import { expect, test } from '@jest/globals';
import { Database } from '../../src/platform/database/database.js';
import { atOnce } from '../support/client.js';
import { startService } from '../support/service.js';
import { Shop } from '../support/shop.js';

const AT_ONCE = 30;
const PREPARED = {
  name: 'prepared',
  text: `SELECT name, statement FROM pg_prepared_statements ORDER BY name COLLATE "C"`,
};

test('the statements that are composed from parts', async () => {
  // With one connection for all, because each knows the statements that were prepared on it.
  const service = await startService({ config: { databasePoolSize: 1 } });
  try {
    const shop = await Shop.open(service);
    await live(shop);
    const rows = await service.application
      .get(Database)
      .autocommit<{ name: string; statement: string }>({ queue: 'test' }, PREPARED, []);
    const composed = rows.rows.filter(({ statement }) => /^WITH (?:part_0|batch) AS /.test(statement));
    const texts = composed.map(({ name, statement }) => `-- ${name}\n${statement.replaceAll(' part_', '\npart_')};\n`);
    expect(`\n${texts.join('\n')}`).toMatchSnapshot();
  } finally {
    await service.close();
  }
});

async function live(shop: Shop): Promise<void> {
  // So many that some go together.
  await atOnce(AT_ONCE, () => shop.createSession());
  const { body: session } = await shop.createSession();
  await shop.expire((await shop.createSession()).body.id);
  const { body: paid } = await shop.record({ amount: 1000, checkout_session: session.id });
  const { body: payment } = await shop.record();
  await atOnce(AT_ONCE, () => shop.propose(payment.id, 1));
  for (const { id } of [paid, payment]) {
    const proposed: string[] = [];
    for (let amount = 1; amount <= 3; amount++) proposed.push((await shop.propose(id, amount)).body.id);
    const [one, two, three] = proposed as [string, string, string];
    await shop.succeed(one);
    await shop.return(one, { reason: 'account_closed' });
    await shop.fail(two, { reason: 'account_closed' });
    await shop.cancel(three);
    await shop.releaseHold((await shop.hold(id, { amount: 1 })).body.id);
  }
}

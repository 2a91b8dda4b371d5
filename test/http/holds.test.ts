/** Bounds of what is on hold; conformance/cases/ledger.json and the model have how it is placed and released. */
import { expect, test } from '@jest/globals';
import { uuidOf } from '../../src/shared/id.js';
import { useService, useShop } from '../kit/setup.js';

const service = useService();
const shop = useShop(service);

test('a payment can be held and released however many events it has', async () => {
  const payment = (await shop.record()).body.id;
  const many = 32_767;
  const uuid = [uuidOf(payment)];
  await service.sql.query(`UPDATE payments SET version = ${many} WHERE id = $1`, uuid);
  await service.sql.query(`UPDATE events SET sequence = ${many} WHERE object_id = $1`, uuid);
  const { body } = await shop.hold(payment);
  expect((await shop.releaseHold(body.id)).status).toBe(200);
  const events = await shop.eventsOf(payment);
  expect(events.map(({ sequence }) => sequence)).toEqual([many, many + 1, many + 2]);
});

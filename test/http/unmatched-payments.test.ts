/** Payments of one session at once: one matches. conformance/cases/ledger.json has how others are refused or recorded. */
import { afterEach, expect, test } from '@jest/globals';
import { uuidOf } from '../../src/shared/id.js';
import { useService, useShop } from '../kit/setup.js';
import { untilDecided } from '../support/client.js';
import { expectBalanced } from '../support/reconciled.js';

const service = useService();
const shop = useShop(service);

afterEach(() => expectBalanced(service));

const RECORD = { on_mismatch: 'record' };
const session = async () => (await shop.createSession()).body.id as string;
test('the first exact payment matches; any number of others are recorded as unmatched', async () => {
  const id = await session();
  const facts = { amount: 1000, checkout_session: id, ...RECORD };
  const answers = await Promise.all(Array.from({ length: 8 }, () => untilDecided(() => shop.record(facts))));
  expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(201));
  const others = answers.map(({ body }) => body.mismatch).filter((mismatch) => mismatch !== null);
  expect(others).toEqual(Array(7).fill('session_complete'));
  const matching = answers.find(({ body }) => body.mismatch === null)?.body;
  const [created] = await shop.eventsOf(matching.id);
  expect(created).toMatchObject({ type: 'payment.created', sequence: 1, data: { object: { id: matching.id } } });
  expect((await shop.eventsOf(id)).map(({ type }) => type)).toEqual([
    'checkout.session.created',
    'checkout.session.completed',
  ]);
});

test('PostgreSQL itself refuses a second matching payment of a session', async () => {
  const id = await session();
  await shop.record({ amount: 1000, checkout_session: id });
  const copy = `INSERT INTO payments (organization_id, mode, id, currency, amount, checkout_session_id, mismatch)
    SELECT organization_id, mode, gen_random_uuid(), currency, amount, checkout_session_id, $2::text FROM payments
    WHERE checkout_session_id = $1`;
  await expect(service.sql.query(copy, [uuidOf(id), null])).rejects.toMatchObject({
    constraint: 'payments_checkout_session_key',
  });
  await service.sql.query(copy, [uuidOf(id), 'session_complete']);
});

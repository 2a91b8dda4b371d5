/** A platform signs up 1,000 merchants without a shell or a restart, and each of them sells. */
import { expect, test } from '@jest/globals';
import { Tillgate } from '../../client/src/index.js';
import { TillgateOperator } from '../../client/src/operator.js';
import { useService } from '../kit/setup.js';
import { atOnce, SMALLEST } from '../support/client.js';
import { createOperatorKey } from '../support/tenants.js';

const MERCHANTS = 1_000;
const AT_ONCE = 20;

const service = useService();

test('1,000 organizations are made and used', async () => {
  const baseUrl = service.url;
  const operator = new TillgateOperator({ baseUrl, key: await createOperatorKey(service) });
  const signUp = async (number: number) => {
    const { id } = await operator.organizations.create({
      name: `Shop ${number}`,
      reference: `${number}`,
    });
    const { key } = await operator.apiKeys.create(id, { mode: 'test' });
    const session = await new Tillgate({ baseUrl, key }).checkoutSessions.create(SMALLEST);
    expect(session.status).toBe('open');
    return id;
  };
  const made: string[] = [];
  for (let first = 0; first < MERCHANTS; first += AT_ONCE) {
    made.push(...(await atOnce(AT_ONCE, (index) => signUp(first + index))));
  }
  const listed: string[] = [];
  for await (const { id } of operator.organizations.list({ limit: 100 })) listed.push(id);
  expect(listed.toSorted()).toEqual(made.toSorted());
  expect(listed).toHaveLength(MERCHANTS);
});

/** Two instances change one endpoint at the same moment. */
import { expect, test } from '@jest/globals';
import { uuidOf } from '../../src/shared/id.js';
import { startService } from '../kit/service.js';
import { untilDecided } from '../support/client.js';
import { Holder, waitingForLocks } from '../support/holder.js';
import { until } from '../support/processes.js';
import { LEDGER, MERCHANT, useEndpoints } from '../support/webhook-endpoints.js';

const endpoints = useEndpoints();
const { shop, world } = endpoints;

test.each([MERCHANT, LEDGER])(
  'an endpoint of $name keeps two changes of different fields that are made at once',
  async (surface) => {
    const other = await startService({ databaseUrl: world.service.databaseUrl });
    const { id } = await endpoints.create(surface);
    const table = surface.isLedger ? 'ledger_webhook_endpoints' : 'webhook_endpoints';
    const holder = await Holder.connect(world.service.databaseUrl);
    await holder.hold(`SELECT FROM ${table} WHERE id = $1 FOR UPDATE`, [uuidOf(id)]);
    const [description, events] = ['Orders', ['refund.created']];
    const change = (body: object, by = shop) =>
      untilDecided(() => endpoints.call(surface, `/${id}`, body, undefined, by));
    const changes = [change({ description }), change({ events }, shop.at(other))];
    await until(async () => (await waitingForLocks(world.service.sql)) === 2);
    await holder.release();
    await holder.end();
    for (const { status } of await Promise.all(changes)) expect(status).toBe(200);
    expect(await endpoints.read(surface, id)).toMatchObject({ description, events });
    await other.close();
  },
);

/** A route with an idempotency key must store its response with its write. The compiler and the database refuse one that does not. */

import { beforeAll, expect, test } from '@jest/globals';
import { Controller, Module, Post } from '@nestjs/common';
import { Database } from '../../src/persistence/database.js';
import { IdempotencyKey } from '../../src/request/idempotency/idempotency.js';
import { useService, useShop } from '../kit/setup.js';

const WRITE = { name: 'careless', text: 'INSERT INTO careless VALUES (1)' };

@Controller('v1/careless')
class CarelessController {
  constructor(private readonly database: Database) {}

  // It returns a response that Idempotency.once() did not make. `npm run check` fails if the compiler accepts it.
  // @ts-expect-error
  @IdempotencyKey('required')
  @Post()
  async write() {
    await this.database.query({ organization: 'org', mode: 'test' } as never, WRITE, []);
    return { written: true };
  }
}

@Module({ controllers: [CarelessController] })
class CarelessModule {}

const service = useService({ modules: [CarelessModule] });
const shop = useShop(service, {}, beforeAll);

beforeAll(async () => {
  await service.sql.query('CREATE TABLE careless (number integer)');
});

test('a careless route that is compiled all the same fails at its first write', async () => {
  const headers = { authorization: `Bearer ${shop.key}`, 'idempotency-key': 'careless' };
  const response = await fetch(`${service.url}/v1/careless`, { method: 'POST', headers });
  expect([response.status, await response.json()]).toMatchObject([
    500,
    { error: { code: 'internal_error' } },
  ]);
  expect((await service.sql.query('SELECT * FROM careless')).rows).toEqual([]);
});

test('the unit of work for jobs, which have no response, accepts the same writes', async () => {
  await service.application.get(Database).autocommit({ queue: 'careless' }, WRITE, []);
  expect((await service.sql.query('SELECT * FROM careless')).rows).toEqual([{ number: 1 }]);
});

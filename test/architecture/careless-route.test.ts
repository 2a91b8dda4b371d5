/**
 * A route with an idempotency key must store its response with its write: the compiler and the
 * database refuse a route that does not. A route whose input cannot be validated keeps the service
 * from starting.
 */

import { beforeAll, expect, test } from '@jest/globals';
import { Body, Controller, Get, Module, Post, Query, type Type } from '@nestjs/common';
import { IsOptional } from 'class-validator';
import { Database } from '../../src/persistence/database.js';
import { IdempotencyKey } from '../../src/request/idempotency/keyed-request.js';
import { Operation } from '../../src/request/route.js';
import { Text } from '../../src/request/validation/fields.js';
import { ValidBody } from '../../src/request/validation/validation.js';
import { startService } from '../kit/service.js';
import { useService, useShop } from '../kit/setup.js';

const WRITE = { name: 'careless', text: 'INSERT INTO careless VALUES (1)' };

@Controller('v1/careless')
class CarelessController {
  constructor(private readonly database: Database) {}

  // This route returns a response that Idempotency.once() did not make. `npm run check` fails if
  // the compiler accepts it.
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

test('a careless route that was compiled nevertheless fails at its first write', async () => {
  const headers = { authorization: `Bearer ${shop.key}`, 'idempotency-key': 'careless' };
  const response = await fetch(`${service.url}/v1/careless`, { method: 'POST', headers });
  expect([response.status, await response.json()]).toMatchObject([
    500,
    { error: { code: 'internal_error' } },
  ]);
  expect((await service.sql.query('SELECT * FROM careless')).rows).toEqual([]);
});

test('a job, which has no response, may make the same write', async () => {
  await service.application.get(Database).autocommit({ queue: 'careless' }, WRITE, []);
  expect((await service.sql.query('SELECT * FROM careless')).rows).toEqual([{ number: 1 }]);
});

class CarelessRequest {
  @IsOptional()
  @Text({ max: 9 })
  note?: string;
}

const Described = (operationId: string) => Operation(operationId, { summary: '', answers: {} });

@Controller('v1/ignored')
class IgnoredController {
  @Post()
  @Described('ignore')
  ignore(@ValidBody() body: CarelessRequest) {
    return body;
  }
}

@Controller('v1/trusted')
class TrustedController {
  @Post()
  @Described('trust')
  trust(@Body() body: object) {
    return body;
  }
}

@Controller('v1/trusted_query')
class TrustedQueryController {
  @Get()
  @Described('trustQuery')
  trust(@Query() query: object) {
    return query;
  }
}

test.each<[string, Type, string]>([
  [
    'has a decorator that validation would ignore',
    IgnoredController,
    'CarelessRequest.note has @IsOptional, which validation would ignore.',
  ],
  [
    'takes a body that nothing validates',
    TrustedController,
    'TrustedController.trust takes in what nothing validates',
  ],
  [
    'takes a query that nothing validates',
    TrustedQueryController,
    'TrustedQueryController.trust takes in what nothing validates',
  ],
])('the service does not start with a route that %s', async (_, controller, message) => {
  @Module({ controllers: [controller] })
  class UncheckedModule {}

  const started = startService({ databaseUrl: service.databaseUrl, modules: [UncheckedModule] });
  await expect(started).rejects.toThrow(message);
});

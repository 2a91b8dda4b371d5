/** A next step that cannot be taken would be noticed by the HTTP test that provokes it. */

import { expect, test } from '@jest/globals';
import { REFUND_ID } from '../../src/modules/refunds/domain/refund.js';
import { exampleId } from '../../src/request/schema.js';
import type { Exchange } from '../support/description.js';
import { requireNextStep } from '../support/next-steps.js';

const LIST = '/v1/refunds?limit=7';

/** The answer to GET /v1/refunds?limit=7, or to another request. */
function answered(type: string, method: string, path: string, request: Partial<Exchange> = {}): Exchange {
  return {
    method: 'GET',
    url: `http://localhost${LIST}`,
    requestHeaders: new Headers(),
    requestBody: undefined,
    status: 405,
    headers: new Headers({ allow: 'GET, POST' }),
    text: JSON.stringify({ error: { errors: [], next_step: { type, method, path } } }),
    ...request,
  };
}

test.each([
  ['an unknown path', answered('list_resources', 'GET', '/v1/customers'), 'is not described'],
  ['an unknown method', answered('fix_request', 'PUT', '/v1/refunds'), 'is not described'],
  ['a placeholder', answered('read_resource', 'GET', '/v1/refunds/{id}'), 'is not filled in'],
  ['a parameter', answered('read_resource', 'GET', '/v1/refunds/:id'), 'is not filled in'],
  ['no path', answered('list_resources', 'GET', 'http://localhost/v1/refunds'), 'is not filled in'],
  ['a retry without the query', answered('retry', 'GET', '/v1/refunds'), 'is another request'],
  ['a correction of another resource', answered('fix_request', 'GET', '/v1/events'), 'is another request'],
  ['a correction with another method', answered('fix_request', 'POST', '/v1/refunds'), 'is another request'],
  [
    'a method that is not allowed',
    answered('use_method', 'GET', '/v1/refunds', { headers: new Headers({ allow: 'POST' }) }),
    'is not allowed',
  ],
  [
    'a read by writing',
    answered('read_resource', 'POST', `/v1/refunds/${exampleId(REFUND_ID)}/cancel`),
    'is not a read',
  ],
  ['a kind that nobody knows', answered('give_up', 'GET', LIST), 'is of no known kind'],
])('%s is noticed', async (_, exchange, fault) => {
  await expect(requireNextStep(exchange)).rejects.toThrow(fault);
});

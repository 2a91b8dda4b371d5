/** The envelope of everything that is not 2xx, compared whole: no member missing, none too many. */
import { expect } from '@jest/globals';
import type { Reply } from './client.js';

/** One entry of `errors`: parameter, code and, where there is one, the list of what is allowed. */
export type Entry = readonly [param: string, code: string, allowed?: readonly string[]];

export interface ExpectedError {
  readonly status: number;
  readonly code: string;
  readonly errors?: readonly Entry[];
  readonly nextStep?: { readonly type: string; readonly path: string; readonly method: string };
}

const SOME_TEXT = expect.stringMatching(/\S/);

export function expectError(reply: Reply, { status, code, errors = [], nextStep }: ExpectedError): void {
  expect({ status: reply.status, body: reply.body }).toEqual({
    status,
    body: {
      request_id: reply.headers.get('request-id') ?? 'the Request-Id header is missing',
      error: {
        type: status < 500 ? 'invalid_request' : 'api_error',
        message: SOME_TEXT,
        param: errors[0]?.[0] ?? '',
        errors: errors.map(([param, fault, allowed = []]) => ({ param, code: fault, message: SOME_TEXT, allowed })),
        next_step: nextStep ?? { type: SOME_TEXT, path: expect.stringMatching(/^\//), method: SOME_TEXT },
        code,
      },
    },
  });
  expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8');
}

/** A 400 with exactly these entries, in this order. */
export function expectInvalid(reply: Reply, ...errors: readonly Entry[]): void {
  expectError(reply, { status: 400, code: 'invalid_param', errors });
}

/**
 * Compares the whole envelope of every answer that is not 2xx. Only its words and the request's ID
 * are left open.
 */
import { expect } from '@jest/globals';
import type { Reply } from './client.js';

/**
 * An entry of `errors` has a parameter, a code and, where there is one, the list of allowed values.
 */
export type Entry = readonly [param: string, code: string, allowed?: readonly string[]];

export interface NextStep {
  readonly type: string;
  readonly path: string;
  readonly method: string;
}

export interface ExpectedError {
  readonly status: number;
  readonly code: string;
  readonly errors?: readonly Entry[];
  readonly nextStep?: NextStep;
}

interface NamedEntry {
  readonly param: string;
  readonly code: string;
  readonly allowed?: readonly string[];
}

const SOME_TEXT = expect.stringMatching(/\S/);
const SOME_STEP = {
  type: SOME_TEXT,
  path: expect.stringMatching(/^\//),
  method: SOME_TEXT,
} as unknown as NextStep;

export function refusal(
  code: string,
  nextStep: NextStep,
  errors: readonly NamedEntry[],
  type = 'invalid_request',
) {
  return {
    request_id: SOME_TEXT,
    error: {
      type,
      message: SOME_TEXT,
      param: errors[0]?.param ?? '',
      errors: errors.map((error) => ({ allowed: [], ...error, message: SOME_TEXT })),
      next_step: nextStep,
      code,
    },
  };
}

export function expectError(
  reply: Reply,
  { status, code, errors = [], nextStep = SOME_STEP }: ExpectedError,
): void {
  const entries = errors.map(([param, code, allowed = []]) => ({ param, code, allowed }));
  const body = refusal(code, nextStep, entries, status < 500 ? 'invalid_request' : 'api_error');
  const request_id = reply.headers.get('request-id') ?? 'the Request-Id header is missing';
  expect({ status: reply.status, body: reply.body }).toEqual({
    status,
    body: { ...body, request_id },
  });
  expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8');
}

/** Expects a 401 for a read, which says how a key is sent. */
export function expectUnauthorized(reply: Reply, path: string): void {
  const nextStep = { type: 'authenticate', path, method: 'GET' };
  expectError(reply, {
    status: 401,
    code: 'invalid_api_key',
    errors: [['Authorization', 'invalid_value']],
    nextStep,
  });
  expect(reply.headers.get('www-authenticate')).toMatch(/^Bearer\b/);
}

/** Expects a 400 with exactly these entries, in this order. */
export function expectInvalid(reply: Reply, ...errors: readonly Entry[]): void {
  expectError(reply, { status: 400, code: 'invalid_param', errors });
}

export const fixRequest = (method: string, path: string): NextStep => ({
  type: 'fix_request',
  path,
  method,
});
export const readResource = (path: string): NextStep => ({
  type: 'read_resource',
  path,
  method: 'GET',
});
export const listResources = (path: string): NextStep => ({
  type: 'list_resources',
  path,
  method: 'GET',
});

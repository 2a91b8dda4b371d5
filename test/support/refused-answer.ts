/** The error envelope as it should be, whole: only its words and the request's id are left open. */
import { expect } from '@jest/globals';

export interface ExpectedError {
  readonly param: string;
  readonly code: string;
  readonly allowed?: readonly string[];
}

export interface NextStep {
  readonly type: string;
  readonly path: string;
  readonly method: string;
}

export function refusal(code: string, nextStep: NextStep, errors: readonly ExpectedError[]) {
  return {
    request_id: expect.stringMatching(/./),
    error: {
      type: 'invalid_request',
      message: expect.stringMatching(/./),
      param: errors[0]?.param ?? '',
      errors: errors.map((error) => ({ allowed: [], ...error, message: expect.stringMatching(/./) })),
      next_step: nextStep,
      code,
    },
  };
}

export const fixRequest = (method: string, path: string): NextStep => ({ type: 'fix_request', path, method });
export const readResource = (path: string): NextStep => ({ type: 'read_resource', path, method: 'GET' });
export const listResources = (path: string): NextStep => ({ type: 'list_resources', path, method: 'GET' });

/** Checks the whole error envelope. A case names only the fields that it is about. */
import type { ExpectedError } from './cases.js';
import type { Answer } from './http.js';
import { compare, type Problem } from './matchers.js';

const TEXT = { $matches: '.' };
const STRINGS = { $all: [{ $type: 'array' }, { $every: { $type: 'string' } }] };
const ANY_STEP = { type: TEXT, path: { $matches: '^/' }, method: { $matches: '^[A-Z]+$' } };

export function checkError(expected: ExpectedError, answer: Answer): Problem[] {
  const { code, param = { $type: 'string' }, errors, next_step = {} } = expected;
  const entries = errors?.map((entry) => ({
    code: TEXT,
    allowed: STRINGS,
    ...entry,
    message: TEXT,
  }));
  const anyEntries = { $every: { param: TEXT, code: TEXT, message: TEXT, allowed: STRINGS } };
  const envelope = {
    request_id: { $all: [TEXT, { $same: 'headers.Request-Id' }] },
    error: {
      type: answer.status >= 500 ? 'api_error' : 'invalid_request',
      message: TEXT,
      param,
      errors: entries ? { $unordered: entries } : anyEntries,
      next_step: { ...ANY_STEP, ...next_step },
      code,
    },
  };
  const problems = compare(envelope, answer.body, { at: 'body', answer });
  return problems.length > 0 ? problems : checkParam(answer);
}

/** `error.param` must be the param of the first entry. */
function checkParam(answer: Answer): Problem[] {
  const { param, errors } = (
    answer.body as { error: { param: string; errors: { param: string }[] } }
  ).error;
  return errors.length === 0
    ? []
    : compare(errors[0]?.param, param, { at: 'body.error.param', answer });
}

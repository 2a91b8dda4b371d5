/** The envelope of everything that is not 2xx, and what a program does about each of its codes. */
import type { ErrorCode, ParamCode } from '../../shared/errors.js';
import { list, object, oneMeaning, oneOf, text, type ValueOf } from './schema.js';

const PARAM_MEANINGS: Readonly<Record<ParamCode, string>> = {
  required: 'It is missing: add it.',
  invalid_type: 'It has another JSON type than it must have.',
  invalid_format: 'It does not have the form that its description gives.',
  invalid_value: 'It is none of the values that are possible here; `allowed` lists them where there is a list.',
  too_small: 'It is below the least number, or too early.',
  too_large: 'It is above the greatest number, or too late.',
  too_short: 'It has too few characters or entries.',
  too_long: 'It has too many characters or entries.',
  unknown_field: 'It does not exist in this request: leave it out.',
  duplicate: 'It is given more than once.',
  amount_mismatch: 'The service computes another amount, which `allowed` has.',
  currency_mismatch: 'It must be another currency, which `allowed` has.',
};

const STEP_MEANINGS = {
  fix_request: 'Correct what `errors` names and send it again.',
  restart_list: 'Read the list from its first page.',
  authenticate: 'Send it with a valid key.',
  call_from_server: 'Send it from a server, without an `Origin`.',
  list_resources: 'List the resources there are.',
  use_method: 'Use this method of the route.',
  retry: 'Send the same again, after `Retry-After` if there is one.',
  use_new_idempotency_key: 'Send the same under a new idempotency key.',
  lower_amount: 'Send it with at most the amount that is allowed.',
  read_resource: 'Read the resource that stands in the way.',
};
export type NextStepType = keyof typeof STEP_MEANINGS;

const PROBLEM = object(
  {
    param: text('The path of the parameter, like `line_items[0].quantity`, or the name of a header.'),
    code: oneMeaning(PARAM_MEANINGS, 'What is wrong with it.'),
    message: text('The same for people.'),
    allowed: list(text('A permitted value.'), 'The permitted values, as text; empty where no list applies.'),
  },
  { name: 'ParamError' },
);

const NEXT_STEP = object(
  {
    type: oneMeaning(STEP_MEANINGS, 'What to do next.'),
    path: text('Where, with every identifier filled in.'),
    method: text('With which method.'),
  },
  { name: 'NextStep', description: 'A request that can be sent as it stands and leads on.' },
);

/** The envelope, with these codes and their meanings. */
export const errorSchema = (codes: readonly ErrorCode[]) =>
  object(
    {
      request_id: text('The identifier of the request, the same as in the `Request-Id` header.'),
      error: object({
        type: oneOf(['invalid_request', 'api_error'], '`invalid_request` for 4xx, `api_error` for 5xx.'),
        message: text('What went wrong, for people.'),
        param: text('The first parameter at fault; empty when nothing in the request is.'),
        errors: list(PROBLEM, 'Every parameter at fault; empty when none is.'),
        next_step: NEXT_STEP,
        code: oneMeaning(
          Object.fromEntries(codes.map(({ code, meaning }) => [code, meaning])),
          'What went wrong, for programs.',
        ),
      }),
    },
    { name: 'Error', description: 'The envelope of every answer that is not a success. Every member is always there.' },
  );
export type ErrorView = ValueOf<ReturnType<typeof errorSchema>>;

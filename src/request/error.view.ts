import { type ErrorCode, PARAM_CODES } from '../shared/errors.js';
import { describedEnum, list, object, oneOf, text, type ValueOf } from './schema.js';

const STEP_MEANINGS = {
  fix_request: 'Correct the faults in `errors` and send the request again.',
  restart_list: 'Start the list from its first page.',
  authenticate: 'Send the request with a valid key.',
  call_from_server: 'Send the request from a server, without an `Origin` header.',
  use_key: 'Send the request with a key that has the right to it.',
  list_resources: 'List the resources that exist.',
  use_method: 'Use this method.',
  retry: 'Repeat the request, after `Retry-After` if it is given.',
  use_new_idempotency_key: 'Send the request with a new idempotency key.',
  lower_amount: 'Send the request with an allowed amount.',
  read_resource: 'Read the resource that prevents the request.',
  use_existing_session: 'Read the session that exists, and use it instead of a new one.',
};
export type NextStepType = keyof typeof STEP_MEANINGS;

const PROBLEM = object(
  {
    param: text('Path of the parameter, like `line_items[0].quantity`, or name of the header.'),
    code: describedEnum(PARAM_CODES, 'What is wrong with the parameter, for programs.'),
    message: text('What is wrong with the parameter, for people.'),
    allowed: list(
      text('A permitted value.'),
      'Permitted values, as text; empty if there is no list.',
    ),
  },
  { name: 'ParamError' },
);

const NEXT_STEP = object(
  {
    type: describedEnum(STEP_MEANINGS, 'What to do next.'),
    path: text('Path of the request, with all IDs filled in.'),
    method: text('Method of the request.'),
  },
  {
    name: 'NextStep',
    description:
      'The request to send next. For `read_resource`, `use_existing_session`, `list_resources` ' +
      'and `retry`, send it as it is. For the other types, `type` says what to change.',
  },
);

export const errorSchema = (codes: readonly ErrorCode[]) =>
  object(
    {
      request_id: text('ID of the request, the same as in the `Request-Id` header.'),
      error: object({
        type: oneOf(
          ['invalid_request', 'api_error'],
          '`invalid_request` for 4xx, `api_error` for 5xx.',
        ),
        message: text('What went wrong, for people.'),
        param: text('The first invalid parameter; empty if there is none.'),
        errors: list(PROBLEM, 'All invalid parameters; empty if there are none.'),
        next_step: NEXT_STEP,
        code: describedEnum(
          Object.fromEntries(codes.map(({ code, meaning }) => [code, meaning])),
          'What went wrong, for programs.',
        ),
      }),
    },
    {
      name: 'Error',
      description: 'The body of every error response. All fields are always present.',
    },
  );
export type ErrorView = ValueOf<ReturnType<typeof errorSchema>>;

import type { Mode } from './caller.js';

/**
 * The kind of an error code. request/errors.ts has the HTTP status and the next step of each kind.
 */
export type ErrorKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'right'
  | 'missing'
  | 'gone'
  | 'wrong_method'
  | 'busy'
  | 'too_large'
  | 'unsupported'
  | 'key_reused'
  | 'too_much'
  | 'state'
  | 'person'
  | 'taken'
  | 'rate_limited'
  | 'fault'
  | 'unavailable';

/**
 * This is an error code of the API. It is a constant of the code that refuses with it, and its
 * module lists it in its declaration.
 */
export interface ErrorCode {
  readonly code: string;
  readonly kind: ErrorKind;
  /** The meaning tells programmers what went wrong and what to do. */
  readonly meaning: string;
}

/** Makes the codes of one kind, each with its meaning. */
export function errorCodes<Code extends string>(
  kind: ErrorKind,
  meanings: Readonly<Record<Code, string>>,
) {
  const codes = Object.entries(meanings).map(([code, meaning]) => [code, { code, kind, meaning }]);
  return Object.fromEntries(codes) as Readonly<Record<Code, ErrorCode>>;
}

export const INVALID_PARAM: ErrorCode = {
  code: 'invalid_param',
  kind: 'invalid',
  meaning: 'The request is invalid. `errors` names every fault. Correct the request.',
};

export const NOT_FOUND: ErrorCode = {
  code: 'not_found',
  kind: 'missing',
  meaning: 'No such resource or route for this caller. List the resources that exist.',
};

export const SERVICE_UNAVAILABLE: ErrorCode = {
  code: 'service_unavailable',
  kind: 'unavailable',
  meaning: 'The service is unavailable. Repeat the request after `Retry-After`.',
};

export const RATE_LIMITED: ErrorCode = {
  code: 'rate_limited',
  kind: 'rate_limited',
  meaning: 'Too many requests. Repeat the request after `Retry-After`.',
};

export const PARAM_CODES = {
  required: 'The parameter is missing.',
  invalid_type: 'The value has the wrong JSON type.',
  invalid_format: 'The value has the wrong format.',
  invalid_value:
    'The value is not allowed. `allowed` lists the possible values, if there is a list.',
  too_small: 'The number is too small, or the time too early.',
  too_large: 'The number is too large, or the time too late.',
  too_short: 'The value has too few characters or entries.',
  too_long: 'The value has too many characters or entries.',
  unknown_field: 'The request has no such parameter.',
  duplicate: 'The parameter is given more than once.',
  amount_mismatch: 'The service computed another amount, given in `allowed`.',
  currency_mismatch: 'The currency must be another one, given in `allowed`.',
};
export type ParamCode = keyof typeof PARAM_CODES;

/**
 * A parameter error is one thing that is wrong with one parameter. `param` is a path:
 * `line_items[0].quantity`.
 */
export interface ParamError {
  readonly param: string;
  readonly code: ParamCode;
  readonly message: string;
  readonly allowed: readonly string[];
}

export function paramError(
  param: string,
  code: ParamCode,
  message: string,
  allowed: readonly (string | number)[] = [],
): ParamError {
  return { param, code, message, allowed: allowed.map(String) };
}

/**
 * Refuses a request for a reason that the caller can act on. `resource` is the ID of the resource
 * to read.
 */
export class Refusal extends Error {
  readonly code: string;
  readonly kind: ErrorKind;

  constructor(
    { code, kind }: ErrorCode,
    message: string,
    readonly errors: readonly ParamError[] = [],
    readonly resource?: string,
  ) {
    super(message);
    this.code = code;
    this.kind = kind;
  }
}

/** Refuses a request for one parameter. The refusal has the same message. */
export function refusal(code: ErrorCode, error: ParamError, resource?: string): Refusal {
  return new Refusal(code, error.message, [error], resource);
}

/** Refuses with all wrong parameters. The first one becomes the envelope's `param`. */
export function invalidParams(errors: readonly ParamError[]): Refusal {
  const [first] = errors;
  return new Refusal(INVALID_PARAM, first ? first.message : 'The request is invalid.', errors);
}

export function invalidParam(param: string, code: ParamCode, message: string): Refusal {
  return invalidParams([paramError(param, code, message)]);
}

export function noSuchRoute(): Refusal {
  return new Refusal(
    NOT_FOUND,
    'No such route. Paths begin with /v1, /ledger/v1 or /operator/v1, and end without a slash.',
  );
}

/**
 * Makes the same refusal for an ID that is unknown, for one of another organization, and for one of
 * the other mode.
 */
export function notFound(param: string, mode?: Mode): Refusal {
  const where = mode && param !== 'id' ? ` in ${mode} mode` : '';
  const message = `No such ${param === 'id' ? 'resource' : param.replaceAll('_', ' ')}${where}.`;
  return refusal(NOT_FOUND, paramError(param, 'invalid_value', message));
}

/** What callers can be told. The HTTP status and the next step of each code stand in one table in platform/http. */
const ERROR_CODES = [
  'invalid_param',
  'invalid_api_key',
  'origin_not_allowed',
  'not_found',
  'method_not_allowed',
  'idempotency_key_in_use',
  'payload_too_large',
  'unsupported_media_type',
  'idempotency_key_reused',
  'refund_exceeds_remaining',
  'payment_not_refundable',
  'session_not_open',
  'refund_not_pending',
  'payment_session_mismatch',
  'payment_reference_reused',
  'rate_limited',
  'internal_error',
  'service_unavailable',
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

export type ParamCode =
  | 'required'
  | 'invalid_type'
  | 'invalid_format'
  | 'invalid_value'
  | 'too_small'
  | 'too_large'
  | 'too_short'
  | 'too_long'
  | 'unknown_field'
  | 'duplicate'
  | 'amount_mismatch'
  | 'currency_mismatch';

/** One thing wrong with one parameter. `param` is a path: `line_items[0].quantity`. */
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

/** A request is refused for a reason the caller can act on. `resource` is the id of what to read to learn more. */
export class Refusal extends Error {
  readonly code: ErrorCode;
  readonly errors: readonly ParamError[];
  readonly resource: string | undefined;

  constructor(code: ErrorCode, message: string, errors: readonly ParamError[] = [], resource?: string) {
    super(message);
    this.code = code;
    this.errors = errors;
    this.resource = resource;
  }
}

/** 400: every wrong parameter is reported at once; the first one names the envelope's `param`. */
export function invalidParams(errors: readonly ParamError[]): Refusal {
  const [first] = errors;
  return new Refusal('invalid_param', first ? first.message : 'The request is invalid.', errors);
}

/** 404: the same answer for what is unknown, another organization's, or of the wrong mode. */
export function notFound(param: string): Refusal {
  const message = `No such ${param === 'id' ? 'resource' : param.replaceAll('_', ' ')}.`;
  return new Refusal('not_found', message, [paramError(param, 'invalid_value', message)]);
}

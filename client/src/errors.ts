/** These are the errors that the client throws. */
import type { components } from './description.js';

type Envelope = components['schemas']['Error'];

export type ErrorCode = Envelope['error']['code'];
export type ParamError = components['schemas']['ParamError'];
export type NextStep = components['schemas']['NextStep'];

/** An error response of the service, with all fields of its envelope. */
export class TillgateError extends Error {
  override readonly name = 'TillgateError';
  readonly status: number;
  readonly code: ErrorCode;
  /** The first invalid parameter, or an empty string. */
  readonly param: string;
  readonly errors: readonly ParamError[];
  readonly nextStep: NextStep;
  readonly requestId: string;
  /** The idempotency key of a write. Repeat the write with it. */
  readonly idempotencyKey: string | undefined;

  constructor(status: number, { request_id, error }: Envelope, idempotencyKey: string | undefined) {
    super(error.message);
    this.status = status;
    this.idempotencyKey = idempotencyKey;
    this.code = error.code;
    this.param = error.param;
    this.errors = error.errors;
    this.nextStep = error.next_step;
    this.requestId = request_id;
  }
}

/**
 * No response of the service arrived: the network failed, the request timed out, or a proxy
 * responded instead. A write may have been carried out. Repeated with this idempotency key, it is
 * not carried out twice.
 */
export class TillgateConnectionError extends Error {
  override readonly name = 'TillgateConnectionError';
  /** The status that a proxy responded with, if one did. */
  readonly status: number | undefined;
  readonly idempotencyKey: string | undefined;

  constructor(message: string, { status, idempotencyKey, cause }: ConnectionFacts) {
    super(message, { cause });
    this.status = status;
    this.idempotencyKey = idempotencyKey;
  }
}

interface ConnectionFacts {
  readonly status?: number | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly cause?: unknown;
}

/** The request is not a webhook of the service, or it is too old. Ignore it. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

export function isEnvelope(body: unknown): body is Envelope {
  const error = (body as Partial<Envelope> | null)?.error;
  return (
    typeof error?.code === 'string' &&
    typeof error.message === 'string' &&
    Array.isArray(error.errors)
  );
}

/** What can come back instead of an answer, as errors that a program can tell apart. */
import type { components } from './description.js';

type Envelope = components['schemas']['Error'];

export type ErrorCode = Envelope['error']['code'];
export type ParamError = components['schemas']['ParamError'];
export type NextStep = components['schemas']['NextStep'];

/** The service refused: everything its envelope says. */
export class TillgateError extends Error {
  override readonly name = 'TillgateError';
  readonly status: number;
  readonly code: ErrorCode;
  /** The first parameter at fault; empty when nothing in the request is. */
  readonly param: string;
  readonly errors: readonly ParamError[];
  readonly nextStep: NextStep;
  readonly requestId: string;
  /** Of a write: what to send it again with, once it can be. */
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
 * No answer of the service's: the network failed, time ran out, or something in between answered in its place. A write may
 * have been carried out: sent again with this idempotency key, it is never carried out twice.
 */
export class TillgateConnectionError extends Error {
  override readonly name = 'TillgateConnectionError';
  /** Of what in between answered, if anything did. */
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

/** What arrived is not a webhook of the service's, or not a fresh one: not to be acted on. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

export function isEnvelope(body: unknown): body is Envelope {
  const error = (body as Partial<Envelope> | null)?.error;
  return typeof error?.code === 'string' && typeof error.message === 'string' && Array.isArray(error.errors);
}

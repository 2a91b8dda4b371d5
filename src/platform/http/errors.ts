/** The one table from error code to HTTP status and next step, and the envelope around every answer that is not 2xx. */
import { Answer } from '../../shared/answer.js';
import type { ErrorCode, Refusal } from '../../shared/errors.js';
import type { ErrorView, NextStepType } from './error.view.js';

/** What an error answer repeats of its request. */
export interface RequestFacts {
  readonly id: string;
  readonly method: string;
  /** With its query string, as it arrived. */
  readonly url: string;
  /** Whose data it was about, where the ledger asked. */
  readonly organization?: string;
}

type NextStep = ErrorView['error']['next_step'];

interface Treatment {
  readonly status: number;
  readonly nextStep: NextStepType;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Retried at once, a refused request is only refused again; a second is the least that HTTP can say. */
const RETRY = { 'Retry-After': '1' };

const TREATMENTS: Readonly<Record<ErrorCode, Treatment>> = {
  invalid_param: { status: 400, nextStep: 'fix_request' },
  invalid_api_key: {
    status: 401,
    nextStep: 'authenticate',
    headers: { 'WWW-Authenticate': 'Bearer realm="tillgate"' },
  },
  origin_not_allowed: { status: 403, nextStep: 'call_from_server' },
  not_found: { status: 404, nextStep: 'list_resources' },
  method_not_allowed: { status: 405, nextStep: 'use_method' },
  idempotency_key_in_use: { status: 409, nextStep: 'retry', headers: RETRY },
  // The rest of the body is not read, so the connection cannot carry another request.
  payload_too_large: { status: 413, nextStep: 'fix_request', headers: { Connection: 'close' } },
  unsupported_media_type: { status: 415, nextStep: 'fix_request' },
  idempotency_key_reused: { status: 422, nextStep: 'use_new_idempotency_key' },
  refund_exceeds_remaining: { status: 422, nextStep: 'lower_amount' },
  payment_not_refundable: { status: 422, nextStep: 'read_resource' },
  session_not_open: { status: 422, nextStep: 'read_resource' },
  refund_not_pending: { status: 422, nextStep: 'read_resource' },
  payment_session_mismatch: { status: 422, nextStep: 'read_resource' },
  payment_reference_reused: { status: 422, nextStep: 'read_resource' },
  rate_limited: { status: 429, nextStep: 'retry', headers: RETRY },
  internal_error: { status: 500, nextStep: 'retry' },
  service_unavailable: { status: 503, nextStep: 'retry', headers: RETRY },
};

/** Steps that repeat the very request: without its query it would be another. */
const UNCHANGED: readonly NextStepType[] = ['authenticate', 'call_from_server', 'retry', 'use_new_idempotency_key'];

/** HTTP status of a refusal. */
export function statusOf(refusal: Refusal): number {
  return TREATMENTS[refusal.code].status;
}

/** Headers that an answer with this refusal carries besides the usual ones. */
export function headersOf(refusal: Refusal): Readonly<Record<string, string>> {
  if (refusal.code === 'method_not_allowed') return { Allow: refusal.errors[0]?.allowed.join(', ') ?? '' };
  return TREATMENTS[refusal.code].headers ?? {};
}

/** The answer to a refused request: the envelope, every member present. */
export function answerTo(refusal: Refusal, request: RequestFacts): Answer {
  const status = statusOf(refusal);
  const envelope: ErrorView = {
    request_id: request.id,
    error: {
      type: status < 500 ? 'invalid_request' : 'api_error',
      message: refusal.message,
      param: refusal.errors[0]?.param ?? '',
      errors: refusal.errors,
      next_step: nextStep(refusal, request),
      code: refusal.code,
    },
  };
  return new Answer(status, JSON.stringify(envelope));
}

function nextStep(refusal: Refusal, { method, url, organization }: RequestFacts): NextStep {
  const type = TREATMENTS[refusal.code].nextStep;
  const path = pathOf(url);
  if (type === 'list_resources') return { type, path: collectionOf(path), method: 'GET' };
  if (type === 'read_resource' && refusal.resource) {
    const resource = resourcePath(refusal.resource);
    return { type, path: path.startsWith('/ledger/') ? asLedgerPath(resource, organization) : resource, method: 'GET' };
  }
  if (type === 'use_method') return { type, path, method: refusal.errors[0]?.allowed[0] ?? 'GET' };
  if (refusal.code === 'invalid_param' && refusal.errors.some(({ param }) => param === 'cursor')) {
    return { type: 'restart_list', path: refusal.errors.length === 1 ? withoutCursor(url) : path, method };
  }
  return { type, path: UNCHANGED.includes(type) ? url : path, method };
}

export function pathOf(url: string): string {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}

/** The same list from its first page: the other parameters were fine. */
function withoutCursor(url: string): string {
  const query = new URLSearchParams(url.slice(pathOf(url).length));
  query.delete('cursor');
  return query.size === 0 ? pathOf(url) : `${pathOf(url)}?${query}`;
}

/** A list that exists whatever was asked for: of the resource itself where there is one, else of the sessions. */
function collectionOf(path: string): string {
  if (path.startsWith('/ledger/')) return '/ledger/v1/refunds';
  if (path.startsWith('/v1/events/')) return '/v1/events';
  // A proposal looks for a payment, of which there is no list; refunds name theirs.
  return path.startsWith('/v1/refunds') ? '/v1/refunds' : '/v1/checkout_sessions';
}

/** The ledger reads a refund by its id alone, and what is kept by organization with its organization. */
function asLedgerPath(path: string, organization: string | undefined): string {
  return path.startsWith('/v1/refunds/') ? `/ledger${path}` : `/ledger${path}?organization=${organization}`;
}

function resourcePath(id: string): string {
  if (id.startsWith('pay_')) return `/v1/payments/${id}`;
  return id.startsWith('re_') ? `/v1/refunds/${id}` : `/v1/checkout_sessions/${id}`;
}

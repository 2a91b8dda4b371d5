/**
 * This file has the error codes of requests, the HTTP status and next step of each kind, and the
 * error envelope.
 */
import { Injectable } from '@nestjs/common';
import { Declarations, SURFACES, type Surface } from '../platform/module-declaration.js';
import {
  type ErrorCode,
  type ErrorKind,
  INVALID_PARAM,
  NOT_FOUND,
  type Refusal,
  SERVICE_UNAVAILABLE,
} from '../shared/errors.js';
import type { ErrorView, NextStepType } from './error.view.js';
import { HttpResponse } from './response.js';

export const METHOD_NOT_ALLOWED: ErrorCode = {
  code: 'method_not_allowed',
  kind: 'wrong_method',
  meaning: 'The route does not support this method. `Allow` lists the methods it supports.',
};

export const PAYLOAD_TOO_LARGE: ErrorCode = {
  code: 'payload_too_large',
  kind: 'too_large',
  meaning: 'The body is too large. Send a smaller one.',
};

export const UNSUPPORTED_MEDIA_TYPE: ErrorCode = {
  code: 'unsupported_media_type',
  kind: 'unsupported',
  meaning: 'The body is not plain JSON in UTF-8. Send `application/json`.',
};

export const INTERNAL_ERROR: ErrorCode = {
  code: 'internal_error',
  kind: 'fault',
  meaning: 'The service failed. Repeat the request with the same idempotency key.',
};

export const IDEMPOTENCY_KEY_IN_USE: ErrorCode = {
  code: 'idempotency_key_in_use',
  kind: 'busy',
  meaning:
    'The first request with this key is still running. Repeat the request after `Retry-After`.',
};

export const IDEMPOTENCY_KEY_REUSED: ErrorCode = {
  code: 'idempotency_key_reused',
  kind: 'key_reused',
  meaning: 'The key was used for another request. Send this request with a new key.',
};

/** Any route may answer with these codes. The description lists them in this order. */
export const REQUEST_ERRORS: readonly ErrorCode[] = [
  INVALID_PARAM,
  NOT_FOUND,
  METHOD_NOT_ALLOWED,
  PAYLOAD_TOO_LARGE,
  UNSUPPORTED_MEDIA_TYPE,
  INTERNAL_ERROR,
  SERVICE_UNAVAILABLE,
  IDEMPOTENCY_KEY_IN_USE,
  IDEMPOTENCY_KEY_REUSED,
];

export interface RequestContext {
  readonly id: string;
  readonly method: string;
  readonly url: string;
  readonly organization?: string;
}

type NextStep = ErrorView['error']['next_step'];

interface ErrorResponse {
  readonly status: number;
  readonly nextStep: NextStepType;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The value is in seconds, and one second is the shortest delay that the header can express. */
const RETRY = { 'Retry-After': '1' };

const ERROR_RESPONSES: Readonly<Record<ErrorKind, ErrorResponse>> = {
  invalid: { status: 400, nextStep: 'fix_request' },
  unauthenticated: {
    status: 401,
    nextStep: 'authenticate',
    headers: { 'WWW-Authenticate': 'Bearer realm="tillgate"' },
  },
  forbidden: { status: 403, nextStep: 'call_from_server' },
  right: { status: 403, nextStep: 'use_key' },
  missing: { status: 404, nextStep: 'list_resources' },
  gone: { status: 410, nextStep: 'list_resources' },
  wrong_method: { status: 405, nextStep: 'use_method' },
  busy: { status: 409, nextStep: 'retry', headers: RETRY },
  // The rest of the body is not read, so the connection cannot carry another request.
  too_large: { status: 413, nextStep: 'fix_request', headers: { Connection: 'close' } },
  unsupported: { status: 415, nextStep: 'fix_request' },
  key_reused: { status: 422, nextStep: 'use_new_idempotency_key' },
  too_much: { status: 422, nextStep: 'lower_amount' },
  state: { status: 422, nextStep: 'read_resource' },
  person: { status: 422, nextStep: 'read_resource' },
  taken: { status: 422, nextStep: 'use_existing_session' },
  rate_limited: { status: 429, nextStep: 'retry', headers: RETRY },
  fault: { status: 500, nextStep: 'retry' },
  unavailable: { status: 503, nextStep: 'retry', headers: RETRY },
};

/** These next steps repeat the same request, so their path keeps the query. */
const UNCHANGED: readonly NextStepType[] = [
  'authenticate',
  'call_from_server',
  'use_key',
  'retry',
  'use_new_idempotency_key',
];

export function statusOf(refusal: Refusal): number {
  return ERROR_RESPONSES[refusal.kind].status;
}

export function headersOf(refusal: Refusal): Readonly<Record<string, string>> {
  if (refusal.kind === 'wrong_method')
    return { Allow: refusal.errors[0]?.allowed.join(', ') ?? '' };
  return ERROR_RESPONSES[refusal.kind].headers ?? {};
}

export function pathOf(url: string): string {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}

function withoutCursor(url: string): string {
  const query = new URLSearchParams(url.slice(pathOf(url).length));
  query.delete('cursor');
  return query.size === 0 ? pathOf(url) : `${pathOf(url)}?${query}`;
}

const surfaceOf = (path: string): Surface =>
  SURFACES.find((surface) => path.startsWith(`/${surface}/`)) ?? 'secret';

@Injectable()
export class ErrorResponses {
  constructor(private readonly declarations: Declarations) {}

  answerTo(refusal: Refusal, request: RequestContext): HttpResponse {
    const status = statusOf(refusal);
    const envelope: ErrorView = {
      request_id: request.id,
      error: {
        type: status < 500 ? 'invalid_request' : 'api_error',
        message: refusal.message,
        param: refusal.errors[0]?.param ?? '',
        errors: refusal.errors,
        next_step: this.nextStep(refusal, request),
        code: refusal.code,
      },
    };
    return new HttpResponse({ status, body: JSON.stringify(envelope) });
  }

  private nextStep(
    { kind, code, errors, resource }: Refusal,
    { method, url, organization }: RequestContext,
  ): NextStep {
    const type = ERROR_RESPONSES[kind].nextStep;
    const path = pathOf(url);
    const [first] = errors;
    if (type === 'list_resources')
      return { type, path: this.collectionOf(path, first?.param), method: 'GET' };
    // Only an ID in a path can have this fault. The list shows the IDs that can be read.
    if (first?.param === 'id' && first.code === 'invalid_format') {
      return { type, path: this.collectionOf(path), method: 'GET' };
    }
    const isRead = type === 'read_resource' || type === 'use_existing_session';
    const found = isRead && resource && this.pathTo(resource, path, organization);
    if (found) return { type, path: found, method: 'GET' };
    if (type === 'use_method') return { type, path, method: first?.allowed[0] ?? 'GET' };
    if (code === INVALID_PARAM.code && errors.some(({ param }) => param === 'cursor')) {
      return {
        type: 'restart_list',
        path: errors.length === 1 ? withoutCursor(url) : path,
        method,
      };
    }
    return { type, path: UNCHANGED.includes(type) ? url : path, method };
  }

  /**
   * Returns the path of an existing list: the list of the resources that the parameter names
   * (`payment`), or of the path's resource, or else the first one of the surface.
   */
  collectionOf(path: string, param = ''): string {
    const surface = surfaceOf(path);
    const places = this.declarations.resources.flatMap((resource) => resource[surface] ?? []);
    const lists = places.filter(({ isListed }) => isListed).map((place) => place.path);
    const named = lists.find((list) => list.endsWith(`/${param}s`));
    return named ?? lists.find((list) => `${path}/`.startsWith(`${list}/`)) ?? lists[0] ?? '/';
  }

  private pathTo(id: string, asked: string, organization: string | undefined): string | undefined {
    const place = this.declarations.resourceOf(id)?.[surfaceOf(asked)];
    return (
      place &&
      `${place.path}/${id}${place.isOwned && organization ? `?organization=${organization}` : ''}`
    );
  }
}

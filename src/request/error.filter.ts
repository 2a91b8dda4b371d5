import { type ArgumentsHost, Catch, type ExceptionFilter, NotFoundException } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { isUnavailable } from '../persistence/faults.js';
import { Refusal, SERVICE_UNAVAILABLE } from '../shared/errors.js';
import type { TillgateAdapter } from './adapter.js';
import { ErrorResponses, headersOf, INTERNAL_ERROR } from './errors.js';
import { replyOf, requestOf } from './request.js';
import type { HttpResponse } from './response.js';

@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(
    private readonly host: HttpAdapterHost<TillgateAdapter>,
    private readonly errors: ErrorResponses,
  ) {}

  catch(error: unknown, context: ArgumentsHost): void {
    const request = requestOf(context);
    const reply = replyOf(context);
    const refusal = this.refusalFor(error, request);
    const line = { err: error, request_id: request.id, trace_id: request.traceId };
    if (refusal.kind === 'fault') request.log.error(line, 'unexpected error');
    if (refusal.kind === 'unavailable') request.log.warn(line, 'service unavailable');
    request.errorCode = refusal.code;
    reply.headers(headersOf(refusal));
    this.host.httpAdapter.reply(reply, this.answer(refusal, request));
  }

  protected answer(refusal: Refusal, request: FastifyRequest): HttpResponse {
    return this.errors.answerTo(refusal, request);
  }

  private refusalFor(error: unknown, request: FastifyRequest): Refusal {
    if (error instanceof Refusal) return error;
    // Fastify refuses a QUERY without a Content-Type before it looks for a route.
    if (error instanceof NotFoundException || request.method === 'QUERY')
      return this.host.httpAdapter.unrouted(request);
    if (isUnavailable(error)) return unavailable();
    return internalError();
  }
}

export function unavailable(): Refusal {
  return new Refusal(SERVICE_UNAVAILABLE, 'The service cannot answer right now.');
}

export function internalError(): Refusal {
  return new Refusal(
    INTERNAL_ERROR,
    'Something failed on our side; the log says what. The request may be sent again.',
  );
}

import { type ArgumentsHost, Catch, type ExceptionFilter, NotFoundException } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { paramError, Refusal } from '../../shared/errors.js';
import { isUnavailable } from '../database/faults.js';
import type { TillgateAdapter } from './adapter.js';
import { answerTo, headersOf, pathOf } from './errors.js';
import { replyOf, requestOf } from './exchange.js';

/** The last stop of every error: the envelope, and nothing of the inside. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(private readonly host: HttpAdapterHost<TillgateAdapter>) {}

  catch(error: unknown, context: ArgumentsHost): void {
    const request = requestOf(context);
    const reply = replyOf(context);
    const refusal = this.refusalFor(error, request);
    if (refusal.code === 'internal_error') request.log.error({ err: error, requestId: request.id }, 'unexpected error');
    if (refusal.code === 'service_unavailable')
      request.log.warn({ err: error, requestId: request.id }, 'service unavailable');
    reply.headers(headersOf(refusal));
    this.host.httpAdapter.reply(reply, answerTo(refusal, request));
  }

  private refusalFor(error: unknown, request: FastifyRequest): Refusal {
    if (error instanceof Refusal) return error;
    // Fastify refuses a QUERY without a Content-Type before it looks for a route.
    if (error instanceof NotFoundException || request.method === 'QUERY') return this.unrouted(request);
    if (isUnavailable(error)) return unavailable();
    return internalError();
  }

  private unrouted(request: FastifyRequest): Refusal {
    const methods = this.host.httpAdapter.methodsOf(pathOf(request.url));
    if (methods.length === 0) return new Refusal('not_found', 'No such route.');
    const message = `${request.method} is not a method of this route.`;
    return new Refusal('method_not_allowed', message, [paramError('method', 'invalid_value', message, methods)]);
  }
}

export function unavailable(): Refusal {
  return new Refusal('service_unavailable', 'The service cannot answer right now.');
}

export function internalError(): Refusal {
  return new Refusal('internal_error', 'Something went wrong on our side. The request may be sent again.');
}

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { STATEMENTS } from '../../persistence/statement.js';
import { Config } from '../../platform/config.js';
import type { TillgateAdapter } from '../../request/adapter.js';
import { NO_ORGANIZATION } from '../../shared/id.js';

const VERBOSE = ['debug', 'trace'];
/** The ledger key of the demo has this holder. */
export const DEMO_LEDGER = 'demo ledger';
const CLAIM = 'claimRefunds';

/**
 * Logs a line for each request after its response, and for each SQL statement at `debug`. No key,
 * body or header reaches the log.
 */
@Injectable()
export class RequestLog implements OnModuleInit, OnModuleDestroy {
  constructor(
    private readonly host: HttpAdapterHost<TillgateAdapter>,
    private readonly config: Config,
  ) {}

  onModuleInit(): void {
    const server = this.host.httpAdapter?.getInstance();
    server?.addHook(
      'onResponse',
      (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
        const isFault = reply.statusCode >= 400;
        const isWanted = !this.isErrorsOnly && !this.isLookOfDemo(request);
        if (isFault || isWanted || isOperatorWrite(request))
          server.log.info(lineOf(request, reply), 'request');
        done();
      },
    );
    if (VERBOSE.includes(this.config.logLevel)) subscribe(STATEMENTS, this.onStatement);
  }

  onModuleDestroy(): void {
    unsubscribe(STATEMENTS, this.onStatement);
  }

  private get isErrorsOnly(): boolean {
    return this.config.logRequests === 'errors';
  }

  /** The demo's own ledger looks every few seconds, under the tour that people paste. */
  private isLookOfDemo({ keyHolder, method, routeOptions }: FastifyRequest): boolean {
    if (this.config.databaseUrl !== undefined || keyHolder !== DEMO_LEDGER) return false;
    return method === 'GET' || routeOptions.config?.operationId === CLAIM;
  }

  private readonly onStatement = (statement: unknown): void => {
    this.host.httpAdapter?.getInstance().log.debug(statement, 'statement');
  };
}

/**
 * The requests that make and change keys are logged at every level, so that operators can always
 * find who did so.
 */
function isOperatorWrite({ method, routeOptions }: FastifyRequest): boolean {
  return method === 'POST' && routeOptions.url?.startsWith('/operator/') === true;
}

function lineOf(request: FastifyRequest, reply: FastifyReply): object {
  const { url, config } = request.routeOptions;
  const { organization } = request.caller ?? {};
  return {
    // A replayed error has the id of the first response in its body.
    request_id: reply.getHeader('request-id'),
    trace_id: request.traceId,
    method: request.method,
    // The line has the pattern of the route, because a path can contain anything.
    route: url,
    operation: config?.operationId,
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime * 10) / 10,
    organization: organization === NO_ORGANIZATION ? undefined : organization,
    // A path has nothing but an ID at this place only if the request succeeded.
    resource:
      isOperatorWrite(request) && reply.statusCode < 400
        ? (request.params as { id?: string }).id
        : undefined,
    key: request.keyDisplay,
    key_id: request.keyId,
    holder: request.keyHolder,
    key_fault: request.keyFault,
    error_code: request.errorCode,
    replayed: reply.hasHeader('idempotent-replayed') || undefined,
  };
}

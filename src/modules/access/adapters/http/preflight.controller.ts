import { Controller, HttpCode, NotFoundException, Options, Req, Res } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TillgateAdapter } from '../../../../request/adapter.js';
import { ErrorResponses, pathOf } from '../../../../request/errors.js';
import { Public } from '../../../../request/route.js';
import { Authenticate } from '../../application/authenticate.js';
import { originNotAllowed } from './origin.guard.js';

/** A browser may cache the response for so long, and notices a changed list as late. */
const MAX_AGE_SECONDS = 600;

/**
 * Answers CORS preflights (Fetch standard). They carry no key, so an origin is allowed if any
 * active key lists it.
 */
@Controller()
@Public()
export class PreflightController {
  constructor(
    private readonly authenticate: Authenticate,
    private readonly host: HttpAdapterHost<TillgateAdapter>,
    private readonly errors: ErrorResponses,
  ) {}

  @Options(['v1/*', 'ledger/v1/*'])
  @HttpCode(204)
  async preflight(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { origin, 'access-control-request-method': wanted } = request.headers;
    const methods = this.host.httpAdapter.methodsOf(pathOf(request.url));
    if (methods.length === 0 || !origin || !wanted) throw new NotFoundException();
    if (!(await this.authenticate.isKnownOrigin(origin))) {
      // The next step is to send the request itself from a server, which needs no preflight.
      const method = methods.includes(wanted) ? wanted : (methods[0] as string);
      const answer = this.errors.answerTo(originNotAllowed(), {
        id: request.id,
        method,
        url: request.url,
      });
      this.host.httpAdapter.reply(reply, answer);
      return;
    }
    reply.code(204).headers({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': methods.join(', '),
      'access-control-allow-headers':
        'Authorization, Content-Type, Idempotency-Key, Tillgate-Actor, X-Request-Id',
      'access-control-max-age': String(MAX_AGE_SECONDS),
      vary: 'Origin',
    });
    await reply.send();
  }
}

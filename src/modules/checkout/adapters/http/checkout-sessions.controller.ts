import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { listView } from '../../../../platform/http/list.view.js';
import { NoFieldsRequest } from '../../../../platform/http/no-fields.request.js';
import { PathId } from '../../../../platform/http/path-id.js';
import { Idempotency } from '../../../../platform/idempotency/idempotency.js';
import {
  AcceptIdempotencyKey,
  Idempotent,
  type IdempotentRequest,
  RequireIdempotencyKey,
} from '../../../../platform/idempotency/idempotency-key.guard.js';
import { Answer } from '../../../../shared/answer.js';
import type { Caller } from '../../../../shared/caller.js';
import { CallerOfKey } from '../../../access/index.js';
import { CreateCheckoutSession } from '../../application/create-checkout-session.js';
import { ExpireCheckoutSession } from '../../application/expire-checkout-session.js';
import { ListCheckoutSessions } from '../../application/list-checkout-sessions.js';
import { ReadCheckoutSession } from '../../application/read-checkout-session.js';
import type { CheckoutSession } from '../../domain/checkout-session.js';
import {
  CreateCheckoutSessionRequest,
  ListCheckoutSessionsQuery,
  toFilter,
  toNewSession,
} from './checkout-sessions.requests.js';
import { checkoutSessionView, summaryView } from './checkout-sessions.views.js';

@Controller('v1/checkout_sessions')
export class CheckoutSessionsController {
  constructor(
    private readonly idempotency: Idempotency,
    private readonly createCheckoutSession: CreateCheckoutSession,
    private readonly expireCheckoutSession: ExpireCheckoutSession,
    private readonly readCheckoutSession: ReadCheckoutSession,
    private readonly listCheckoutSessions: ListCheckoutSessions,
  ) {}

  @Post()
  @RequireIdempotencyKey()
  create(
    @CallerOfKey() caller: Caller,
    @Idempotent() request: IdempotentRequest,
    @Body() body: CreateCheckoutSessionRequest,
  ): Promise<Answer> {
    return this.idempotency.once(caller, { ...request, body }, (keep) =>
      this.createCheckoutSession.execute(caller, toNewSession(body), (session) => keep(created(session))),
    );
  }

  @Post(':id/expire')
  @AcceptIdempotencyKey()
  expire(
    @CallerOfKey() caller: Caller,
    @Idempotent() request: IdempotentRequest,
    @PathId('cs') id: string,
    @Body() body: NoFieldsRequest,
  ): Promise<Answer> {
    return this.idempotency.transact(caller, { ...request, body }, async () => {
      const session = await this.expireCheckoutSession.execute(caller, id);
      return new Answer(200, JSON.stringify(checkoutSessionView(session)));
    });
  }

  @Get(':id')
  async read(@CallerOfKey() caller: Caller, @PathId('cs') id: string) {
    return checkoutSessionView(await this.readCheckoutSession.execute(caller, id));
  }

  @Get()
  async list(@CallerOfKey() caller: Caller, @Query() query: ListCheckoutSessionsQuery) {
    return listView(await this.listCheckoutSessions.execute(caller, toFilter(query)), summaryView);
  }
}

function created(session: CheckoutSession): Answer {
  return new Answer(201, JSON.stringify(checkoutSessionView(session)), `/v1/checkout_sessions/${session.facts.id}`);
}

import { Controller, Get, Post } from '@nestjs/common';
import { Idempotency } from '../../../../request/idempotency/idempotency.js';
import {
  IdempotencyKey,
  type KeyedRequest,
} from '../../../../request/idempotency/keyed-request.js';
import {
  type Headers,
  HttpResponse,
  type IdempotentResponse,
  listResponse,
} from '../../../../request/response.js';
import {
  Caller,
  NeedsRight,
  NeedsUniqueReferences,
  Operation,
  Tag,
} from '../../../../request/route.js';
import { pageRequest } from '../../../../request/validation/list.query.js';
import {
  NoFieldsRequest,
  PathId,
  ValidQuery,
  ValidRequest,
} from '../../../../request/validation/validation.js';
import { idOf } from '../../../../shared/id.js';
import { inModeOf, ownId } from '../../../../shared/own-id.js';
import { CloseCheckoutSession } from '../../application/close-checkout-session.js';
import { OpenCheckoutSession } from '../../application/open-checkout-session.js';
import { CheckoutSessionQueries, PageLinks } from '../../application/ports.js';
import { RedactCheckoutSession } from '../../application/redact-checkout-session.js';
import { CHECKOUT_SESSION_ID, type CheckoutSession } from '../../domain/checkout-session.js';
import { SESSION_RESOURCE } from '../../resources.js';
import {
  CHECKOUT_SESSION,
  CHECKOUT_SESSION_LIST,
  checkoutSessionJson,
  summaryView,
} from '../representation/checkout-sessions.views.js';
import {
  CreateCheckoutSessionRequest,
  ListCheckoutSessionsQuery,
  toNewSession,
} from './checkout-sessions.requests.js';

@Controller(SESSION_RESOURCE.secret.path)
@Tag(
  'Checkout sessions',
  'A checkout session asks a customer to pay. It is open until it is paid or expires.',
)
export class CheckoutSessionsController {
  constructor(
    private readonly idempotency: Idempotency,
    private readonly openSession: OpenCheckoutSession,
    private readonly closeSession: CloseCheckoutSession,
    private readonly redactSession: RedactCheckoutSession,
    private readonly sessions: CheckoutSessionQueries,
    private readonly links: PageLinks,
  ) {}

  @Operation('createCheckoutSession', {
    summary: 'Create a checkout session',
    description:
      'Creates an open session from prices and quantities. Tillgate computes the amounts. If ' +
      'you send an amount too, it must equal the computed one. Where the organization has ' +
      '`unique_references`, a `metadata.reference` is refused while another session with it is ' +
      'open or complete.',
    answers: {
      201: {
        description: 'The open session.',
        schema: CHECKOUT_SESSION,
        located: true,
        linked: true,
      },
    },
  })
  @Post()
  @NeedsRight('sessions')
  @IdempotencyKey('required')
  async create(
    @Caller() caller: Caller,
    @NeedsUniqueReferences() needsUnique: boolean,
    @ValidRequest(CreateCheckoutSessionRequest) request: KeyedRequest<CreateCheckoutSessionRequest>,
  ) {
    const response = await this.idempotency.once(
      caller,
      request,
      (unit) => this.openSession.execute(unit, toNewSession(request.body), needsUnique),
      created,
    );
    return response.with(await this.linkWith(caller, response));
  }

  @Operation('expireCheckoutSession', {
    summary: 'Expire a checkout session',
    description: 'Expires an open session, so that it can no longer be paid.',
    answers: { 200: { description: 'The expired session.', schema: CHECKOUT_SESSION } },
  })
  @Post(':id/expire')
  @NeedsRight('sessions')
  @IdempotencyKey('accepted')
  expire(
    @Caller() caller: Caller,
    @ValidRequest(NoFieldsRequest) request: KeyedRequest<NoFieldsRequest>,
    @PathId(CHECKOUT_SESSION_ID) id: string,
  ) {
    return this.idempotency.once(
      caller,
      request,
      (unit) => this.closeSession.expire(unit, ownId(unit, id)),
      closed,
    );
  }

  @Operation('completeCheckoutSession', {
    summary: 'Complete a checkout session',
    description:
      'Completes an open session whose total is 0. Any other session is completed by its payment.',
    answers: { 200: { description: 'The complete session.', schema: CHECKOUT_SESSION } },
  })
  @Post(':id/complete')
  @NeedsRight('sessions')
  @IdempotencyKey('accepted')
  complete(
    @Caller() caller: Caller,
    @ValidRequest(NoFieldsRequest) request: KeyedRequest<NoFieldsRequest>,
    @PathId(CHECKOUT_SESSION_ID) id: string,
  ) {
    return this.idempotency.once(
      caller,
      request,
      (unit) => this.closeSession.completeFree(unit, ownId(unit, id)),
      closed,
    );
  }

  @Operation('redactCheckoutSession', {
    summary: 'Redact a checkout session',
    description:
      'Removes for ever what a complete or expired session tells of the customer: the e-mail ' +
      'address, the description, the four URLs, `metadata` but for its `reference`, and of its ' +
      'lines the name, description and images. It also removes them, and the descriptions and ' +
      'reasons of its refunds and holds, from events, stored responses and webhooks that are ' +
      'still due. IDs, amounts, times and references stay. Repeating the request also removes ' +
      'what was said about its refunds since.',
    answers: { 200: { description: 'The redacted session.', schema: CHECKOUT_SESSION } },
  })
  @Post(':id/redact')
  @IdempotencyKey('accepted')
  redact(
    @Caller() caller: Caller,
    @ValidRequest(NoFieldsRequest) request: KeyedRequest<NoFieldsRequest>,
    @PathId(CHECKOUT_SESSION_ID) id: string,
  ) {
    return this.idempotency.once(
      caller,
      request,
      (unit) => this.redactSession.execute(unit, ownId(unit, id)),
      closed,
    );
  }

  @Operation('readCheckoutSession', {
    summary: 'Retrieve a checkout session',
    description:
      'Returns a session of your organization, in test or live mode, with its line items.',
    answers: { 200: { description: 'The session.', schema: CHECKOUT_SESSION, linked: true } },
  })
  @Get(':id')
  async read(
    @Caller() caller: Caller,
    @PathId(CHECKOUT_SESSION_ID) id: string,
    @ValidQuery() _query: NoFieldsRequest,
  ): Promise<HttpResponse> {
    const session = await this.sessions.get(...inModeOf(id, caller));
    const response = new HttpResponse({ status: 200, body: checkoutSessionJson(session) });
    return session.state.status === 'open' ? response.with(this.linkTo(caller, id)) : response;
  }

  @Operation('listCheckoutSessions', {
    summary: 'List checkout sessions',
    description: 'Lists the sessions of your organization in the mode of the key, newest first.',
    answers: { 200: { description: 'A page of sessions.', schema: CHECKOUT_SESSION_LIST } },
  })
  @Get()
  async list(@Caller() caller: Caller, @ValidQuery() query: ListCheckoutSessionsQuery) {
    return listResponse(await this.sessions.list(caller, pageRequest(query)), summaryView);
  }

  /**
   * Returns the link of the session that was created, while it is open. A replay may come after its
   * end or its removal.
   */
  private async linkWith(
    caller: Caller,
    { resourceId, replayed }: IdempotentResponse,
  ): Promise<Headers | undefined> {
    if (!resourceId) return undefined;
    const id = idOf(CHECKOUT_SESSION_ID, resourceId, caller.mode);
    const link = this.linkTo(caller, id);
    if (link === undefined || !replayed) return link;
    const session = await this.sessions.get(caller, ownId(caller, id)).catch(() => undefined);
    return session?.state.status === 'open' ? link : undefined;
  }

  /**
   * Returns the Link header (RFC 8288) with the registered relation `payment`, if sessions have
   * pages.
   */
  private linkTo({ organization }: Caller, id: string): Headers | undefined {
    const url = this.links.urlOf(organization, id);
    return url === undefined ? undefined : { link: `<${url}>; rel="payment"` };
  }
}

function created(session: CheckoutSession): HttpResponse {
  const location = `/v1/checkout_sessions/${session.state.id}`;
  return new HttpResponse({ status: 201, body: checkoutSessionJson(session), location });
}

function closed(session: CheckoutSession): HttpResponse {
  return new HttpResponse({ status: 200, body: checkoutSessionJson(session) });
}

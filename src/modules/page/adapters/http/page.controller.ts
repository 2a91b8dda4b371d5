import { Controller, Get, Param, Post, Req, UseFilters, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { TakesForm } from '../../../../request/body.guard.js';
import { Idempotency } from '../../../../request/idempotency/idempotency.js';
import { PublicUrl } from '../../../../request/public-url.js';
import { HttpResponse } from '../../../../request/response.js';
import { Public } from '../../../../request/route.js';
import { type ErrorCode, notFound, Refusal } from '../../../../shared/errors.js';
import type { Unit } from '../../../../shared/unit.js';
import type { CheckoutPage, Visit } from '../../application/checkout-page.js';
import {
  type NextPlace,
  OUTCOMES,
  type Outcome,
  PayFromPage,
} from '../../application/pay-from-page.js';
import { ReadPage } from '../../application/read-page.js';
import { checkoutPageView } from '../representation/checkout-page.views.js';
import { languageOf } from '../representation/language.js';
import { pretendPayerView } from '../representation/pretend-payer.views.js';
import { LinkRateGuard } from './link-rate.guard.js';
import { PageErrorFilter } from './missing-page.controller.js';
import { formTargets, pageResponse, seeOther } from './page-response.js';

const PAGE_GONE: ErrorCode = {
  code: 'page_gone',
  kind: 'gone',
  meaning: 'The session of the page was redacted.',
};
const EMBEDDED = '/c/:token/embed';
type PageRequest = FastifyRequest<{ Params: { token: string }; Querystring: { waited?: string } }>;

/**
 * Serves the payment page to the customer's browser. A GET changes nothing, so a link preview
 * starts no payment.
 */
@Controller('c/:token')
@Public()
@UseGuards(LinkRateGuard)
@UseFilters(PageErrorFilter)
export class PageController {
  constructor(
    private readonly readPage: ReadPage,
    private readonly payFromPage: PayFromPage,
    private readonly idempotency: Idempotency,
    private readonly publicUrl: PublicUrl,
  ) {}

  @Get(['', 'embed'])
  async show(@Req() request: PageRequest): Promise<HttpResponse> {
    return this.shown(await this.read(request), request, 'link');
  }

  @Get('cancel')
  async cancel(@Req() request: PageRequest): Promise<HttpResponse> {
    return this.shown(await this.read(request), request, 'cancel');
  }

  /**
   * The customer returns here after paying. The page waits until the payment is recorded, and then
   * redirects to the shop.
   */
  @Get(['return', 'embed/return'])
  async return(@Req() request: PageRequest): Promise<HttpResponse> {
    const page = await this.read(request);
    const isDone = page.state === 'paid' && page.onward !== null && !isEmbedded(request);
    return isDone ? goTo(page.onward as string) : this.shown(page, request, 'return');
  }

  @Get(['state', 'embed/state'])
  async state(@Req() request: PageRequest): Promise<HttpResponse> {
    const { state } = await this.read(request);
    return new HttpResponse({ status: 200, body: JSON.stringify({ state }) });
  }

  @Post('pay')
  @TakesForm()
  pay(@Req() request: PageRequest): Promise<HttpResponse> {
    return this.decided(request, (unit) => this.payFromPage.start(unit, request.params.token));
  }

  @Get('pretend')
  async pretend(@Req() request: PageRequest): Promise<HttpResponse> {
    const page = await this.read(request);
    if (page.placeToPay !== 'pretend') throw notFound('token');
    const path = this.hostedPathOf(request);
    if (!page.isPayable) return goTo(path);
    return this.response(page, request, () => pretendPayerView(page, path));
  }

  @Post('pretend/:outcome')
  @TakesForm()
  async pretendTo(
    @Req() request: PageRequest,
    @Param('outcome') outcome: string,
  ): Promise<HttpResponse> {
    if (!isOutcome(outcome)) throw notFound('token');
    return this.decided(request, (unit) =>
      this.payFromPage.pretend(unit, request.params.token, outcome),
    );
  }

  /**
   * Commits the decision and redirects. If the session's state refuses it, redirects to the page,
   * which shows that state.
   */
  private async decided(
    request: PageRequest,
    decide: (unit: Unit) => Promise<NextPlace>,
  ): Promise<HttpResponse> {
    const path = this.hostedPathOf(request);
    const locationOf = (place: NextPlace) => {
      if (typeof place === 'object') return place.url;
      return place === 'page' ? path : `${path}/${place}`;
    };
    try {
      const caller = this.readPage.callerOf(request.params.token);
      const response = await this.idempotency.withoutKey(caller, decide, (place) =>
        redirectTo(locationOf(place)),
      );
      return seeOther(response);
    } catch (error) {
      if (error instanceof Refusal && error.kind === 'state') return goTo(path);
      throw error;
    }
  }

  private async read(request: PageRequest): Promise<CheckoutPage> {
    const page = await this.readPage.execute(request.params.token);
    if (page.facts.session.isRedacted) throw new Refusal(PAGE_GONE, 'The session was redacted.');
    if (isEmbedded(request) && page.facts.session.uiMode !== 'embedded') throw notFound('token');
    return page;
  }

  private shown(page: CheckoutPage, request: PageRequest, visit: Visit): Promise<HttpResponse> {
    const language = languageOf(page.facts.session.locale, request.headers['accept-language']);
    const hosted = this.hostedPathOf(request);
    const path = isEmbedded(request) ? `${hosted}/embed` : hosted;
    const waitedSeconds = Number(request.query.waited) || 0;
    return this.response(page, request, (frameOrigins) =>
      checkoutPageView(page, {
        language,
        path,
        payPath: `${hosted}/pay`,
        visit,
        waitedSeconds,
        frameOrigins,
      }),
    );
  }

  private async response(
    page: CheckoutPage,
    request: PageRequest,
    view: (frameOrigins?: readonly string[]) => string,
  ) {
    const frameOrigins = isEmbedded(request) ? await this.readPage.frameOrigins(page) : undefined;
    return pageResponse(200, view(frameOrigins), { formTargets: formTargets(page), frameOrigins });
  }

  /** Returns the path only, so that it is right whatever host the browser used. */
  private hostedPathOf({ params }: PageRequest): string {
    return `${this.publicUrl.path}/c/${params.token}`;
  }
}

const redirectTo = (location: string): HttpResponse =>
  new HttpResponse({ status: 303, body: '', location });
const goTo = (location: string): HttpResponse => seeOther(redirectTo(location));

const isEmbedded = ({ routeOptions }: PageRequest): boolean =>
  `${routeOptions.url}`.startsWith(EMBEDDED);

const isOutcome = (text: string): text is Outcome => OUTCOMES.some((outcome) => outcome === text);

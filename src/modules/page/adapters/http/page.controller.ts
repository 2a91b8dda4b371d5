import { Controller, Get, Param, Post, Req, UseFilters, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Idempotency } from '../../../../idempotency/idempotency.js';
import { TakesForm } from '../../../../platform/http/body.guard.js';
import { Public } from '../../../../platform/http/credential.js';
import { PublicUrl } from '../../../../platform/http/public-url.js';
import { HttpResponse } from '../../../../platform/http/response.js';
import type { Decision } from '../../../../shared/decision.js';
import { notFound, Refusal } from '../../../../shared/errors.js';
import { PRETENCES, type Pretence, PretendToPay } from '../../application/pretend-to-pay.js';
import { ReadPage } from '../../application/read-page.js';
import { StartPayment } from '../../application/start-payment.js';
import type { CheckoutPage } from '../../domain/checkout-page.js';
import { fillIn } from '../../domain/payment-url.js';
import { checkoutPageView } from '../representation/checkout-page.views.js';
import { languageOf } from '../representation/language.js';
import { pretendPayerView } from '../representation/pretend-payer.views.js';
import { PageGuard } from './page.guard.js';
import { PageErrorFilter } from './page-error.filter.js';
import { leadsTo, pageResponse, seeOther } from './page-response.js';

const HOSTED = 'c/:token';
const EMBEDDED = 'c/:token/embed';

/** Serves the payment page to the customer's browser. A GET changes nothing, so a link preview starts no payment. */
@Controller([HOSTED, EMBEDDED])
@Public()
@UseGuards(PageGuard)
@UseFilters(PageErrorFilter)
export class PageController {
  constructor(
    private readonly readPage: ReadPage,
    private readonly startPayment: StartPayment,
    private readonly pretendToPay: PretendToPay,
    private readonly idempotency: Idempotency,
    private readonly publicUrl: PublicUrl,
  ) {}

  @Get()
  async show(@Param('token') token: string, @Req() request: FastifyRequest): Promise<HttpResponse> {
    const page = await this.read(token, request);
    return this.shown(page, token, request);
  }

  /** The customer returns here after paying. The page waits until the payment is recorded, and then redirects to the shop. */
  @Get('return')
  async return(@Param('token') token: string, @Req() request: FastifyRequest): Promise<HttpResponse> {
    const page = await this.read(token, request);
    const isDone = page.state === 'paid' && page.onward !== null && !isEmbedded(request);
    return isDone ? goTo(page.onward as string) : this.shown(page, token, request, true);
  }

  /** The page's script polls this route. */
  @Get('state')
  async state(@Param('token') token: string, @Req() request: FastifyRequest): Promise<HttpResponse> {
    const { state } = await this.read(token, request);
    return new HttpResponse({ status: 200, body: JSON.stringify({ state }) });
  }

  @Post('pay')
  @TakesForm()
  async pay(@Param('token') token: string, @Req() request: FastifyRequest): Promise<HttpResponse> {
    const path = this.pathOf(token, request);
    return this.decided(
      path,
      () => this.startPayment.execute(token),
      (start) => {
        if (typeof start === 'string') return start === 'page' ? path : `${path}/${start}`;
        if (start.place === 'pretend') return `${path}/pretend`;
        return fillIn(start.place.url, { id: start.id, returnUrl: `${this.publicUrl.value}/c/${token}/return` });
      },
    );
  }

  @Get('pretend')
  async pretend(@Param('token') token: string, @Req() request: FastifyRequest): Promise<HttpResponse> {
    const page = await this.read(token, request);
    if (page.placeToPay !== 'pretend') throw notFound('token');
    const path = this.pathOf(token, request);
    if (!page.isPayable) return goTo(path);
    const body = pretendPayerView(page, path, isEmbedded(request));
    return pageResponse(200, body, { leadsTo: leadsTo(page), framers: await this.framers(page, request) });
  }

  @Post('pretend/:pretence')
  @TakesForm()
  async pretendTo(
    @Param('token') token: string,
    @Param('pretence') pretence: string,
    @Req() request: FastifyRequest,
  ): Promise<HttpResponse> {
    if (!isPretence(pretence)) throw notFound('token');
    const path = this.pathOf(token, request);
    return this.decided(
      path,
      () => this.pretendToPay.execute(token, pretence),
      (outcome) => {
        if (outcome === 'return') return `${path}/return`;
        return outcome === 'declined' ? `${path}?declined` : path;
      },
    );
  }

  /** Commits the decision and redirects. If the session's state refuses it, redirects to the page, which shows that state. */
  private async decided<Result>(path: string, decide: () => Promise<Decision<Result>>, to: (result: Result) => string) {
    try {
      const response = await this.idempotency.withoutKey(decide, (result) => ({
        status: 303,
        body: '',
        location: to(result),
      }));
      return seeOther(response);
    } catch (error) {
      if (error instanceof Refusal && error.kind === 'state') return goTo(path);
      throw error;
    }
  }

  private async read(token: string, request: FastifyRequest): Promise<CheckoutPage> {
    const page = await this.readPage.execute(token);
    if (isEmbedded(request) && page.facts.session.uiMode !== 'embedded') throw notFound('token');
    return page;
  }

  private async shown(page: CheckoutPage, token: string, request: FastifyRequest, isReturn = false) {
    const framers = await this.framers(page, request);
    const body = checkoutPageView(page, {
      language: languageOf(page.facts.session.locale, request.headers['accept-language']),
      path: this.pathOf(token, request),
      isReturn,
      isDeclined: 'declined' in (request.query as object),
      framers,
    });
    return pageResponse(200, body, { leadsTo: leadsTo(page), framers });
  }

  private async framers(page: CheckoutPage, request: FastifyRequest): Promise<readonly string[] | undefined> {
    return isEmbedded(request) ? this.readPage.framers(page) : undefined;
  }

  /** The path only, so that it is right whatever host the browser used. */
  private pathOf(token: string, request: FastifyRequest): string {
    return `${this.publicUrl.path}/c/${token}${isEmbedded(request) ? '/embed' : ''}`;
  }
}

function goTo(location: string): HttpResponse {
  return seeOther(new HttpResponse({ status: 303, body: '', location }));
}

const isEmbedded = ({ routeOptions }: FastifyRequest): boolean => `${routeOptions.url}/`.startsWith(`/${EMBEDDED}/`);

const isPretence = (text: string): text is Pretence => PRETENCES.some((one) => one === text);

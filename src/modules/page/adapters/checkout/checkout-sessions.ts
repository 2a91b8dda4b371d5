import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../../shared/caller.js';
import type { Write } from '../../../../shared/decision.js';
import { inModeOf, ownId } from '../../../../shared/own-id.js';
import { CheckoutSessionQueries, CloseCheckoutSession, type PageLink, PageLinks } from '../../../checkout/index.js';
import { Sessions } from '../../application/ports.js';
import type { PageSession } from '../../domain/checkout-page.js';

@Injectable()
export class CheckoutSessions extends Sessions {
  constructor(
    private readonly links: PageLinks,
    private readonly queries: CheckoutSessionQueries,
    private readonly closeCheckoutSession: CloseCheckoutSession,
  ) {
    super();
  }

  linked(token: string): PageLink | undefined {
    return this.links.read(token);
  }

  async get(caller: Caller, id: string): Promise<PageSession> {
    return (await this.queries.get(...inModeOf(id, caller))).state;
  }

  async completeFree(caller: Caller, id: string): Promise<readonly Write[]> {
    return (await this.closeCheckoutSession.completeFree(caller, ownId(caller, id))).writes;
  }
}

import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../../shared/caller.js';
import type { Write } from '../../../../shared/decision.js';
import { CompleteFreeCheckoutSession, ReadCheckoutSession } from '../../../checkout/index.js';
import { Sessions } from '../../application/ports.js';
import type { PageSession } from '../../domain/checkout-page.js';

@Injectable()
export class CheckoutSessions extends Sessions {
  constructor(
    private readonly readCheckoutSession: ReadCheckoutSession,
    private readonly completeFreeCheckoutSession: CompleteFreeCheckoutSession,
  ) {
    super();
  }

  async get(caller: Caller, id: string): Promise<PageSession> {
    return (await this.readCheckoutSession.execute(caller, id)).state;
  }

  async completeFree(caller: Caller, id: string): Promise<readonly Write[]> {
    return (await this.completeFreeCheckoutSession.execute(caller, id)).writes;
  }
}

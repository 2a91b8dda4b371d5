import { Injectable } from '@nestjs/common';
import { Idempotency } from '../../../../request/idempotency/idempotency.js';
import type { KeyedRequest } from '../../../../request/idempotency/idempotency-key.guard.js';
import type { OwnerRequest } from '../../../../request/validation/requests.js';
import type { Caller, Ledger } from '../../../../shared/caller.js';
import type { Decision } from '../../../../shared/decision.js';
import { type OwnId, ownId } from '../../../../shared/own-id.js';
import { Refunds } from '../../application/ports.js';
import type { Refund } from '../../domain/refund.js';
import { ledgerRefundView } from '../representation/refunds.views.js';

@Injectable()
export class LedgerRefundChanges {
  constructor(
    private readonly idempotency: Idempotency,
    private readonly refunds: Refunds,
  ) {}

  /** Commits the ledger's decision about a refund. The caller is the owning organization, looked up if the body does not name it. */
  async commit(
    ledger: Ledger,
    pathId: string,
    request: KeyedRequest<OwnerRequest>,
    decide: (caller: Caller, id: OwnId) => Promise<Decision<Refund>>,
  ) {
    const id = ownId(ledger, pathId);
    const caller = await this.refunds.ownerOf(ledger, id, request.body.organization);
    return this.idempotency.once(
      caller,
      request,
      () => decide(caller, id),
      (refund) => ({ status: 200, body: JSON.stringify(ledgerRefundView(refund)) }),
    );
  }
}

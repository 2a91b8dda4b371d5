import { Injectable } from '@nestjs/common';
import { Idempotency } from '../../../../idempotency/idempotency.js';
import type { IdempotentRequest } from '../../../../idempotency/idempotency-key.guard.js';
import type { IdempotentResponse } from '../../../../idempotency/idempotent-response.js';
import type { Caller, Ledger } from '../../../../shared/caller.js';
import type { Decision } from '../../../../shared/decision.js';
import type { OwnerRequest } from '../../../../validation/requests.js';
import { ReadLedgerRefund } from '../../application/read-ledger-refund.js';
import type { Refund } from '../../domain/refund.js';
import { ledgerRefundView } from '../representation/refunds.views.js';

@Injectable()
export class LedgerRefundChanges {
  constructor(
    private readonly idempotency: Idempotency,
    private readonly readLedgerRefund: ReadLedgerRefund,
  ) {}

  /** Commits the ledger's decision about a refund. The caller is the owning organization, looked up if the body does not name it. */
  async commit(
    ledger: Ledger,
    id: string,
    request: IdempotentRequest & { body: OwnerRequest },
    decide: (caller: Caller) => Promise<Decision<Refund>>,
  ): Promise<IdempotentResponse> {
    const owner = request.body.organization ?? undefined;
    const { organization } = await this.readLedgerRefund.execute(ledger, id, owner);
    const caller = { organization, mode: ledger.mode };
    return this.idempotency.once(
      caller,
      request,
      () => decide(caller),
      (refund) => ({ status: 200, body: JSON.stringify(ledgerRefundView({ organization, refund })) }),
    );
  }
}

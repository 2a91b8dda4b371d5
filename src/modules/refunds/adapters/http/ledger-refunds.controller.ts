import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { Gated } from '../../../../platform/http/gate.js';
import { listView } from '../../../../platform/http/list.view.js';
import { NoFieldsRequest } from '../../../../platform/http/no-fields.request.js';
import { PathId } from '../../../../platform/http/path-id.js';
import { Idempotency } from '../../../../platform/idempotency/idempotency.js';
import {
  AcceptIdempotencyKey,
  Idempotent,
  type IdempotentRequest,
} from '../../../../platform/idempotency/idempotency-key.guard.js';
import { Answer } from '../../../../shared/answer.js';
import type { Ledger } from '../../../../shared/caller.js';
import { LedgerOfKey } from '../../../access/index.js';
import { ListProposals } from '../../application/list-proposals.js';
import { SettleRefund } from '../../application/settle-refund.js';
import type { Refund } from '../../domain/refund.js';
import { FailRefundRequest, ListLedgerRefundsQuery, toLedgerFilter } from './refunds.requests.js';
import { ledgerRefundView } from './refunds.views.js';

/** The ledger's side of refunds: what to act on, and what became of it. */
@Controller('ledger/v1/refunds')
@Gated('ledger')
export class LedgerRefundsController {
  constructor(
    private readonly idempotency: Idempotency,
    private readonly listProposals: ListProposals,
    private readonly settleRefund: SettleRefund,
  ) {}

  @Get()
  async list(@LedgerOfKey() ledger: Ledger, @Query() query: ListLedgerRefundsQuery) {
    return listView(await this.listProposals.execute(ledger, toLedgerFilter(query)), ledgerRefundView);
  }

  @Get(':id')
  async read(@LedgerOfKey() ledger: Ledger, @PathId('re') id: string) {
    return ledgerRefundView(await this.listProposals.find(ledger, id));
  }

  @Post(':id/succeed')
  @AcceptIdempotencyKey()
  succeed(
    @LedgerOfKey() ledger: Ledger,
    @Idempotent() request: IdempotentRequest,
    @PathId('re') id: string,
    @Body() body: NoFieldsRequest,
  ): Promise<Answer> {
    return this.settle(ledger, id, { ...request, body }, (refund) => refund.succeed());
  }

  @Post(':id/fail')
  @AcceptIdempotencyKey()
  fail(
    @LedgerOfKey() ledger: Ledger,
    @Idempotent() request: IdempotentRequest,
    @PathId('re') id: string,
    @Body() body: FailRefundRequest,
  ): Promise<Answer> {
    return this.settle(ledger, id, { ...request, body }, (refund) => refund.fail(body.reason ?? null));
  }

  private async settle(
    ledger: Ledger,
    id: string,
    request: IdempotentRequest & { body: unknown },
    transition: (refund: Refund) => Refund,
  ): Promise<Answer> {
    const { organization } = await this.listProposals.find(ledger, id);
    const caller = { organization, mode: ledger.mode };
    return this.idempotency.transact(caller, request, async () => {
      const refund = await this.settleRefund.execute(caller, id, transition);
      return new Answer(200, JSON.stringify(ledgerRefundView({ organization, refund })));
    });
  }
}

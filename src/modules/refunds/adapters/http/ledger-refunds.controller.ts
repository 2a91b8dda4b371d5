import { Controller, Get, Post } from '@nestjs/common';
import { Gated } from '../../../../platform/http/gate.js';
import { listView } from '../../../../platform/http/list.view.js';
import { Operation, Tag } from '../../../../platform/http/operation.js';
import { PathId } from '../../../../platform/http/path-id.js';
import { NoFieldsRequest } from '../../../../platform/http/requests.js';
import { ValidBody, ValidQuery } from '../../../../platform/http/validation.js';
import { Idempotency } from '../../../../platform/idempotency/idempotency.js';
import {
  AcceptIdempotencyKey,
  Idempotent,
  type IdempotentRequest,
} from '../../../../platform/idempotency/idempotency-key.guard.js';
import type { IdempotentResponse } from '../../../../platform/idempotency/idempotent-response.js';
import type { Caller, Ledger } from '../../../../shared/caller.js';
import type { Decision } from '../../../../shared/decision.js';
import { LedgerOfKey } from '../../../access/index.js';
import { FailRefund } from '../../application/fail-refund.js';
import { ListProposals } from '../../application/list-proposals.js';
import { ReadLedgerRefund } from '../../application/read-ledger-refund.js';
import { SucceedRefund } from '../../application/succeed-refund.js';
import { REFUND_ID, type Refund } from '../../domain/refund.js';
import { REFUND_FACTS } from '../../facts.js';
import { REFUSED_FAILURE, REFUSED_SUCCESS } from '../representation/refunds.examples.js';
import { LEDGER_REFUND, LEDGER_REFUND_LIST, ledgerRefundView } from '../representation/refunds.views.js';
import { FailRefundRequest, ListLedgerRefundsQuery, toLedgerFilter } from './refunds.requests.js';

/** The ledger's side of refunds: what to act on, and what became of it. */
@Controller(REFUND_FACTS.ledger.path)
@Gated('ledger')
@Tag('Ledger: refunds', 'What the ledger has to decide, and what it decided.')
export class LedgerRefundsController {
  constructor(
    private readonly idempotency: Idempotency,
    private readonly listProposals: ListProposals,
    private readonly readLedgerRefund: ReadLedgerRefund,
    private readonly succeedRefund: SucceedRefund,
    private readonly failRefund: FailRefund,
  ) {}

  @Operation('listLedgerRefunds', {
    summary: 'List refunds as the ledger',
    description:
      'Those of every organization in the mode of the key, oldest first: without a status, what waits for a decision.',
    answers: { 200: { description: 'A page of refunds.', schema: LEDGER_REFUND_LIST } },
  })
  @Get()
  async list(@LedgerOfKey() ledger: Ledger, @ValidQuery() query: ListLedgerRefundsQuery) {
    return listView(await this.listProposals.execute(ledger, toLedgerFilter(query)), ledgerRefundView);
  }

  @Operation('readLedgerRefund', {
    summary: 'Read a refund as the ledger',
    answers: { 200: { description: 'The refund.', schema: LEDGER_REFUND } },
  })
  @Get(':id')
  async read(@LedgerOfKey() ledger: Ledger, @PathId(REFUND_ID) id: string) {
    return ledgerRefundView(await this.readLedgerRefund.execute(ledger, id));
  }

  @Operation('succeedRefund', {
    summary: 'Say that a refund was paid out',
    description: 'Saying it again changes nothing.',
    answers: { 200: { description: 'The refund, succeeded.', schema: LEDGER_REFUND } },
    refusals: REFUSED_SUCCESS,
  })
  @Post(':id/succeed')
  @AcceptIdempotencyKey()
  succeed(
    @LedgerOfKey() ledger: Ledger,
    @Idempotent() request: IdempotentRequest,
    @PathId(REFUND_ID) id: string,
    @ValidBody() body: NoFieldsRequest,
  ): Promise<IdempotentResponse> {
    return this.close(ledger, id, { ...request, body }, (caller) => this.succeedRefund.execute(caller, id));
  }

  @Operation('failRefund', {
    summary: 'Say that a refund was refused',
    description: 'Frees its amount. Saying it again changes nothing.',
    answers: { 200: { description: 'The refund, failed.', schema: LEDGER_REFUND } },
    refusals: REFUSED_FAILURE,
  })
  @Post(':id/fail')
  @AcceptIdempotencyKey()
  fail(
    @LedgerOfKey() ledger: Ledger,
    @Idempotent() request: IdempotentRequest,
    @PathId(REFUND_ID) id: string,
    @ValidBody() body: FailRefundRequest,
  ): Promise<IdempotentResponse> {
    const { reason = null } = body;
    return this.close(ledger, id, { ...request, body }, (caller) => this.failRefund.execute(caller, id, reason));
  }

  /** On behalf of the organization whose refund it is. */
  private async close(
    ledger: Ledger,
    id: string,
    request: IdempotentRequest & { body: unknown },
    decide: (caller: Caller) => Promise<Decision<Refund>>,
  ): Promise<IdempotentResponse> {
    const { organization } = await this.readLedgerRefund.execute(ledger, id);
    const caller = { organization, mode: ledger.mode };
    return this.idempotency.once(
      caller,
      request,
      () => decide(caller),
      (refund) => ({ status: 200, body: JSON.stringify(ledgerRefundView({ organization, refund })) }),
    );
  }
}

import { Controller, Get, Post } from '@nestjs/common';
import { LedgerKey, LedgerOfKey } from '../../../../request/credential.js';
import { Idempotency } from '../../../../request/idempotency/idempotency.js';
import { IdempotencyKey, type KeyedRequest } from '../../../../request/idempotency/idempotency-key.guard.js';
import { listResponse } from '../../../../request/list.view.js';
import { Operation, Tag } from '../../../../request/operation.js';
import { Keyed } from '../../../../request/validation/keyed.js';
import { OfOwner, type Owned } from '../../../../request/validation/owned.js';
import { OwnerRequest } from '../../../../request/validation/requests.js';
import { ValidQuery } from '../../../../request/validation/validation.js';
import type { Ledger } from '../../../../shared/caller.js';
import { DecideRefund } from '../../application/decide-refund.js';
import { Refunds } from '../../application/ports.js';
import { RecordRefund } from '../../application/record-refund.js';
import { REFUND_ID } from '../../domain/refund-state.js';
import { REFUND_FACTS } from '../../facts.js';
import { changed, LEDGER_REFUND, LEDGER_REFUND_LIST, ledgerRefundView } from '../representation/refunds.views.js';
import {
  FailRefundRequest,
  ListLedgerRefundsQuery,
  RecordRefundRequest,
  ReturnRefundRequest,
  SucceedRefundRequest,
  toFailure,
  toLedgerFilter,
  toMadeRefund,
} from './refunds.requests.js';

@Controller(REFUND_FACTS.ledger.path)
@LedgerKey()
@Tag('Ledger: refunds', 'Refunds that the ledger pays out or refuses, and those that were made elsewhere.')
export class LedgerRefundsController {
  constructor(
    private readonly idempotency: Idempotency,
    private readonly refunds: Refunds,
    private readonly decideRefund: DecideRefund,
    private readonly recordRefund: RecordRefund,
  ) {}

  @Operation('recordRefund', {
    summary: 'Record a refund that was made elsewhere',
    description:
      "Records a refund that was paid out without a proposal, such as one in the payment provider's dashboard. It is `succeeded` from the start. Repeating a request with the same `provider_reference`, payment and amount returns the first refund. The payout of a proposed refund returns that refund; if it was pending, it succeeds.",
    answers: {
      201: { description: 'The recorded refund.', schema: LEDGER_REFUND, located: true },
      200: { description: 'The refund that is known for this payout.', schema: LEDGER_REFUND },
    },
  })
  @Post()
  @IdempotencyKey('required')
  record(@LedgerOfKey() ledger: Ledger, @Keyed(RecordRefundRequest) request: KeyedRequest<RecordRefundRequest>) {
    const caller = { organization: request.body.organization, ...ledger };
    return this.idempotency.once(
      caller,
      request,
      () => this.recordRefund.execute(caller, toMadeRefund(request.body)),
      ({ refund, isNew }) => ({
        status: isNew ? 201 : 200,
        body: JSON.stringify(ledgerRefundView(refund)),
        location: isNew ? `${REFUND_FACTS.ledger.path}/${refund.state.id}` : null,
      }),
    );
  }

  @Operation('listLedgerRefunds', {
    summary: 'List refunds of all organizations',
    description:
      'Lists the refunds of every organization in the mode of the key, oldest first. Without `status`, it lists pending refunds.',
    answers: { 200: { description: 'A page of refunds.', schema: LEDGER_REFUND_LIST } },
  })
  @Get()
  async list(@LedgerOfKey() ledger: Ledger, @ValidQuery() query: ListLedgerRefundsQuery) {
    return listResponse(await this.refunds.listOfAll(ledger, toLedgerFilter(ledger, query)), ledgerRefundView);
  }

  @Operation('readLedgerRefund', {
    summary: 'Retrieve a refund of any organization',
    answers: { 200: { description: 'The refund.', schema: LEDGER_REFUND } },
  })
  @Get(':id')
  async read(@OfOwner(Refunds, REFUND_ID, OwnerRequest) { caller, id }: Owned) {
    return ledgerRefundView(await this.refunds.read(caller, id));
  }

  @Operation('succeedRefund', {
    summary: 'Mark a refund as succeeded',
    description:
      'Reports that a pending refund was paid out. Tillgate accepts the report from any worker, with or without a claim. Repeating it changes nothing.',
    answers: { 200: { description: 'The succeeded refund.', schema: LEDGER_REFUND } },
  })
  @Post(':id/succeed')
  @IdempotencyKey('accepted')
  succeed(@OfOwner(Refunds, REFUND_ID, SucceedRefundRequest) { caller, id, request }: Owned<SucceedRefundRequest>) {
    const decide = () => this.decideRefund.succeed(caller, id, request.body.provider_reference ?? null);
    return this.idempotency.once(caller, request, decide, changed);
  }

  @Operation('failRefund', {
    summary: 'Mark a refund as failed',
    description:
      'Reports that a pending refund cannot be paid out, which frees its amount. If the refund is claimed, `claim` is required. Repeating the report changes nothing.',
    answers: { 200: { description: 'The failed refund.', schema: LEDGER_REFUND } },
  })
  @Post(':id/fail')
  @IdempotencyKey('accepted')
  fail(@OfOwner(Refunds, REFUND_ID, FailRefundRequest) { caller, id, request }: Owned<FailRefundRequest>) {
    const decide = () => this.decideRefund.fail(caller, id, toFailure(request.body));
    return this.idempotency.once(caller, request, decide, changed);
  }

  @Operation('returnRefund', {
    summary: 'Mark a refund as returned',
    description:
      'Reports that the money of a succeeded refund came back. The refund becomes `failed`, which frees its amount. Repeating the report changes nothing.',
    answers: { 200: { description: 'The failed refund.', schema: LEDGER_REFUND } },
  })
  @Post(':id/return')
  @IdempotencyKey('accepted')
  return(@OfOwner(Refunds, REFUND_ID, ReturnRefundRequest) { caller, id, request }: Owned<ReturnRefundRequest>) {
    const decide = () => this.decideRefund.return(caller, id, request.body.reason ?? null);
    return this.idempotency.once(caller, request, decide, changed);
  }
}

import { Controller, Get, Post } from '@nestjs/common';
import { Idempotency, IdempotencyKey, type KeyedRequest } from '../../../../request/idempotency/idempotency.js';
import { listResponse, type ResponseParts } from '../../../../request/response.js';
import { CallerOfKey, NeedsRight, Operation, ProposerOfKey, Tag } from '../../../../request/route.js';
import { Keyed, NoFieldsRequest, PathId, ValidQuery } from '../../../../request/validation/validation.js';
import type { Caller } from '../../../../shared/caller.js';
import { inModeOf, ownId } from '../../../../shared/own-id.js';
import { DecideRefund } from '../../application/decide-refund.js';
import { Refunds } from '../../application/ports.js';
import { type ProposedRefund, ProposeRefund } from '../../application/propose-refund.js';
import type { Proposer } from '../../domain/approval.js';
import { type Refund } from '../../domain/refund.js';
import { REFUND_ID } from '../../domain/refund-state.js';
import { REFUND_FACTS } from '../../facts.js';
import { REFUND, REFUND_LIST, refundJson, refundView } from '../representation/refunds.views.js';
import { ListRefundsQuery, ProposeRefundRequest, toFilter, toNewRefund } from './refunds.requests.js';

@Controller(REFUND_FACTS.secret.path)
@Tag('Refunds', 'A refund returns all or part of a payment. You propose it; the ledger pays it out or refuses it.')
export class RefundsController {
  constructor(
    private readonly idempotency: Idempotency,
    private readonly proposeRefund: ProposeRefund,
    private readonly refunds: Refunds,
    private readonly decideRefund: DecideRefund,
  ) {}

  @Operation('proposeRefund', {
    summary: 'Propose a refund',
    description:
      'Creates a pending refund and reserves its amount on the payment. It does not post to the ledger, which decides the refund later. If the refund has to be approved, it waits for that first. Repeating a request with the same `reference` returns the first refund.',
    answers: {
      201: { description: 'The pending refund.', schema: REFUND, located: true },
      200: { description: 'The refund that was proposed earlier with this `reference`.', schema: REFUND },
    },
  })
  @Post()
  @NeedsRight('propose')
  @IdempotencyKey('required')
  propose(
    @CallerOfKey() caller: Caller,
    @ProposerOfKey() proposer: Proposer,
    @Keyed(ProposeRefundRequest) request: KeyedRequest<ProposeRefundRequest>,
  ) {
    return this.idempotency.once(
      caller,
      request,
      () => this.proposeRefund.execute(caller, toNewRefund(request.body), proposer),
      proposed,
    );
  }

  @Operation('cancelRefund', {
    summary: 'Cancel a refund',
    description:
      'Cancels a pending refund, which frees its amount. You cannot cancel a refund that the ledger has claimed to pay out.',
    answers: { 200: { description: 'The canceled refund.', schema: REFUND } },
  })
  @Post(':id/cancel')
  @NeedsRight('propose')
  @IdempotencyKey('accepted')
  cancel(
    @CallerOfKey() caller: Caller,
    @Keyed(NoFieldsRequest) request: KeyedRequest<NoFieldsRequest>,
    @PathId(REFUND_ID) id: string,
  ) {
    return this.idempotency.once(caller, request, () => this.decideRefund.cancel(caller, ownId(caller, id)), canceled);
  }

  @Operation('listRefunds', {
    summary: 'List refunds',
    description: 'Lists the refunds of your organization in the mode of the key, newest first.',
    answers: { 200: { description: 'A page of refunds.', schema: REFUND_LIST } },
  })
  @Get()
  async list(@CallerOfKey() caller: Caller, @ValidQuery() query: ListRefundsQuery) {
    return listResponse(await this.refunds.list(caller, toFilter(caller, query)), refundView);
  }

  @Operation('readRefund', {
    summary: 'Retrieve a refund',
    description: 'Returns a refund of your organization, in test or live mode.',
    answers: { 200: { description: 'The refund.', schema: REFUND } },
  })
  @Get(':id')
  async read(@CallerOfKey() caller: Caller, @PathId(REFUND_ID) id: string, @ValidQuery() _query: NoFieldsRequest) {
    return refundView(await this.refunds.get(...inModeOf(id, caller)));
  }
}

function proposed({ refund, isNew }: ProposedRefund): ResponseParts {
  const location = isNew ? `${REFUND_FACTS.secret.path}/${refund.state.id}` : null;
  return { status: isNew ? 201 : 200, body: refundJson(refund), location };
}

function canceled(refund: Refund): ResponseParts {
  return { status: 200, body: refundJson(refund) };
}

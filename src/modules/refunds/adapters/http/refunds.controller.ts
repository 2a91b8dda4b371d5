import { Controller, Get, Post } from '@nestjs/common';
import { Idempotency } from '../../../../request/idempotency/idempotency.js';
import {
  IdempotencyKey,
  type KeyedRequest,
} from '../../../../request/idempotency/keyed-request.js';
import { HttpResponse, listResponse } from '../../../../request/response.js';
import {
  Caller,
  NeedsApproval,
  NeedsRight,
  Operation,
  Requester,
  Tag,
} from '../../../../request/route.js';
import {
  NoFieldsRequest,
  PathId,
  ValidQuery,
  ValidRequest,
} from '../../../../request/validation/validation.js';
import { inModeOf, ownId } from '../../../../shared/own-id.js';
import type { Unit } from '../../../../shared/unit.js';
import { ChangeRefund } from '../../application/change-refund.js';
import { Refunds } from '../../application/ports.js';
import { type KnownRefund, ProposeRefund } from '../../application/propose-refund.js';
import type { Refund } from '../../domain/refund.js';
import { DAYS_TO_DECIDE, REFUND_ID } from '../../domain/refund-state.js';
import { REFUND_RESOURCE } from '../../resources.js';
import {
  approvalView,
  REFUND,
  REFUND_APPROVAL,
  REFUND_LIST,
  refundJson,
  refundView,
} from '../representation/refunds.views.js';
import {
  ApproveRefundRequest,
  ListRefundsQuery,
  ProposeRefundRequest,
  RejectRefundRequest,
  toFilter,
  toNewRefund,
} from './refunds.requests.js';

@Controller(REFUND_RESOURCE.secret.path)
@Tag(
  'Refunds',
  'A refund returns all or part of a payment. You propose it; the ledger pays it out or ' +
    'refuses it.',
)
export class RefundsController {
  constructor(
    private readonly idempotency: Idempotency,
    private readonly refunds: Refunds,
    private readonly proposeRefund: ProposeRefund,
    private readonly changeRefund: ChangeRefund,
  ) {}

  @Operation('proposeRefund', {
    summary: 'Propose a refund',
    description:
      'Creates a pending refund and reserves its amount on the payment. It does not post to ' +
      'the ledger, which decides the refund later. If the refund has to be approved, it waits ' +
      'for that first. Repeating a request with the same `reference` returns the first refund.',
    answers: {
      201: { description: 'The pending refund.', schema: REFUND, located: true },
      200: {
        description: 'The refund that was proposed earlier with this `reference`.',
        schema: REFUND,
      },
    },
  })
  @Post()
  @NeedsRight('propose')
  @IdempotencyKey('required')
  propose(
    @Caller() caller: Caller,
    @Requester() requester: Requester,
    @NeedsApproval() needsApproval: boolean,
    @ValidRequest(ProposeRefundRequest) request: KeyedRequest<ProposeRefundRequest>,
  ) {
    return this.idempotency.once(
      caller,
      request,
      (unit) =>
        this.proposeRefund.execute(unit, toNewRefund(request.body), { requester, needsApproval }),
      proposed,
    );
  }

  @Operation('cancelRefund', {
    summary: 'Cancel a refund',
    description:
      'Cancels a pending refund, which frees its amount. You cannot cancel a refund that the ' +
      'ledger has claimed to pay out.',
    answers: { 200: { description: 'The canceled refund.', schema: REFUND } },
  })
  @Post(':id/cancel')
  @NeedsRight('propose')
  @IdempotencyKey('accepted')
  cancel(
    @Caller() caller: Caller,
    @ValidRequest(NoFieldsRequest) request: KeyedRequest<NoFieldsRequest>,
    @PathId(REFUND_ID) id: string,
  ) {
    const cancel = (unit: Unit) => this.changeRefund.cancel(unit, ownId(unit, id));
    return this.idempotency.once(caller, request, cancel, canceled);
  }

  @Operation('listRefunds', {
    summary: 'List refunds',
    description: 'Lists the refunds of your organization in the mode of the key, newest first.',
    answers: { 200: { description: 'A page of refunds.', schema: REFUND_LIST } },
  })
  @Get()
  async list(@Caller() caller: Caller, @ValidQuery() query: ListRefundsQuery) {
    return listResponse(await this.refunds.list(caller, toFilter(caller, query)), refundView);
  }

  @Operation('readRefund', {
    summary: 'Retrieve a refund',
    description: 'Returns a refund of your organization, in test or live mode.',
    answers: { 200: { description: 'The refund.', schema: REFUND } },
  })
  @Get(':id')
  async read(
    @Caller() caller: Caller,
    @PathId(REFUND_ID) id: string,
    @ValidQuery() _query: NoFieldsRequest,
  ) {
    return refundView(await this.refunds.get(...inModeOf(id, caller)));
  }
}

@Controller(REFUND_RESOURCE.secret.path)
@Tag(
  'Approvals',
  'A refund waits for approval if a restricted key without the right `approve` proposed it, ' +
    'or if your organization has all of them approved. Its amount is reserved meanwhile, and the ' +
    `ledger is not given it. Another holder than the proposer's decides within ${DAYS_TO_DECIDE} ` +
    'days; then the approval expires.',
)
export class ApprovalsController {
  constructor(
    private readonly idempotency: Idempotency,
    private readonly refunds: Refunds,
    private readonly changeRefund: ChangeRefund,
  ) {}

  @Operation('readRefundApproval', {
    summary: 'Retrieve the approval of a refund',
    description: 'Returns who proposed a refund, and who approved or rejected it.',
    answers: { 200: { description: 'The approval.', schema: REFUND_APPROVAL } },
  })
  @Get(':id/approval')
  async read(
    @Caller() caller: Caller,
    @PathId(REFUND_ID) id: string,
    @ValidQuery() _query: NoFieldsRequest,
  ) {
    return approvalView(await this.refunds.read(...inModeOf(id, caller)));
  }

  @Operation('approveRefund', {
    summary: 'Approve a refund',
    description:
      'Lets the ledger pay the refund out. `amount` must be the amount of the refund, so that ' +
      'what was seen is what is approved. Repeating it changes nothing.',
    answers: { 200: { description: 'The approval, now `approved`.', schema: REFUND_APPROVAL } },
  })
  @Post(':id/approve')
  @NeedsRight('approve')
  @IdempotencyKey('accepted')
  approve(
    @Caller() caller: Caller,
    @Requester() by: Requester,
    @ValidRequest(ApproveRefundRequest) request: KeyedRequest<ApproveRefundRequest>,
    @PathId(REFUND_ID) id: string,
  ) {
    const { amount, comment = null } = request.body;
    const approve = (unit: Unit) =>
      this.changeRefund.approve(unit, ownId(unit, id), amount, { by, comment });
    return this.idempotency.once(caller, request, approve, decided);
  }

  @Operation('rejectRefund', {
    summary: 'Reject a refund',
    description: 'Cancels the refund, which frees its amount. Repeating it changes nothing.',
    answers: { 200: { description: 'The approval, now `rejected`.', schema: REFUND_APPROVAL } },
  })
  @Post(':id/reject')
  @NeedsRight('approve')
  @IdempotencyKey('accepted')
  reject(
    @Caller() caller: Caller,
    @Requester() by: Requester,
    @ValidRequest(RejectRefundRequest) request: KeyedRequest<RejectRefundRequest>,
    @PathId(REFUND_ID) id: string,
  ) {
    const { comment = null } = request.body;
    const reject = (unit: Unit) => this.changeRefund.reject(unit, ownId(unit, id), { by, comment });
    return this.idempotency.once(caller, request, reject, decided);
  }
}

function proposed({ refund, isNew }: KnownRefund): HttpResponse {
  const location = isNew ? `${REFUND_RESOURCE.secret.path}/${refund.state.id}` : null;
  return new HttpResponse({ status: isNew ? 201 : 200, body: refundJson(refund), location });
}

const canceled = (refund: Refund): HttpResponse =>
  new HttpResponse({ status: 200, body: refundJson(refund) });

const decided = (refund: Refund): HttpResponse =>
  new HttpResponse({
    status: 200,
    body: JSON.stringify(approvalView(refund)),
  });

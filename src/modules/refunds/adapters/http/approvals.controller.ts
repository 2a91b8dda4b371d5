import { Controller, Get, Post } from '@nestjs/common';
import { CallerOfKey, NeedsRight, RequesterOfKey } from '../../../../request/credential.js';
import { Idempotency } from '../../../../request/idempotency/idempotency.js';
import { IdempotencyKey, type KeyedRequest } from '../../../../request/idempotency/idempotency-key.guard.js';
import { Operation, Tag } from '../../../../request/operation.js';
import type { ResponseParts } from '../../../../request/response.js';
import { Keyed } from '../../../../request/validation/keyed.js';
import { NoFieldsRequest } from '../../../../request/validation/requests.js';
import { PathId, ValidQuery } from '../../../../request/validation/validation.js';
import type { Caller, Requester } from '../../../../shared/caller.js';
import { inModeOf, ownId } from '../../../../shared/own-id.js';
import { DecideRefund } from '../../application/decide-refund.js';
import { Refunds } from '../../application/ports.js';
import { DAYS_TO_DECIDE } from '../../domain/approval.js';
import type { Refund } from '../../domain/refund.js';
import { REFUND_ID } from '../../domain/refund-state.js';
import { REFUND_FACTS } from '../../facts.js';
import { approvalView, REFUND_APPROVAL } from '../representation/approvals.views.js';
import { ApproveRefundRequest, RejectRefundRequest } from './refunds.requests.js';

@Controller(REFUND_FACTS.secret.path)
@Tag(
  'Approvals',
  `A refund waits for approval if a restricted key without the right \`approve\` proposed it, or if your organization has all of them approved. Its amount is reserved meanwhile, and the ledger is not given it. Another holder than the proposer's decides within ${DAYS_TO_DECIDE} days; then the approval expires.`,
)
export class ApprovalsController {
  constructor(
    private readonly idempotency: Idempotency,
    private readonly refunds: Refunds,
    private readonly decideRefund: DecideRefund,
  ) {}

  @Operation('readRefundApproval', {
    summary: 'Retrieve the approval of a refund',
    description: 'Returns who proposed a refund, and who approved or rejected it.',
    answers: { 200: { description: 'The approval.', schema: REFUND_APPROVAL } },
  })
  @Get(':id/approval')
  async read(@CallerOfKey() caller: Caller, @PathId(REFUND_ID) id: string, @ValidQuery() _query: NoFieldsRequest) {
    return approvalView(await this.refunds.read(...inModeOf(id, caller)));
  }

  @Operation('approveRefund', {
    summary: 'Approve a refund',
    description:
      'Lets the ledger pay the refund out. `amount` must be the amount of the refund, so that what was seen is what is approved. Repeating it changes nothing.',
    answers: { 200: { description: 'The approval, now `approved`.', schema: REFUND_APPROVAL } },
  })
  @Post(':id/approve')
  @NeedsRight('approve')
  @IdempotencyKey('accepted')
  approve(
    @CallerOfKey() caller: Caller,
    @RequesterOfKey() by: Requester,
    @Keyed(ApproveRefundRequest) request: KeyedRequest<ApproveRefundRequest>,
    @PathId(REFUND_ID) id: string,
  ) {
    const { amount, comment = null } = request.body;
    const decide = () => this.decideRefund.approve(caller, ownId(caller, id), { by, amount, comment });
    return this.idempotency.once(caller, request, decide, decided);
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
    @CallerOfKey() caller: Caller,
    @RequesterOfKey() by: Requester,
    @Keyed(RejectRefundRequest) request: KeyedRequest<RejectRefundRequest>,
    @PathId(REFUND_ID) id: string,
  ) {
    const { comment = null } = request.body;
    const decide = () => this.decideRefund.reject(caller, ownId(caller, id), { by, comment });
    return this.idempotency.once(caller, request, decide, decided);
  }
}

function decided(refund: Refund): ResponseParts {
  return { status: 200, body: JSON.stringify(approvalView(refund)) };
}

import { Controller, Post } from '@nestjs/common';
import { Idempotency } from '../../../../request/idempotency/idempotency.js';
import {
  IdempotencyKey,
  type KeyedRequest,
} from '../../../../request/idempotency/keyed-request.js';
import { HttpResponse } from '../../../../request/response.js';
import { Caller, Operation, Tag, TestSecretKey } from '../../../../request/route.js';
import {
  NoFieldsRequest,
  PathId,
  ValidRequest,
} from '../../../../request/validation/validation.js';
import { ownId } from '../../../../shared/own-id.js';
import type { Unit } from '../../../../shared/unit.js';
import { ChangeRefund } from '../../application/change-refund.js';
import { type Refund } from '../../domain/refund.js';
import { REFUND_ID } from '../../domain/refund-state.js';
import { REFUND, refundJson } from '../representation/refunds.views.js';
import { FailRefundRequest, ReturnRefundRequest, toFailure } from './refunds.requests.js';

@Controller('/v1/test_helpers/refunds')
@TestSecretKey()
@Tag(
  'Test helpers',
  'Simulate customers, the ledger and time in test mode. A live key cannot call these operations.',
)
export class RefundHelpersController {
  constructor(
    private readonly idempotency: Idempotency,
    private readonly changeRefund: ChangeRefund,
  ) {}

  @Operation('succeedTestRefund', {
    summary: 'Succeed a refund',
    description:
      'Marks a pending refund as succeeded, as the ledger does when it has paid the refund ' +
      'out. Repeating the request changes nothing.',
    answers: { 200: { description: 'The succeeded refund.', schema: REFUND } },
  })
  @Post(':id/succeed')
  @IdempotencyKey('accepted')
  succeed(
    @Caller() caller: Caller,
    @ValidRequest(NoFieldsRequest) request: KeyedRequest<NoFieldsRequest>,
    @PathId(REFUND_ID) id: string,
  ) {
    return this.commit(caller, request, (unit) =>
      this.changeRefund.succeed(unit, ownId(unit, id), null),
    );
  }

  @Operation('failTestRefund', {
    summary: 'Fail a refund',
    description:
      'Marks a pending refund as failed, as the ledger does when it refuses the refund. ' +
      'Repeating the request changes nothing.',
    answers: { 200: { description: 'The failed refund.', schema: REFUND } },
  })
  @Post(':id/fail')
  @IdempotencyKey('accepted')
  fail(
    @Caller() caller: Caller,
    @ValidRequest(FailRefundRequest) request: KeyedRequest<FailRefundRequest>,
    @PathId(REFUND_ID) id: string,
  ) {
    return this.commit(caller, request, (unit) =>
      this.changeRefund.fail(unit, ownId(unit, id), toFailure(request.body)),
    );
  }

  @Operation('returnTestRefund', {
    summary: 'Return a refund',
    description:
      'Marks a succeeded refund as failed, as the ledger does when its money came back. ' +
      'Repeating the request changes nothing.',
    answers: { 200: { description: 'The failed refund.', schema: REFUND } },
  })
  @Post(':id/return')
  @IdempotencyKey('accepted')
  return(
    @Caller() caller: Caller,
    @ValidRequest(ReturnRefundRequest) request: KeyedRequest<ReturnRefundRequest>,
    @PathId(REFUND_ID) id: string,
  ) {
    return this.commit(caller, request, (unit) =>
      this.changeRefund.return(unit, ownId(unit, id), request.body.reason ?? null),
    );
  }

  private commit(caller: Caller, request: KeyedRequest, change: (unit: Unit) => Promise<Refund>) {
    return this.idempotency.once(
      caller,
      request,
      change,
      (refund) =>
        new HttpResponse({
          status: 200,
          body: refundJson(refund),
        }),
    );
  }
}

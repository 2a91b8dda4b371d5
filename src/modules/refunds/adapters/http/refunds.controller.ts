import { Body, Controller, Get, Post } from '@nestjs/common';
import { PathId } from '../../../../platform/http/path-id.js';
import { Idempotency } from '../../../../platform/idempotency/idempotency.js';
import {
  Idempotent,
  type IdempotentRequest,
  RequireIdempotencyKey,
} from '../../../../platform/idempotency/idempotency-key.guard.js';
import { Answer } from '../../../../shared/answer.js';
import type { Caller } from '../../../../shared/caller.js';
import { CallerOfKey } from '../../../access/index.js';
import { ProposeRefund } from '../../application/propose-refund.js';
import { ReadRefund } from '../../application/read-refund.js';
import type { Refund } from '../../domain/refund.js';
import { ProposeRefundRequest } from './refunds.requests.js';
import { refundView } from './refunds.views.js';

@Controller('v1/refunds')
export class RefundsController {
  constructor(
    private readonly idempotency: Idempotency,
    private readonly proposeRefund: ProposeRefund,
    private readonly readRefund: ReadRefund,
  ) {}

  @Post()
  @RequireIdempotencyKey()
  propose(
    @CallerOfKey() caller: Caller,
    @Idempotent() request: IdempotentRequest,
    @Body() body: ProposeRefundRequest,
  ): Promise<Answer> {
    return this.idempotency.once(caller, { ...request, body }, (keep) =>
      this.proposeRefund.execute(caller, body, (refund) => keep(proposed(refund))),
    );
  }

  @Get(':id')
  async read(@CallerOfKey() caller: Caller, @PathId('re') id: string) {
    return refundView(await this.readRefund.execute(caller, id));
  }
}

function proposed(refund: Refund): Answer {
  return new Answer(201, JSON.stringify(refundView(refund)), `/v1/refunds/${refund.facts.id}`);
}

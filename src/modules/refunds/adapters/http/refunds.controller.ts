import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { listView } from '../../../../platform/http/list.view.js';
import { NoFieldsRequest } from '../../../../platform/http/no-fields.request.js';
import { PathId } from '../../../../platform/http/path-id.js';
import { Idempotency } from '../../../../platform/idempotency/idempotency.js';
import {
  AcceptIdempotencyKey,
  Idempotent,
  type IdempotentRequest,
  RequireIdempotencyKey,
} from '../../../../platform/idempotency/idempotency-key.guard.js';
import { Answer } from '../../../../shared/answer.js';
import type { Caller } from '../../../../shared/caller.js';
import { CallerOfKey } from '../../../access/index.js';
import { ListRefunds } from '../../application/list-refunds.js';
import { ProposeRefund } from '../../application/propose-refund.js';
import { ReadRefund } from '../../application/read-refund.js';
import { SettleRefund } from '../../application/settle-refund.js';
import type { Refund } from '../../domain/refund.js';
import { ListRefundsQuery, ProposeRefundRequest, toFilter } from './refunds.requests.js';
import { refundView } from './refunds.views.js';

@Controller('v1/refunds')
export class RefundsController {
  constructor(
    private readonly idempotency: Idempotency,
    private readonly proposeRefund: ProposeRefund,
    private readonly readRefund: ReadRefund,
    private readonly listRefunds: ListRefunds,
    private readonly settleRefund: SettleRefund,
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

  @Post(':id/cancel')
  @AcceptIdempotencyKey()
  cancel(
    @CallerOfKey() caller: Caller,
    @Idempotent() request: IdempotentRequest,
    @PathId('re') id: string,
    @Body() body: NoFieldsRequest,
  ): Promise<Answer> {
    return this.idempotency.transact(caller, { ...request, body }, async () => {
      const refund = await this.settleRefund.execute(caller, id, (pending) => pending.cancel());
      return new Answer(200, JSON.stringify(refundView(refund)));
    });
  }

  @Get()
  async list(@CallerOfKey() caller: Caller, @Query() query: ListRefundsQuery) {
    return listView(await this.listRefunds.execute(caller, toFilter(query)), refundView);
  }

  @Get(':id')
  async read(@CallerOfKey() caller: Caller, @PathId('re') id: string) {
    return refundView(await this.readRefund.execute(caller, id));
  }
}

function proposed(refund: Refund): Answer {
  return new Answer(201, JSON.stringify(refundView(refund)), `/v1/refunds/${refund.facts.id}`);
}

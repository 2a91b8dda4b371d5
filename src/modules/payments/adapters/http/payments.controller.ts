import { Controller, Get } from '@nestjs/common';
import { PathId } from '../../../../platform/http/path-id.js';
import type { Caller } from '../../../../shared/caller.js';
import { CallerOfKey } from '../../../access/index.js';
import { ReadPayment } from '../../application/read-payment.js';
import { paymentView } from './payments.views.js';

@Controller('v1/payments')
export class PaymentsController {
  constructor(private readonly readPayment: ReadPayment) {}

  @Get(':id')
  async read(@CallerOfKey() caller: Caller, @PathId('pay') id: string) {
    return paymentView(await this.readPayment.execute(caller, id));
  }
}

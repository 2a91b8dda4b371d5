import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../../shared/caller.js';
import type { Write } from '../../../../shared/decision.js';
import { RecordPayment } from '../../../payments/index.js';
import { Captures } from '../../application/ports.js';
import type { PageSession } from '../../domain/checkout-page.js';

@Injectable()
export class RecordedCaptures extends Captures {
  constructor(private readonly recordPayment: RecordPayment) {
    super();
  }

  /** The reference is made from the session's ID, so that pressing the button twice pays once. */
  async record(caller: Caller, { id, amountTotal: amount, currency }: PageSession): Promise<readonly Write[]> {
    const capture = { amount, currency, checkoutSession: id, reference: `pretend_${id}` };
    return (await this.recordPayment.execute(caller, capture, 'record')).writes;
  }
}

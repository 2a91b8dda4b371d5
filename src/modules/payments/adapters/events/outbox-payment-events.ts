import { Injectable } from '@nestjs/common';
import type { TimedCaller } from '../../../../shared/clock.js';
import type { Write } from '../../../../shared/decision.js';
import { Outbox } from '../../../events/index.js';
import { PaymentEvents } from '../../application/ports.js';
import type { Payment, PaymentEvent } from '../../domain/payment.js';
import { paymentView } from '../representation/payments.views.js';

@Injectable()
export class OutboxPaymentEvents extends PaymentEvents {
  constructor(private readonly outbox: Outbox) {
    super();
  }

  record(caller: TimedCaller, type: PaymentEvent, payment: Payment): Write {
    const { id, version, notifyUrl } = payment.state;
    const data = JSON.stringify(paymentView(payment));
    return this.outbox.record(caller, { type, object: id, sequence: version, data, notifyUrl });
  }
}

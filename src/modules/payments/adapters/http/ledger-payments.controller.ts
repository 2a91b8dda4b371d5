import { Controller, Get, Post } from '@nestjs/common';
import { Gated } from '../../../../platform/http/gate.js';
import { Operation, Tag } from '../../../../platform/http/operation.js';
import { PathId } from '../../../../platform/http/path-id.js';
import { OfOrganizationQuery } from '../../../../platform/http/requests.js';
import { exampleId } from '../../../../platform/http/schema.js';
import { ValidBody, ValidQuery } from '../../../../platform/http/validation.js';
import { Idempotency } from '../../../../platform/idempotency/idempotency.js';
import {
  Idempotent,
  type IdempotentRequest,
  RequireIdempotencyKey,
} from '../../../../platform/idempotency/idempotency-key.guard.js';
import type { IdempotentResponse } from '../../../../platform/idempotency/idempotent-response.js';
import type { Ledger } from '../../../../shared/caller.js';
import { notFound } from '../../../../shared/errors.js';
import { modeOf, ORGANIZATION_ID } from '../../../../shared/id.js';
import { LedgerOfKey } from '../../../access/index.js';
import { REFUSED_PAYMENTS } from '../../../checkout/index.js';
import { ReadPayment } from '../../application/read-payment.js';
import { RecordPayment } from '../../application/record-payment.js';
import { PAYMENT_ID } from '../../domain/payment.js';
import { PAYMENT_FACTS } from '../../facts.js';
import { REFUSED_REFERENCE } from '../representation/payments.examples.js';
import { LEDGER_PAYMENT, ledgerPaymentView } from '../representation/payments.views.js';
import { RecordPaymentRequest, toNewPayment } from './payments.requests.js';

/** The ledger tells what it captured. */
@Controller(PAYMENT_FACTS.ledger.path)
@Gated('ledger')
@Tag('Ledger: payments', 'Captures, told by the component that owns payments.')
export class LedgerPaymentsController {
  constructor(
    private readonly idempotency: Idempotency,
    private readonly recordPayment: RecordPayment,
    private readonly readPayment: ReadPayment,
  ) {}

  @Operation('recordPayment', {
    summary: 'Record a captured payment',
    description:
      'For a checkout session, the payment completes it. The same `reference` with the same facts is the same payment.',
    example: { organization: exampleId(ORGANIZATION_ID), amount: 5000, currency: 'usd' },
    answers: {
      201: { description: 'The payment, recorded.', schema: LEDGER_PAYMENT },
      200: { description: 'The payment that was recorded under this `reference` before.', schema: LEDGER_PAYMENT },
    },
    refusals: [...REFUSED_PAYMENTS, ...REFUSED_REFERENCE],
  })
  @Post()
  @RequireIdempotencyKey()
  record(
    @LedgerOfKey() ledger: Ledger,
    @Idempotent() request: IdempotentRequest,
    @ValidBody() body: RecordPaymentRequest,
  ): Promise<IdempotentResponse> {
    const { organization } = body;
    const caller = { organization, mode: ledger.mode };
    return this.idempotency.once(
      caller,
      { ...request, body },
      () => this.recordPayment.execute(caller, toNewPayment(body)),
      ({ payment, isNew }) => ({
        status: isNew ? 201 : 200,
        body: JSON.stringify(ledgerPaymentView(organization, payment)),
      }),
    );
  }

  @Operation('readLedgerPayment', {
    summary: 'Read a payment as the ledger',
    answers: { 200: { description: 'The payment.', schema: LEDGER_PAYMENT } },
  })
  @Get(':id')
  async read(
    @LedgerOfKey() { mode }: Ledger,
    @PathId(PAYMENT_ID) id: string,
    @ValidQuery() { organization }: OfOrganizationQuery,
  ) {
    if (modeOf(id) !== mode) throw notFound('id');
    return ledgerPaymentView(organization, await this.readPayment.execute({ organization, mode }, id));
  }
}

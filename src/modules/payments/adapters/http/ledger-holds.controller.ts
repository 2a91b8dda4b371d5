import { Controller, Get, Post } from '@nestjs/common';
import { Idempotency } from '../../../../request/idempotency/idempotency.js';
import { IdempotencyKey } from '../../../../request/idempotency/keyed-request.js';
import { changed, HttpResponse, listResponse } from '../../../../request/response.js';
import { Ledger, LedgerKey, Operation, Tag } from '../../../../request/route.js';
import { LedgerRequest, OwnerRequest } from '../../../../request/validation/ledger-request.js';
import { ValidQuery } from '../../../../request/validation/validation.js';
import type { Unit } from '../../../../shared/unit.js';
import { ChangeHolds } from '../../application/change-holds.js';
import { Holds } from '../../application/ports.js';
import { HOLD_ID } from '../../domain/hold.js';
import { PAYMENT_ID } from '../../domain/payment.js';
import { HOLD_RESOURCE } from '../../resources.js';
import { HOLD, HOLD_LIST, holdView } from '../representation/holds.views.js';
import { ListHoldsQuery, PlaceHoldRequest, toHoldFilter } from './payments.requests.js';

@Controller('/ledger/v1')
@LedgerKey()
@Tag(
  'Ledger: holds',
  'While an amount of a payment is on hold, it cannot be refunded. Use a hold during a dispute.',
)
export class LedgerHoldsController {
  constructor(
    private readonly idempotency: Idempotency,
    private readonly changeHolds: ChangeHolds,
    private readonly holds: Holds,
  ) {}

  @Operation('placeHold', {
    summary: 'Create a hold',
    description:
      'Puts an amount of a payment on hold, so that it cannot be refunded. A payment can have ' +
      'several holds; their amounts add up.',
    answers: { 201: { description: 'The active hold.', schema: HOLD, located: true } },
  })
  @Post('payments/:id/holds')
  @IdempotencyKey('required')
  place(
    @LedgerRequest(PAYMENT_ID, PlaceHoldRequest) {
      caller,
      id,
      request,
    }: LedgerRequest<PlaceHoldRequest>,
  ) {
    const { amount, reason = null, reference = null } = request.body;
    const place = (unit: Unit) => this.changeHolds.place(unit, id, { amount, reason, reference });
    return this.idempotency.once(
      caller,
      request,
      place,
      (hold) =>
        new HttpResponse({
          status: 201,
          body: JSON.stringify(holdView(hold)),
          location: `${HOLD_RESOURCE.ledger.path}/${hold.state.id}`,
        }),
    );
  }

  @Operation('listLedgerHolds', {
    summary: 'List holds of all organizations',
    description:
      'Lists the holds on payments of every organization in the mode of the key, newest first.',
    answers: { 200: { description: 'A page of holds.', schema: HOLD_LIST } },
  })
  @Get('holds')
  async list(@Ledger() ledger: Ledger, @ValidQuery() query: ListHoldsQuery) {
    return listResponse(await this.holds.listOfAll(ledger, toHoldFilter(ledger, query)), holdView);
  }

  @Operation('readHold', {
    summary: 'Retrieve a hold',
    answers: { 200: { description: 'The hold.', schema: HOLD } },
  })
  @Get('holds/:id')
  async read(@LedgerRequest(HOLD_ID, OwnerRequest) { caller, id }: LedgerRequest) {
    return holdView(await this.holds.get(caller, id));
  }

  @Operation('releaseHold', {
    summary: 'Release a hold',
    description:
      'Releases a hold, so that its amount can be refunded again. Repeating the request ' +
      'changes nothing.',
    answers: { 200: { description: 'The released hold.', schema: HOLD } },
  })
  @Post('holds/:id/release')
  @IdempotencyKey('accepted')
  release(@LedgerRequest(HOLD_ID, OwnerRequest) { caller, id, request }: LedgerRequest) {
    const release = (unit: Unit) => this.changeHolds.release(unit, id);
    return this.idempotency.once(caller, request, release, (hold) => changed(holdView(hold)));
  }
}

import { Controller, Get, Post } from '@nestjs/common';
import { Idempotency } from '../../../../request/idempotency/idempotency.js';
import {
  IdempotencyKey,
  type KeyedRequest,
} from '../../../../request/idempotency/keyed-request.js';
import { HttpResponse, listResponse } from '../../../../request/response.js';
import { Ledger, LedgerKey, Operation, Tag } from '../../../../request/route.js';
import { LedgerRequest, OwnerRequest } from '../../../../request/validation/ledger-request.js';
import {
  PathId,
  ValidBody,
  ValidQuery,
  ValidRequest,
} from '../../../../request/validation/validation.js';
import { Owners } from '../../../../shared/caller.js';
import { ownId } from '../../../../shared/own-id.js';
import type { Unit } from '../../../../shared/unit.js';
import { ChangeRefund } from '../../application/change-refund.js';
import { ClaimRefunds } from '../../application/claim-refunds.js';
import { Refunds } from '../../application/ports.js';
import { RecordRefund } from '../../application/record-refund.js';
import { REFUND_ID } from '../../domain/refund-state.js';
import { REFUND_RESOURCE } from '../../resources.js';
import {
  changed,
  LEDGER_REFUND,
  LEDGER_REFUND_LIST,
  ledgerRefundView,
} from '../representation/refunds.views.js';
import {
  ClaimRefundsRequest,
  ExtendClaimRequest,
  FailRefundRequest,
  ListLedgerRefundsQuery,
  RecordRefundRequest,
  ReleaseClaimRequest,
  ReturnRefundRequest,
  SucceedRefundRequest,
  toClaim,
  toExtension,
  toFailure,
  toLedgerFilter,
  toMadeRefund,
} from './refunds.requests.js';

@Controller(REFUND_RESOURCE.ledger.path)
@LedgerKey()
@Tag(
  'Ledger: refunds',
  'Refunds that the ledger pays out or refuses, and those that were made elsewhere.',
)
export class LedgerRefundsController {
  constructor(
    private readonly idempotency: Idempotency,
    private readonly refunds: Refunds,
    private readonly recordRefund: RecordRefund,
    private readonly changeRefund: ChangeRefund,
  ) {}

  @Operation('recordRefund', {
    summary: 'Record a refund that was made elsewhere',
    description:
      'Records a refund that was paid out without a proposal, such as one in the payment ' +
      "provider's dashboard. It is `succeeded` from the start. Repeating a request with the " +
      'same `provider_reference`, payment and amount returns the first refund. The payout of a ' +
      'proposed refund returns that refund; if it was pending, it succeeds.',
    answers: {
      201: { description: 'The recorded refund.', schema: LEDGER_REFUND, located: true },
      200: { description: 'The refund that is known for this payout.', schema: LEDGER_REFUND },
    },
  })
  @Post()
  @IdempotencyKey('required')
  record(
    @Ledger() ledger: Ledger,
    @ValidRequest(RecordRefundRequest) request: KeyedRequest<RecordRefundRequest>,
  ) {
    const caller = { organization: request.body.organization, ...ledger };
    return this.idempotency.once(
      caller,
      request,
      (unit) => this.recordRefund.execute(unit, toMadeRefund(request.body)),
      ({ refund, isNew }) =>
        new HttpResponse({
          status: isNew ? 201 : 200,
          body: JSON.stringify(ledgerRefundView(refund)),
          location: isNew ? `${REFUND_RESOURCE.ledger.path}/${refund.state.id}` : null,
        }),
    );
  }

  @Operation('listLedgerRefunds', {
    summary: 'List refunds of all organizations',
    description:
      'Lists the refunds of every organization in the mode of the key, oldest first. Without ' +
      '`status`, it lists pending refunds.',
    answers: { 200: { description: 'A page of refunds.', schema: LEDGER_REFUND_LIST } },
  })
  @Get()
  async list(@Ledger() ledger: Ledger, @ValidQuery() query: ListLedgerRefundsQuery) {
    return listResponse(
      await this.refunds.listOfAll(ledger, toLedgerFilter(ledger, query)),
      ledgerRefundView,
    );
  }

  @Operation('readLedgerRefund', {
    summary: 'Retrieve a refund of any organization',
    answers: { 200: { description: 'The refund.', schema: LEDGER_REFUND } },
  })
  @Get(':id')
  async read(@LedgerRequest(REFUND_ID, OwnerRequest) { caller, id }: LedgerRequest) {
    return ledgerRefundView(await this.refunds.read(caller, id));
  }

  @Operation('succeedRefund', {
    summary: 'Mark a refund as succeeded',
    description:
      'Reports that a pending refund was paid out. Tillgate accepts the report from any ' +
      'worker, with or without a claim. Repeating it changes nothing.',
    answers: { 200: { description: 'The succeeded refund.', schema: LEDGER_REFUND } },
  })
  @Post(':id/succeed')
  @IdempotencyKey('accepted')
  succeed(
    @LedgerRequest(REFUND_ID, SucceedRefundRequest) {
      caller,
      id,
      request,
    }: LedgerRequest<SucceedRefundRequest>,
  ) {
    const { provider_reference: reference = null } = request.body;
    const succeed = (unit: Unit) => this.changeRefund.succeed(unit, id, reference);
    return this.idempotency.once(caller, request, succeed, changed);
  }

  @Operation('failRefund', {
    summary: 'Mark a refund as failed',
    description:
      'Reports that a pending refund cannot be paid out, which frees its amount. If the refund ' +
      'is claimed, `claim` is required. Repeating the report changes nothing.',
    answers: { 200: { description: 'The failed refund.', schema: LEDGER_REFUND } },
  })
  @Post(':id/fail')
  @IdempotencyKey('accepted')
  fail(
    @LedgerRequest(REFUND_ID, FailRefundRequest) {
      caller,
      id,
      request,
    }: LedgerRequest<FailRefundRequest>,
  ) {
    const fail = (unit: Unit) => this.changeRefund.fail(unit, id, toFailure(request.body));
    return this.idempotency.once(caller, request, fail, changed);
  }

  @Operation('returnRefund', {
    summary: 'Mark a refund as returned',
    description:
      'Reports that the money of a succeeded refund came back. The refund becomes `failed`, ' +
      'which frees its amount. Repeating the report changes nothing.',
    answers: { 200: { description: 'The failed refund.', schema: LEDGER_REFUND } },
  })
  @Post(':id/return')
  @IdempotencyKey('accepted')
  return(
    @LedgerRequest(REFUND_ID, ReturnRefundRequest) {
      caller,
      id,
      request,
    }: LedgerRequest<ReturnRefundRequest>,
  ) {
    const { reason = null } = request.body;
    const comeBack = (unit: Unit) => this.changeRefund.return(unit, id, reason);
    return this.idempotency.once(caller, request, comeBack, changed);
  }
}

@Controller(REFUND_RESOURCE.ledger.path)
@LedgerKey()
@Tag(
  'Ledger: claims',
  'Several workers share the pending refunds by claiming them. A refund has at most one live ' +
    'claim.',
)
export class LedgerClaimsController {
  constructor(
    private readonly idempotency: Idempotency,
    private readonly claimRefunds: ClaimRefunds,
    private readonly owners: Owners,
  ) {}

  @Operation('claimRefunds', {
    summary: 'Claim refunds to pay out',
    description:
      'Claims pending refunds that have no live claim. Organizations take turns. Of each, ' +
      'refunds that were never claimed come first, the oldest before the others. Each refund ' +
      'is yours until its lease ends. After a wait, which doubles with each lease that ends ' +
      'so, another worker can claim it: it has the same ID and a higher `claim.number`. The ' +
      'endpoint ignores `Idempotency-Key`: if a response is lost, its refunds can be claimed ' +
      'again when their leases end.',
    answers: { 200: { description: 'The claimed refunds.', schema: LEDGER_REFUND_LIST } },
  })
  @Post('claim')
  claim(@Ledger() ledger: Ledger, @ValidBody() body: ClaimRefundsRequest) {
    const claim = toClaim(body);
    const { organization } = claim;
    return this.idempotency.withoutKey(
      organization === undefined ? ledger : { organization, ...ledger },
      (unit) => this.claimRefunds.claim(unit, claim),
      (items) => listResponse({ items, hasMore: false }, ledgerRefundView),
    );
  }

  @Operation('extendClaim', {
    summary: 'Extend a claim',
    description:
      'Moves the end of the lease to `lease_seconds` from now. A lease that already ends later ' +
      'stays as it is. If the payment provider keeps the refund pending, send its ' +
      '`provider_reference`: the lease can then be up to 60 days long.',
    answers: { 200: { description: 'The claimed refund.', schema: LEDGER_REFUND } },
  })
  @Post(':id/extend')
  @IdempotencyKey('accepted')
  async extend(
    @Ledger() ledger: Ledger,
    @ValidRequest(ExtendClaimRequest) request: KeyedRequest<ExtendClaimRequest>,
    @PathId(REFUND_ID) pathId: string,
  ) {
    // The body is checked before the owner is looked up, because a bad body is refused without it.
    const extension = toExtension(request.body);
    const id = ownId(ledger, pathId);
    const caller = await this.owners.of(ledger, id, request.body.organization);
    const extend = (unit: Unit) => this.claimRefunds.extend(unit, id, extension);
    return this.idempotency.once(caller, request, extend, changed);
  }

  @Operation('releaseClaim', {
    summary: 'Release a claim',
    description:
      'Gives up the claim of a refund that was not paid out. After `delay_seconds`, another ' +
      'worker can claim the refund; the merchant can cancel it at once.',
    answers: { 200: { description: 'The refund without a claim.', schema: LEDGER_REFUND } },
  })
  @Post(':id/release')
  @IdempotencyKey('accepted')
  release(
    @LedgerRequest(REFUND_ID, ReleaseClaimRequest) {
      caller,
      id,
      request,
    }: LedgerRequest<ReleaseClaimRequest>,
  ) {
    const { claim, delay_seconds: delaySeconds = 0 } = request.body;
    const release = (unit: Unit) => this.claimRefunds.release(unit, id, claim, delaySeconds);
    return this.idempotency.once(caller, request, release, changed);
  }
}

import { Controller, Post } from '@nestjs/common';
import { Idempotency, IdempotencyKey, type KeyedRequest } from '../../../../request/idempotency/idempotency.js';
import { listResponse } from '../../../../request/response.js';
import { LedgerKey, LedgerOfKey, Operation, Tag } from '../../../../request/route.js';
import { OfOwner, type Owned } from '../../../../request/validation/owned.js';
import { Keyed, PathId, ValidBody } from '../../../../request/validation/validation.js';
import { type Ledger, Owners } from '../../../../shared/caller.js';
import { ownId } from '../../../../shared/own-id.js';
import { ClaimRefunds } from '../../application/claim-refunds.js';
import { REFUND_ID } from '../../domain/refund-state.js';
import { REFUND_FACTS } from '../../facts.js';
import { changed, LEDGER_REFUND, LEDGER_REFUND_LIST, ledgerRefundView } from '../representation/refunds.views.js';
import {
  ClaimRefundsRequest,
  ExtendClaimRequest,
  ReleaseClaimRequest,
  toClaim,
  toExtension,
} from './refunds.requests.js';

@Controller(REFUND_FACTS.ledger.path)
@LedgerKey()
@Tag(
  'Ledger: claims',
  'Several workers share the pending refunds by claiming them. A refund has at most one live claim.',
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
      'Claims pending refunds that have no live claim. Organizations take turns. Of each, refunds that were never claimed come first, the oldest before the others. Each refund is yours until its lease ends. After a wait, which doubles with each lease that ends so, another worker can claim it: it has the same ID and a higher `claim.number`. The endpoint ignores `Idempotency-Key`: if a response is lost, its refunds can be claimed again when their leases end.',
    answers: { 200: { description: 'The claimed refunds.', schema: LEDGER_REFUND_LIST } },
  })
  @Post('claim')
  claim(@LedgerOfKey() ledger: Ledger, @ValidBody() body: ClaimRefundsRequest) {
    return this.idempotency.withoutKey(
      () => this.claimRefunds.execute(ledger, toClaim(body)),
      (items) => listResponse({ items, hasMore: false }, ledgerRefundView).parts,
    );
  }

  @Operation('extendClaim', {
    summary: 'Extend a claim',
    description:
      'Moves the end of the lease to `lease_seconds` from now. A lease that already ends later stays as it is. If the payment provider keeps the refund pending, send its `provider_reference`: the lease can then be up to 60 days long.',
    answers: { 200: { description: 'The claimed refund.', schema: LEDGER_REFUND } },
  })
  @Post(':id/extend')
  @IdempotencyKey('accepted')
  async extend(
    @LedgerOfKey() ledger: Ledger,
    @Keyed(ExtendClaimRequest) request: KeyedRequest<ExtendClaimRequest>,
    @PathId(REFUND_ID) pathId: string,
  ) {
    // Before the owner is looked up, because it may refuse the request for what it says.
    const extension = toExtension(request.body);
    const id = ownId(ledger, pathId);
    const caller = await this.owners.of(ledger, id, request.body.organization);
    const extend = async () => this.claimRefunds.extend(caller, id, extension);
    return this.idempotency.once(caller, request, extend, changed);
  }

  @Operation('releaseClaim', {
    summary: 'Release a claim',
    description:
      'Gives up the claim of a refund that was not paid out. After `delay_seconds`, another worker can claim the refund; the merchant can cancel it at once.',
    answers: { 200: { description: 'The refund without a claim.', schema: LEDGER_REFUND } },
  })
  @Post(':id/release')
  @IdempotencyKey('accepted')
  release(@OfOwner(REFUND_ID, ReleaseClaimRequest) { caller, id, request }: Owned<ReleaseClaimRequest>) {
    const { claim, delay_seconds: delaySeconds = 0 } = request.body;
    const release = async () => this.claimRefunds.release(caller, id, claim, delaySeconds);
    return this.idempotency.once(caller, request, release, changed);
  }
}

import { Controller, Post } from '@nestjs/common';
import { Gated } from '../../../../platform/http/gate.js';
import { listView } from '../../../../platform/http/list.view.js';
import { Operation, Tag } from '../../../../platform/http/operation.js';
import { PathId } from '../../../../platform/http/path-id.js';
import { ValidBody } from '../../../../platform/http/validation.js';
import { Idempotency } from '../../../../platform/idempotency/idempotency.js';
import {
  AcceptIdempotencyKey,
  Idempotent,
  type IdempotentRequest,
} from '../../../../platform/idempotency/idempotency-key.guard.js';
import type { IdempotentResponse } from '../../../../platform/idempotency/idempotent-response.js';
import type { Ledger } from '../../../../shared/caller.js';
import { LedgerOfKey } from '../../../access/index.js';
import { ClaimRefunds } from '../../application/claim-refunds.js';
import { ExtendClaim } from '../../application/extend-claim.js';
import { ReleaseClaim } from '../../application/release-claim.js';
import { REFUND_ID } from '../../domain/refund.js';
import { REFUND_FACTS } from '../../facts.js';
import { REFUSED_CLAIM } from '../representation/refunds.examples.js';
import { LEDGER_REFUND, LEDGER_REFUND_LIST, ledgerRefundView } from '../representation/refunds.views.js';
import { LedgerRefundChanges } from './ledger-refund-changes.js';
import {
  ClaimRefundsRequest,
  ExtendClaimRequest,
  ReleaseClaimRequest,
  toClaim,
  toSeconds,
} from './refunds.requests.js';

@Controller(REFUND_FACTS.ledger.path)
@Gated('ledger')
@Tag('Ledger: claims', 'How several workers of the ledger share the refunds to pay out, each of them with one worker.')
export class LedgerClaimsController {
  constructor(
    private readonly idempotency: Idempotency,
    private readonly changes: LedgerRefundChanges,
    private readonly claimRefunds: ClaimRefunds,
    private readonly extendClaim: ExtendClaim,
    private readonly releaseClaim: ReleaseClaim,
  ) {}

  @Operation('claimRefunds', {
    summary: 'Claim refunds to pay out',
    description:
      'Takes pending refunds that nobody else works on, oldest first. Each is yours until its lease ends; then another claim takes it over, under the same ID. An `Idempotency-Key` has no effect: refunds of an answer that got lost are claimed again when their lease is over.',
    example: { limit: 10, lease_seconds: 60 },
    answers: { 200: { description: 'The refunds, claimed.', schema: LEDGER_REFUND_LIST } },
  })
  @Post('claim')
  claim(@LedgerOfKey() ledger: Ledger, @ValidBody() body: ClaimRefundsRequest): Promise<IdempotentResponse> {
    return this.idempotency.withoutKey(
      () => this.claimRefunds.execute(ledger, toClaim(body)),
      (items) => ({ status: 200, body: JSON.stringify(listView({ items, hasMore: false }, ledgerRefundView)) }),
    );
  }

  @Operation('extendClaim', {
    summary: 'Keep a claimed refund for longer',
    example: { claim: 1, lease_seconds: 60 },
    answers: { 200: { description: 'The refund, claimed for longer.', schema: LEDGER_REFUND } },
    refusals: REFUSED_CLAIM,
  })
  @Post(':id/extend')
  @AcceptIdempotencyKey()
  extend(
    @LedgerOfKey() ledger: Ledger,
    @Idempotent() request: IdempotentRequest,
    @PathId(REFUND_ID) id: string,
    @ValidBody() body: ExtendClaimRequest,
  ): Promise<IdempotentResponse> {
    const seconds = toSeconds(body.lease_seconds);
    return this.changes.commit(ledger, id, { ...request, body }, (caller) =>
      this.extendClaim.execute(caller, id, body.claim, seconds),
    );
  }

  @Operation('releaseClaim', {
    summary: 'Give a claimed refund back',
    description: 'Says that nothing was paid out: another worker may claim the refund, and its caller may cancel it.',
    example: { claim: 1 },
    answers: { 200: { description: 'The refund, unclaimed.', schema: LEDGER_REFUND } },
    refusals: REFUSED_CLAIM,
  })
  @Post(':id/release')
  @AcceptIdempotencyKey()
  release(
    @LedgerOfKey() ledger: Ledger,
    @Idempotent() request: IdempotentRequest,
    @PathId(REFUND_ID) id: string,
    @ValidBody() body: ReleaseClaimRequest,
  ): Promise<IdempotentResponse> {
    return this.changes.commit(ledger, id, { ...request, body }, (caller) =>
      this.releaseClaim.execute(caller, id, body.claim),
    );
  }
}

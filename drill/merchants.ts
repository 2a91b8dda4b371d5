/**
 * The merchants propose refunds, cancel some of them, and hold amounts of their payments meanwhile.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { demand, each, type Json, send } from './api.js';
import { DASHBOARD_AMOUNT, type PaidBack } from './dashboard.js';
import type { Journal } from './journal.js';
import type { PlannedRefund } from './scenes.js';
import type { Stage } from './stage.js';

const HELD_AMOUNT = 500;
const CANCEL_PAUSE_MS = 1_000;
const MOVES_BEFORE_DECISION = 2;

export class Merchants {
  private readonly planned = new Map<string, PlannedRefund>();
  private readonly unwanted = new Set<string>();
  /** The refunds that nobody has approved, and how often time moves before each is decided. */
  private readonly unapproved = new Map<string, { readonly plan: PlannedRefund; moves: number }>();
  private isProposing = false;

  constructor(
    private readonly stage: Stage,
    private readonly journal: Journal,
    /** Called when a part of the payment is to be paid back in the provider's dashboard. */
    private readonly wantInDashboard: (payment: PaidBack) => void,
  ) {}

  /** A worker may ask for a refund before its proposal was answered. */
  async planOf(refund: string): Promise<PlannedRefund | undefined> {
    while (!this.planned.has(refund) && this.isProposing) await sleep(5);
    return this.planned.get(refund);
  }

  plan(refund: string): PlannedRefund | undefined {
    return this.planned.get(refund);
  }

  /** Counts the refunds that a worker can pay and whose first payout should meet a fault. */
  countWithFault(): number {
    const plans = [...this.planned.values()];
    return plans.filter(({ payouts: [first = 'passes'], approval, regret }) => {
      const isPayable = ['not needed', 'late'].includes(approval) && regret !== 'at once';
      return isPayable && first !== 'passes' && first !== 'overtaken';
    }).length;
  }

  isUnapproved(refund: string): boolean {
    return this.unapproved.has(refund);
  }

  /** Lets the merchant try to cancel the refund from now on. */
  regret(refund: string): void {
    this.unwanted.add(refund);
    void this.cancel(refund);
  }

  async propose(refunds: readonly PlannedRefund[]): Promise<void> {
    const payments = Map.groupBy(
      refunds,
      ({ organization, payment }) => `${organization} ${payment}`,
    );
    this.isProposing = true;
    await each([...payments.values()], (ofPayment) => this.proposeOfOnePayment(ofPayment));
    this.isProposing = false;
  }

  /**
   * Decides refunds that have waited long enough, as another person than the proposer, before time
   * moves.
   */
  async decide(): Promise<void> {
    for (const [refund, waiting] of this.unapproved) {
      waiting.moves -= 1;
      if (waiting.moves === 0 && waiting.plan.approval !== 'never')
        await this.decideOn(refund, waiting.plan);
    }
  }

  /** Cancels unwanted refunds wherever possible until it is stopped. */
  async keepCanceling(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      for (const refund of this.unwanted) await this.cancel(refund);
      await sleep(CANCEL_PAUSE_MS);
    }
  }

  /** Cancels the refund if it is unwanted. */
  async cancel(refund: string): Promise<void> {
    const plan = this.planned.get(refund);
    if (!plan || !this.unwanted.has(refund)) return;
    const { url } = this.stage;
    const answer = await send(`${url}/v1/refunds/${refund}/cancel`, this.keyOf(plan), {}).catch(
      () => undefined,
    );
    const isPending = answer?.status !== 200 && answer?.body.error.code !== 'refund_not_pending';
    // The answer to a second attempt at the same time is the same.
    if (answer?.status === 200 && this.unwanted.has(refund))
      this.journal.note(refund, 'merchant', 'cancels it');
    if (!isPending) this.unwanted.delete(refund);
  }

  /** Reads the refunds as the ledger has them. */
  async refunds(): Promise<Json[]> {
    const { url, ledgerKey, organizations } = this.stage;
    const found: Json[] = [];
    for (const { id } of organizations) {
      for (let cursor: string | undefined = ''; cursor !== undefined; ) {
        const query = `organization=${id}&status=all&limit=100${cursor}`;
        const page = await demand(`${url}/ledger/v1/refunds?${query}`, ledgerKey);
        found.push(...page.data);
        cursor = page.has_more ? `&cursor=${page.next_cursor}` : undefined;
      }
    }
    return found;
  }

  private async decideOn(refund: string, plan: PlannedRefund): Promise<void> {
    const isApproved = plan.approval === 'late';
    // A worker may get the refund as soon as the request is sent.
    if (isApproved) this.unapproved.delete(refund);
    const [path, body] = isApproved ? ['approve', { amount: plan.amount }] : ['reject', {}];
    const { status } = await send(
      `${this.stage.url}/v1/refunds/${refund}/${path}`,
      this.keyOf(plan),
      body,
    );
    this.journal.note(refund, 'merchant', `${path}s it: ${status}`);
  }

  /** Returns the ID of the organization. */
  organizationOf({ organization }: PlannedRefund): string {
    return this.stage.organizations[organization]?.id ?? '';
  }

  private keyOf({ organization }: PlannedRefund): string {
    return this.stage.organizations[organization]?.key ?? '';
  }

  private async proposeOfOnePayment(refunds: readonly PlannedRefund[]): Promise<void> {
    const [first] = refunds;
    if (!first) return;
    const { url, organizations, ledgerKey } = this.stage;
    const organization = this.organizationOf(first);
    const { currency } = first;
    const isBesideDashboard = refunds.some((one) => one.isBesideDashboard);
    const besides = HELD_AMOUNT + (isBesideDashboard ? DASHBOARD_AMOUNT : 0);
    const amount = refunds.reduce((sum, one) => sum + one.amount, besides);
    const capture = { organization, amount, currency };
    const payment = await demand(`${url}/ledger/v1/payments`, ledgerKey, capture);
    if (isBesideDashboard) this.wantInDashboard({ organization, payment: payment.id, currency });
    const hold = await demand(`${url}/ledger/v1/payments/${payment.id}/holds`, ledgerKey, {
      amount: HELD_AMOUNT,
    });
    for (const planned of refunds) {
      const { reference, amount, regret } = planned;
      const proposal = { payment: payment.id, amount, reference };
      const moment = this.journal.moment();
      const isFree = planned.approval === 'not needed';
      const key = isFree ? this.keyOf(first) : organizations[first.organization]?.proposersKey;
      const refund = await demand(`${url}/v1/refunds`, key ?? '', proposal);
      this.planned.set(refund.id, planned);
      if (!isFree) this.unapproved.set(refund.id, { plan: planned, moves: MOVES_BEFORE_DECISION });
      this.journal.note(refund.id, 'merchant', `proposes to refund ${amount} ${currency}`, moment);
      if (regret === 'at once') this.regret(refund.id);
    }
    await demand(`${url}/ledger/v1/holds/${hold.id}/release`, ledgerKey, {});
  }
}

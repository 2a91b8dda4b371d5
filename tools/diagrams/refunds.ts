/**
 * Draws the states of a refund and of its approval. It finds them by trying every transition of the
 * domain.
 */
import { DAYS_TO_DECIDE, Refund, type RefundState } from '../../src/modules/refunds/index.js';
import { Refusal } from '../../src/shared/errors.js';
import { type Arrow, stateDiagram } from './mermaid.js';

const NOW = 0;
const LATE = DAYS_TO_DECIDE * 86_400_000;
const CALLER = { organization: 'org_1', mode: 'test' } as const;
const PAYMENT = { ...CALLER, id: 'pay_test_1', currency: 'usd', refundable: 100 };
const PROPOSAL = { payment: PAYMENT.id, amount: 100, reference: null, description: null };
const MOMENT = { now: NOW, ahead: 0 };
const MADE_ELSEWHERE = 'the ledger records one that was made elsewhere';
const person = (holder: string) => ({ key: holder, holder, actor: null });
const DECISION = { by: person('lead'), comment: null, now: NOW };

const propose = (needsApproval: boolean) =>
  Refund.propose(PAYMENT, PROPOSAL, MOMENT, { requester: person('support'), needsApproval });

/** A refund begins in one of these ways, in the words of a reader. */
const BEGINNINGS: Readonly<Record<string, () => Refund>> = {
  'a key that refunds alone proposes it': () => propose(false),
  'a key that needs approval proposes it': () => propose(true),
  [MADE_ELSEWHERE]: () => Refund.record(PAYMENT, { ...PROPOSAL, providerReference: 'p' }, MOMENT),
};

/** These transitions can happen to a refund. */
const TRANSITIONS: Readonly<Record<string, (refund: Refund) => Refund>> = {
  'the ledger pays it out': (refund) => refund.succeed(null),
  'the ledger cannot': (refund) =>
    refund.fail({ reason: null, claim: null, providerReference: null }),
  'the money comes back': (refund) => refund.return(null),
  'the merchant withdraws it': (refund) => refund.cancel(NOW),
  'somebody approves it': (refund) => refund.approve(PROPOSAL.amount, DECISION),
  'somebody rejects it': (refund) => refund.reject(DECISION),
  'nobody decides in time': (refund) => refund.expire(LATE),
};

export const refundStates = () => stateDiagram(arrowsOf(({ status }) => status));

export function approvalStates(): string {
  const begun = arrowsOf(({ approval }) => approval);
  return stateDiagram(begun.filter(({ label }) => label !== MADE_ELSEWHERE));
}

/** Every change of what `shown` returns, from the beginnings on. */
function arrowsOf(shown: (state: RefundState) => string): Arrow[] {
  const arrows: Arrow[] = [];
  const found: Refund[] = [];
  const find = (refund: Refund) => {
    const isKnown = found.some(({ state }) => placeOf(state) === placeOf(refund.state));
    if (!isKnown) found.push(refund);
  };
  for (const [label, begin] of Object.entries(BEGINNINGS)) {
    const refund = begin();
    find(refund);
    arrows.push({ from: undefined, to: shown(refund.state), label });
  }
  // The list grows while it is read: each state that is found is tried as well.
  for (const refund of found) {
    for (const [label, transition] of Object.entries(TRANSITIONS)) {
      const next = tried(refund, transition);
      find(next);
      const [from, to] = [shown(refund.state), shown(next.state)];
      if (from !== to) arrows.push({ from, to, label });
    }
  }
  return arrows;
}

const placeOf = ({ status, approval }: RefundState) => `${status} ${approval}`;

/** The refund after a transition, or as it was if the transition is refused. */
function tried(refund: Refund, transition: (refund: Refund) => Refund): Refund {
  try {
    return transition(refund);
  } catch (error) {
    if (error instanceof Refusal) return refund;
    throw error;
  }
}

/**
 * This is one payment with its refunds and holds, in numbers only. Each function returns the state
 * after an answer.
 */
import type { Reply } from './client.js';

interface RefundState {
  readonly amount: number;
  readonly status: 'pending' | 'succeeded' | 'failed' | 'canceled';
  /** The last claim has this number. */
  readonly claim: number;
  readonly isClaimed: boolean;
  readonly payout?: string;
  readonly isMadeElsewhere?: boolean;
}

export interface PaymentState {
  readonly captured: number;
  readonly pending: number;
  readonly refunded: number;
  readonly onHold: number;
  readonly refunds: ReadonlyMap<string, RefundState>;
  /** The map has the amounts of active holds, and 0 for released ones. */
  readonly holds: ReadonlyMap<string, number>;
}

type After = (state: PaymentState) => PaymentState | undefined;

export const captured = (amount: number): PaymentState => ({
  captured: amount,
  ...{ pending: 0, refunded: 0, onHold: 0, refunds: new Map(), holds: new Map() },
});

const leftOf = ({ captured, pending, refunded, onHold }: PaymentState) =>
  captured - pending - refunded - onHold;
const codeOf = ({ body }: Reply): string | undefined => body.error?.code;
/** Keeps the state for an answer that is right in it. */
const onlyIf = (isRight: boolean, state: PaymentState) => (isRight ? state : undefined);

/**
 * Takes an amount, or expects a refusal that says how much is left. An amount that is paid already
 * cannot be lowered.
 */
function taken(
  amount: number,
  { status, body }: Reply,
  tooMuch: string,
  take: After,
  isPaid = false,
): After {
  return (state) => {
    const left = leftOf(state);
    if (status === 201) return amount <= left ? take(state) : undefined;
    if (body.error.code === 'payment_not_refundable') return onlyIf(left === 0, state);
    const isTooMuch = body.error.code === tooMuch && (left > 0 || isPaid) && amount > left;
    return onlyIf(isTooMuch && body.error.errors[0].allowed[0] === String(left), state);
  };
}

export const propose = (amount: number, reply: Reply): After =>
  taken(amount, reply, 'refund_exceeds_remaining', (state) => ({
    ...state,
    pending: state.pending + amount,
    refunds: new Map(state.refunds).set(reply.body.id, {
      amount,
      status: 'pending',
      claim: 0,
      isClaimed: false,
    }),
  }));

export const hold = (amount: number, reply: Reply): After =>
  taken(amount, reply, 'hold_exceeds_remaining', (state) => ({
    ...state,
    onHold: state.onHold + amount,
    holds: new Map(state.holds).set(reply.body.id, amount),
  }));

export const releaseHold =
  (id: string): After =>
  (state) => {
    const amount = state.holds.get(id);
    if (amount === undefined || amount === 0) return onlyIf(amount === 0, state);
    return { ...state, onHold: state.onHold - amount, holds: new Map(state.holds).set(id, 0) };
  };

interface Claimed {
  readonly id: string;
  readonly claim: { readonly number: number };
}

export const claim =
  ({ body }: Reply<{ data: readonly Claimed[] }>): After =>
  (state) => {
    if (body.data.length === 0) return state;
    const refunds = new Map(state.refunds);
    for (const { id, claim } of body.data) {
      const refund = refunds.get(id);
      if (refund?.status !== 'pending' || refund.isClaimed || claim.number !== refund.claim + 1)
        return undefined;
      refunds.set(id, { ...refund, claim: claim.number, isClaimed: true });
    }
    return { ...state, refunds };
  };

/** Moves one refund from its state to the next one, or expects the code of a refusal. */
function step(
  id: string,
  reply: Reply,
  next: (refund: RefundState) => RefundState | string,
): After {
  return (state) => {
    const refund = state.refunds.get(id);
    const outcome = refund && next(refund);
    if (outcome === undefined || refund === undefined) return undefined;
    if (typeof outcome === 'string') return onlyIf(codeOf(reply) === outcome, state);
    if (reply.status !== 200 || reply.body.status !== outcome.status) return undefined;
    if (outcome === refund) return state;
    const counted = (of: RefundState, status: string) => (of.status === status ? of.amount : 0);
    return {
      ...state,
      pending: state.pending + counted(outcome, 'pending') - counted(refund, 'pending'),
      refunded: state.refunded + counted(outcome, 'succeeded') - counted(refund, 'succeeded'),
      refunds: new Map(state.refunds).set(id, outcome),
    };
  };
}

export const releaseClaim = (id: string, number: number, reply: Reply): After =>
  step(id, reply, (refund) => {
    if (refund.status !== 'pending') return 'refund_not_pending';
    if (refund.claim !== number) return 'refund_claimed';
    return refund.isClaimed ? { ...refund, isClaimed: false } : refund;
  });

export const cancel = (id: string, reply: Reply): After =>
  step(id, reply, (refund) => {
    if (refund.status !== 'pending') return 'refund_not_pending';
    return refund.isClaimed ? 'refund_in_progress' : { ...refund, status: 'canceled' };
  });

export const succeed = (id: string, payout: string, reply: Reply): After => {
  const paid = step(id, reply, (refund) => {
    if (refund.status === 'succeeded') return refund;
    const outcome = { status: 'succeeded', isClaimed: false, payout } as const;
    return refund.status === 'pending' ? { ...refund, ...outcome } : 'refund_not_pending';
  });
  return (state) => {
    const after = paid(state);
    if (reply.status === 200 && after?.refunds.get(id)?.payout !== reply.body.provider_reference)
      return undefined;
    return after && after !== state ? yielded(after, id) : after;
  };
};

/** Stops counting the refund that was recorded for the same payout. */
function yielded(state: PaymentState, id: string): PaymentState {
  const { payout, amount } = state.refunds.get(id) as RefundState;
  const isSame = (of: RefundState) =>
    of.isMadeElsewhere && of.payout === payout && of.amount === amount;
  const [other] = [...state.refunds].filter(([, of]) => isSame(of) && of.status === 'succeeded');
  if (!other) return state;
  const refunds = new Map(state.refunds).set(other[0], { ...other[1], status: 'failed' });
  return { ...state, refunded: state.refunded - amount, refunds };
}

/**
 * Records a payout that was made elsewhere as a new refund, or as the refund that is known for it.
 */
export function record(amount: number, payout: string, reply: Reply): After {
  const made = {
    amount,
    status: 'succeeded',
    claim: 0,
    isClaimed: false,
    payout,
    isMadeElsewhere: true,
  } as const;
  const take: After = (state) => ({
    ...state,
    refunded: state.refunded + amount,
    refunds: new Map(state.refunds).set(reply.body.id, made),
  });
  const unknown = taken(amount, reply, 'refund_exceeds_remaining', take, true);
  return (state) => {
    const known = [...state.refunds].filter(([, refund]) => refund.payout === payout);
    if (known.length === 0) return reply.status === 200 ? undefined : unknown(state);
    if (!known.some(([, refund]) => refund.amount === amount))
      return onlyIf(codeOf(reply) === 'refund_reference_reused', state);
    const told = reply.status === 200 ? state.refunds.get(reply.body.id) : undefined;
    return onlyIf(
      told?.payout === payout && told.amount === amount && told.status === reply.body.status,
      state,
    );
  };
}

export const fail = (id: string, number: number | undefined, reply: Reply): After =>
  step(id, reply, (refund) => {
    if (refund.status === 'failed') return refund;
    if (refund.status !== 'pending') return 'refund_not_pending';
    const isFree = !refund.isClaimed && number === undefined;
    if (!isFree && !(refund.isClaimed && number === refund.claim)) return 'refund_claimed';
    return { ...refund, status: 'failed', isClaimed: false };
  });

export const comeBack = (id: string, reply: Reply): After =>
  step(id, reply, (refund) => {
    if (refund.status === 'failed') return refund;
    return refund.status === 'succeeded' ? { ...refund, status: 'failed' } : 'refund_not_succeeded';
  });

/** Compares the payment as it is read. */
export const read =
  ({ body }: Reply): After =>
  (state) => {
    const shown = [
      body.amount,
      body.amount_pending_refund,
      body.amount_refunded,
      body.amount_on_hold,
    ];
    const known = [state.captured, state.pending, state.refunded, state.onHold];
    return onlyIf(
      String([...shown, body.amount_refundable]) === String([...known, leftOf(state)]),
      state,
    );
  };

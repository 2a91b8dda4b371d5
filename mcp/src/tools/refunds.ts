import { z } from 'zod';
import { type Tillgate, TillgateError } from '../../../client/src/index.js';
import { OtherProposer } from '../answers.js';
import { isOfOther } from '../proposer.js';
import {
  APPROVAL,
  amount,
  listOf,
  PAGE,
  PAYMENT_ID,
  REFUND,
  REFUND_ID,
  REFUND_REFERENCE,
} from '../schemas.js';
import { ADDS, READS, tool, WITHDRAWS } from '../tool.js';
import { asQuery, firstPage } from './pages.js';

const WITH_APPROVAL = z.object({
  refund: REFUND,
  approval: APPROVAL,
  reason: z.string().nullable().describe('Why it failed or was not approved, if that is known.'),
});

export const listRefunds = tool({
  name: 'list_refunds',
  title: 'List refunds',
  description:
    'Lists refunds, the newest first, of one payment or of all. read_refund tells the rest of one.',
  annotations: READS,
  input: z.strictObject({
    ...PAGE,
    payment: PAYMENT_ID.optional(),
    status: REFUND.shape.status.optional(),
    reference: REFUND_REFERENCE.optional(),
    approval: z.literal('waiting').optional().describe('Only those that wait for a decision.'),
  }),
  output: listOf(REFUND),
  work: (filters, { tillgate }) => firstPage(tillgate.refunds.list(asQuery(filters))),
});

export const readRefund = tool({
  name: 'read_refund',
  title: 'Read a refund',
  description: 'Reads a refund, why it was proposed, and what was decided about it.',
  annotations: READS,
  input: z.strictObject({ id: REFUND_ID }),
  output: WITH_APPROVAL,
  work: ({ id }, { tillgate }) => withApproval(id, tillgate),
});

export const proposeRefund = tool({
  name: 'propose_refund',
  title: 'Propose a refund',
  description:
    'Proposes to refund all or part of a payment. No money moves: the amount is reserved, and somebody else approves or rejects the refund. The same call again returns the same refund.',
  annotations: ADDS,
  right: 'propose',
  input: z.strictObject({
    payment: PAYMENT_ID,
    amount: amount('What to refund').min(1),
    reference: REFUND_REFERENCE,
    description: z.string().max(500).optional().describe('Why, for the person who approves.'),
  }),
  output: WITH_APPROVAL,
  work: async (given, { tillgate, caller }) => {
    const proposal = { ...given, description: given.description ?? null };
    const { id } = await tillgate.refunds.propose(proposal, { actor: caller.actor });
    return withApproval(id, tillgate);
  },
});

export const cancelRefund = tool({
  name: 'cancel_refund',
  title: 'Cancel a refund',
  description:
    'Cancels a pending refund that you proposed, such as by mistake. Its amount can be refunded again. Refunds of others are theirs to cancel.',
  annotations: WITHDRAWS,
  right: 'propose',
  input: z.strictObject({ id: REFUND_ID }),
  output: WITH_APPROVAL,
  work: async ({ id }, { tillgate, caller }) => {
    const approval = await tillgate.refunds.approval(id);
    if (isOfOther(approval, caller.holder)) throw new OtherProposer();
    await tillgate.refunds.cancel(id, { actor: caller.actor }).catch(async (error) => {
      const isRepeated = error instanceof TillgateError && error.code === 'refund_not_pending';
      if (!isRepeated || (await tillgate.refunds.retrieve(id)).status !== 'canceled') throw error;
    });
    return withApproval(id, tillgate);
  },
});

/** Reads the refund, its approval, and the reason of its end, which only its event has. */
async function withApproval(id: string, tillgate: Tillgate) {
  const newest = tillgate.events.list(asQuery({ object: id, limit: 1 }));
  const [refund, approval, events] = await Promise.all([
    tillgate.refunds.retrieve(id),
    tillgate.refunds.approval(id),
    firstPage(newest),
  ]);
  const { reason = null } = (events.data[0]?.data ?? {}) as { reason?: string | null };
  // The API still calls it waiting, and a model would say that somebody has to decide.
  const isWithdrawn = refund.status === 'canceled' && approval.state === 'waiting';
  const state = isWithdrawn ? 'withdrawn' : approval.state;
  return { refund, approval: { ...approval, state }, reason };
}

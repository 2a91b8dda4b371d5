/**
 * Defines the tools. No tool approves a refund, because the agent that proposes must not decide.
 */
import { McpServer, type StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { type List, type Tillgate, TillgateError } from 'tillgate-client';
import { z } from 'zod';
import { answer, OtherProposer, refusal } from './answers.js';
import { isOfOther } from './proposer.js';
import * as schemas from './schemas.js';
import type { Settings } from './settings.js';

const {
  SESSION,
  SESSION_ID,
  PAYMENT,
  PAYMENT_ID,
  REFUND,
  REFUND_ID,
  APPROVAL,
  PAGE,
  PROPOSAL,
  listOf,
} = schemas;

/**
 * These hints say what a tool changes: it reads, or it adds or withdraws a proposal, and a
 * repetition changes nothing.
 */
const READS = { readOnlyHint: true, openWorldHint: false } as const;
const ADDS = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const;
const WITHDRAWS = { ...ADDS, destructiveHint: true } as const;

const WITH_APPROVAL = z.object({ refund: REFUND, approval: APPROVAL });

export function serverOf(
  tillgate: Tillgate,
  { actor, holder }: Pick<Settings, 'actor' | 'holder'>,
): McpServer {
  const server = new McpServer({ name: 'tillgate', title: 'Tillgate', version: '1.2.0' });

  function tool<Input extends z.ZodRawShape>(
    name: string,
    about: {
      readonly description: string;
      readonly annotations: object;
      readonly output: StandardSchemaWithJSON;
    },
    input: Input,
    work: (given: z.output<z.ZodObject<Input>>) => Promise<object>,
  ): void {
    const { description, annotations, output: outputSchema } = about;
    const inputSchema = z.strictObject(input) as unknown as z.ZodObject<Input>;
    server.registerTool(
      name,
      { description, annotations, inputSchema, outputSchema },
      async (given) => {
        try {
          return answer(await work(given as z.output<z.ZodObject<Input>>));
        } catch (error) {
          return refusal(error, { tool: name, arguments: given as Record<string, unknown> });
        }
      },
    );
  }

  const withApproval = async (id: string) => {
    const [refund, approval] = await Promise.all([
      tillgate.refunds.retrieve(id),
      tillgate.refunds.approval(id),
    ]);
    return { refund, approval };
  };

  const sessions =
    'Finds checkout sessions, the newest first, by status, dates and order number (metadata.reference).';
  tool(
    'find_sessions',
    { description: sessions, annotations: READS, output: listOf(SESSION) },
    { ...PAGE, status: SESSION.shape.status.optional(), reference: z.string().optional() },
    (filters) => firstPage(tillgate.checkoutSessions.list(asQuery(filters))),
  );

  tool(
    'read_session',
    {
      description: 'Reads a checkout session with its line items.',
      annotations: READS,
      output: SESSION,
    },
    { id: SESSION_ID },
    ({ id }) => tillgate.checkoutSessions.retrieve(id),
  );

  const payments =
    'Reads a payment, with what can still be refunded of it. Its session has the order.';
  tool(
    'read_payment',
    { description: payments, annotations: READS, output: PAYMENT },
    { id: PAYMENT_ID },
    ({ id }) => tillgate.payments.retrieve(id),
  );

  const refunds =
    'Lists refunds, the newest first. With approval, only those that wait for somebody to approve them.';
  tool(
    'list_refunds',
    { description: refunds, annotations: READS, output: listOf(REFUND) },
    {
      ...PAGE,
      payment: PAYMENT_ID.optional(),
      status: REFUND.shape.status.optional(),
      reference: PROPOSAL.reference.optional(),
      approval: z.literal('waiting').optional(),
    },
    (filters) => firstPage(tillgate.refunds.list(asQuery(filters))),
  );

  tool(
    'read_refund',
    { description: 'Reads a refund and its approval.', annotations: READS, output: WITH_APPROVAL },
    { id: REFUND_ID },
    ({ id }) => withApproval(id),
  );

  const proposal =
    'Proposes to refund all or part of a payment. No money moves: the amount is reserved, and somebody else approves or rejects the refund. Calling again with the same reference returns the same refund.';
  tool(
    'propose_refund',
    { description: proposal, annotations: ADDS, output: WITH_APPROVAL },
    PROPOSAL,
    async (given) => {
      const { id } = await tillgate.refunds.propose(
        { ...given, description: given.description ?? null },
        { actor },
      );
      return withApproval(id);
    },
  );

  const withdrawal =
    'Cancels a pending refund that you proposed, such as by mistake. Its amount can be refunded again. Refunds of others are theirs to cancel.';
  tool(
    'cancel_refund',
    { description: withdrawal, annotations: WITHDRAWS, output: WITH_APPROVAL },
    { id: REFUND_ID },
    async ({ id }) => {
      const approval = await tillgate.refunds.approval(id);
      if (isOfOther(approval, holder)) throw new OtherProposer();
      await tillgate.refunds.cancel(id, { actor }).catch(async (error) => {
        const isRepeated = error instanceof TillgateError && error.code === 'refund_not_pending';
        if (!isRepeated || (await tillgate.refunds.retrieve(id)).status !== 'canceled') throw error;
      });
      return withApproval(id);
    },
  );

  return server;
}

const asQuery = <Filters extends { readonly limit: number }>({ limit, ...filters }: Filters) => {
  return { ...filters, limit: String(limit) as never };
};

async function firstPage<Item>(list: List<Item>): Promise<object> {
  for await (const { data, next_cursor } of list.pages()) return { data, next_cursor };
  return { data: [], next_cursor: null };
}

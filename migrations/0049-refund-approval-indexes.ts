import type { MigrationInterface, QueryRunner } from 'typeorm';
import { RULES } from './0048-refund-approvals.js';

const WAITING = `status = 'pending' AND approval = 'waiting'`;
const INDEXES = {
  // Claims go from organization to organization, and take the refunds of each in the order in which they became claimable.
  refunds_claim_queue: `INDEX refunds_claim_queue ON refunds (mode, organization_id, claimable_at, id)
    WHERE status = 'pending' AND approval <> 'waiting'`,
  // For the ledger, which lists the refunds of all organizations, and of the pending ones those that it may pay out.
  refunds_ledger_status: `INDEX refunds_ledger_status ON refunds (mode, status, id) WHERE NOT (${WAITING})`,
  refunds_waiting: `INDEX refunds_waiting ON refunds (organization_id, mode, id) WHERE ${WAITING}`,
  // The oldest first: of all organizations, and of one whose clock is moved.
  refunds_overdue: `INDEX refunds_overdue ON refunds (approval_expires_at, id) WHERE ${WAITING}`,
  refunds_own_overdue: `INDEX refunds_own_overdue ON refunds (organization_id, mode, approval_expires_at, id)
    WHERE ${WAITING}`,
  // What was paid out without its approval, for operators.
  refunds_unapproved: `INDEX refunds_unapproved ON refunds (mode, id)
    WHERE status = 'succeeded' AND approval = 'waiting'`,
};
const BEFORE = {
  refunds_claim_turns: `INDEX refunds_claim_turns ON refunds (mode, organization_id, claimable_at, id)
    WHERE status = 'pending'`,
  refunds_ledger_list: 'INDEX refunds_ledger_list ON refunds (mode, status, id)',
};

/** Not a transaction, because it reads a large table while others write to it. After an interruption it can be run again. */
export class RefundApprovalIndexes1763700000049 implements MigrationInterface {
  readonly name = 'RefundApprovalIndexes1763700000049';
  readonly transaction = false;

  /** Without the indexes before, the previous version sorts the pending refunds until its processes have ended. */
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET lock_timeout = '2s'`);
    await build(runner, INDEXES);
    for (const rule of Object.keys(RULES))
      await runner.query(`ALTER TABLE refunds VALIDATE CONSTRAINT refunds_${rule}`);
    await drop(runner, BEFORE);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET lock_timeout = '2s'`);
    await build(runner, BEFORE);
    await drop(runner, INDEXES);
  }
}

type Definitions = Readonly<Record<string, string>>;

async function build(runner: QueryRunner, definitions: Definitions): Promise<void> {
  await drop(runner, definitions);
  for (const definition of Object.values(definitions)) {
    await runner.query(`CREATE ${definition.replace('INDEX', 'INDEX CONCURRENTLY')}`);
  }
}

async function drop(runner: QueryRunner, definitions: Definitions): Promise<void> {
  for (const name of Object.keys(definitions))
    await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
}

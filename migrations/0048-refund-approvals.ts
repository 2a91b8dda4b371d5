import type { MigrationInterface, QueryRunner } from 'typeorm';

/** One at a time, because Citus takes no two in one ALTER TABLE. */
export const RULES = {
  approval: `approval IN ('not_needed', 'waiting', 'approved', 'rejected', 'expired')`,
  approval_expiry: `(approval = 'not_needed') = (approval_expires_at IS NULL)`,
  approval_proposer: `approval = 'not_needed' OR proposed_by IS NOT NULL`,
  approval_decision: `(approval IN ('approved', 'rejected')) = (decided_by IS NOT NULL)
    AND (decided_by IS NULL) = (decided_at IS NULL) AND (comment IS NULL OR decided_by IS NOT NULL)`,
  approval_outcome: `approval NOT IN ('rejected', 'expired') OR status = 'canceled'`,
  // Also refuses the claims of a previous version, which knows no approvals.
  approved_claim: `approval NOT IN ('waiting', 'rejected', 'expired') OR claim_number = 0`,
  comment_length: 'char_length(comment) <= 500',
};

/**
 * Who proposed a refund, and who approved or rejected it. The defaults are right for the rows that the previous version writes.
 * The next migration builds the indexes and validates the rules.
 */
export class RefundApprovals1763700000048 implements MigrationInterface {
  readonly name = 'RefundApprovals1763700000048';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query(`
      ALTER TABLE refunds
        ADD COLUMN approval text NOT NULL DEFAULT 'not_needed',
        ADD COLUMN proposed_by json,
        ADD COLUMN approval_expires_at timestamptz,
        ADD COLUMN decided_by json,
        ADD COLUMN decided_at timestamptz,
        ADD COLUMN comment text`);
    for (const [name, rule] of Object.entries(RULES)) {
      await runner.query(
        `ALTER TABLE refunds ADD CONSTRAINT refunds_${name} CHECK (${rule}) NOT VALID`,
      );
    }
  }

  /** Fails while a refund waits: the version before would pay what nobody has approved. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    const waiting = `SELECT id FROM refunds WHERE status = 'pending' AND approval = 'waiting' LIMIT 1`;
    const [refund] = (await runner.query(waiting)) as { readonly id: string }[];
    if (refund)
      throw new Error(
        `Refund ${refund.id} waits for approval. Approve or reject all that wait first.`,
      );
    await runner.query(`
      ALTER TABLE refunds
        DROP COLUMN comment,
        DROP COLUMN decided_at,
        DROP COLUMN decided_by,
        DROP COLUMN approval_expires_at,
        DROP COLUMN proposed_by,
        DROP COLUMN approval`);
  }
}

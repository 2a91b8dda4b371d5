import type { MigrationInterface, QueryRunner } from 'typeorm';

/** One at a time, because Citus takes no two in one ALTER TABLE. */
const RULES = {
  reference_length: 'char_length(reference) BETWEEN 1 AND 255',
  description_length: 'char_length(description) <= 500',
  provider_reference_length: 'char_length(provider_reference) BETWEEN 1 AND 255',
  lapses: 'lapses >= 0',
};

/**
 * What the ledger and the merchant say about a refund, and when it can be claimed. The defaults are right for the rows that the
 * previous version writes. The next migration builds the indexes and validates the rules.
 */
export class RefundBorder1763700000030 implements MigrationInterface {
  readonly name = 'RefundBorder1763700000030';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query(`
      ALTER TABLE refunds
        ADD COLUMN reference text COLLATE "C",
        ADD COLUMN description text,
        ADD COLUMN provider_reference text COLLATE "C",
        ADD COLUMN lapses integer NOT NULL DEFAULT 0,
        ADD COLUMN claimable_at timestamptz NOT NULL DEFAULT to_timestamp(0)`);
    for (const [name, rule] of Object.entries(RULES)) {
      await runner.query(
        `ALTER TABLE refunds ADD CONSTRAINT refunds_${name} CHECK (${rule}) NOT VALID`,
      );
    }
    await runner.query('ALTER TABLE events ADD COLUMN details text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query('ALTER TABLE events DROP COLUMN details');
    await runner.query(`
      ALTER TABLE refunds
        DROP COLUMN claimable_at,
        DROP COLUMN lapses,
        DROP COLUMN provider_reference,
        DROP COLUMN description,
        DROP COLUMN reference`);
  }
}

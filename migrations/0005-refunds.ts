import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Refund proposals and their outcomes. */
export class Refunds1763700000005 implements MigrationInterface {
  readonly name = 'Refunds1763700000005';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query(`
      CREATE TABLE refunds (
        organization_id uuid NOT NULL,
        mode text NOT NULL,
        id uuid NOT NULL,
        payment_id uuid NOT NULL,
        amount bigint NOT NULL,
        currency text NOT NULL,
        status text NOT NULL,
        CONSTRAINT refunds_pkey PRIMARY KEY (organization_id, mode, id),
        CONSTRAINT refunds_payment_fkey FOREIGN KEY (organization_id, mode, payment_id)
          REFERENCES payments (organization_id, mode, id),
        CONSTRAINT refunds_mode CHECK (mode IN ('test', 'live')),
        CONSTRAINT refunds_amount CHECK (amount BETWEEN 1 AND 999999999999),
        CONSTRAINT refunds_currency CHECK (currency ~ '^[a-z]{3}$'),
        CONSTRAINT refunds_status CHECK (status IN ('pending', 'succeeded', 'failed', 'canceled'))
      )`);
    await runner.query(
      'CREATE INDEX refunds_payment_list ON refunds (organization_id, mode, payment_id, id)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query('DROP TABLE refunds');
  }
}

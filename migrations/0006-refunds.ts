import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Refunds: their states, the claims of the ledger that pays them out, and their approval.
 *
 * The rules say `= ANY ('{approved,rejected}')` and not IN. PostgreSQL parses the text of each
 * CHECK in every statement, and keeps such a list as one constant, with half the text.
 */
const TABLES = `
  CREATE TYPE refund_status AS ENUM ('pending', 'succeeded', 'failed', 'canceled');
  CREATE TYPE approval AS ENUM ('not_needed', 'waiting', 'approved', 'rejected', 'expired');

  CREATE TABLE refunds (
    organization_id uuid NOT NULL,
    mode mode NOT NULL,
    id uuid NOT NULL,
    payment_id uuid NOT NULL,
    amount positive_amount NOT NULL,
    currency currency NOT NULL,
    status refund_status NOT NULL,
    failure_reason note,
    -- A worker with a lower number than this is refused.
    claim_number integer NOT NULL DEFAULT 0,
    claim_expires_at timestamptz,
    reference label COLLATE "C",
    description note,
    provider_reference label COLLATE "C",
    -- How many claims ran out, and from when the refund can be claimed.
    lapses counter NOT NULL DEFAULT 0,
    claimable_at timestamptz NOT NULL DEFAULT to_timestamp(0),
    -- The ledger told of it. Nobody proposed or claimed it here.
    made_elsewhere boolean NOT NULL DEFAULT false,
    approval approval NOT NULL DEFAULT 'not_needed',
    proposed_by json,
    approval_expires_at timestamptz,
    decided_by json,
    decided_at timestamptz,
    comment note,

    CONSTRAINT refunds_pkey PRIMARY KEY (organization_id, mode, id),
    CONSTRAINT refunds_payment_fkey FOREIGN KEY (organization_id, mode, payment_id)
      REFERENCES payments (organization_id, mode, id),
    CONSTRAINT refunds_claim CHECK (
      claim_expires_at IS NULL OR status = 'pending' AND claim_number > 0),
    CONSTRAINT refunds_failure_reason CHECK (failure_reason IS NULL OR status = 'failed'),
    CONSTRAINT refunds_made_elsewhere CHECK (NOT made_elsewhere OR provider_reference IS NOT NULL
      AND status = ANY ('{succeeded,failed}') AND claim_number = 0),
    CONSTRAINT refunds_approval_proposer CHECK (
      approval = 'not_needed' OR proposed_by IS NOT NULL),
    CONSTRAINT refunds_approval_expiry CHECK (
      (approval = 'not_needed') = (approval_expires_at IS NULL)),
    -- Of a row of columns, IS NULL and IS NOT NULL say that each of them is, or is not.
    CONSTRAINT refunds_approval_decision CHECK (
      CASE WHEN approval = ANY ('{approved,rejected}')
        THEN (decided_by, decided_at) IS NOT NULL
        ELSE (decided_by, decided_at, comment) IS NULL END),
    CONSTRAINT refunds_approval_outcome CHECK (
      status = 'canceled' OR approval <> ALL ('{rejected,expired}')),
    CONSTRAINT refunds_approved_claim CHECK (
      claim_number = 0 OR approval = ANY ('{not_needed,approved}'))
  );

  -- Refunds.list and Refunds.listOfAll read it for the refunds of a payment, and
  -- personal_data.belonging refund 1, and the foreign key.
  CREATE INDEX refunds_payment_list ON refunds (organization_id, mode, payment_id, id);

  -- Refunds.list reads it for the refunds with a status.
  CREATE INDEX refunds_status_list ON refunds (organization_id, mode, status, id);

  -- A violation means that this reference has a refund already.
  CREATE UNIQUE INDEX refunds_reference_key ON refunds (organization_id, mode, reference)
    WHERE reference IS NOT NULL;

  -- A violation means that this payout of the provider is recorded already.
  CREATE UNIQUE INDEX refunds_made_elsewhere_key
    ON refunds (organization_id, mode, provider_reference) WHERE made_elsewhere;

  -- Refunds.byPayout reads it, to find the refund of a payout that is recorded.
  CREATE INDEX refunds_provider_reference ON refunds (organization_id, mode, provider_reference)
    WHERE provider_reference IS NOT NULL;

  -- refunds.waiting, refunds.lock_claimable and refunds.lock_claimable_of_all read it:
  -- organizations are claimed by turns.
  CREATE INDEX refunds_claim_queue ON refunds (mode, organization_id, claimable_at, id)
    WHERE status = 'pending' AND approval <> 'waiting';

  -- Refunds.listOfAll reads it for the refunds of all organizations, and refunds.owner.
  CREATE INDEX refunds_ledger_all ON refunds (mode, id);

  -- Refunds.listOfAll reads it for the refunds of all organizations with a status.
  CREATE INDEX refunds_ledger_status ON refunds (mode, status, id)
    WHERE NOT (status = 'pending' AND approval = 'waiting');

  -- Refunds.list reads it for the refunds that wait for approval.
  CREATE INDEX refunds_waiting ON refunds (organization_id, mode, id)
    WHERE status = 'pending' AND approval = 'waiting';

  -- Refunds.overdue and jobs.pending_work read it, for all organizations.
  CREATE INDEX refunds_overdue ON refunds (approval_expires_at, id)
    WHERE status = 'pending' AND approval = 'waiting';

  -- Refunds.overdue reads it, for an organization whose clock was moved.
  CREATE INDEX refunds_own_overdue ON refunds (organization_id, mode, approval_expires_at, id)
    WHERE status = 'pending' AND approval = 'waiting';

  -- The check approvals of doctor reads it: refunds that were paid without their approval.
  CREATE INDEX refunds_unapproved ON refunds (mode, id)
    WHERE status = 'succeeded' AND approval = 'waiting';
`;

export class Refunds1790000000006 implements MigrationInterface {
  readonly name = 'Refunds1790000000006';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query(TABLES);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query(`
      DROP TABLE refunds;
      DROP TYPE approval, refund_status;
    `);
  }
}

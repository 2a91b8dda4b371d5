import { Column, Entity, PrimaryColumn } from 'typeorm';
import { MODES, type Mode, type Requester } from '../../../../shared/caller.js';
import {
  APPROVALS,
  type Approval,
  REFUND_STATUSES,
  type RefundState,
  type RefundStatus,
} from '../../domain/refund-state.js';

/**
 * The SQL is that of the partial indexes, so that the planner uses them for refunds that wait for
 * approval and for refunds that the ledger may pay out.
 */
export const WAITING = `status = 'pending' AND approval = 'waiting'`;
export const PAYABLE = `status = 'pending' AND approval <> 'waiting'`;

@Entity('refunds')
export class RefundRecord {
  @PrimaryColumn('uuid', { name: 'organization_id' })
  organizationId!: string;

  @PrimaryColumn('enum', { enum: MODES, enumName: 'mode' })
  mode!: Mode;

  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'payment_id' })
  payment!: string;

  @Column('bigint')
  amount!: number;

  @Column('text')
  currency!: string;

  @Column('enum', { enum: REFUND_STATUSES, enumName: 'refund_status' })
  status!: RefundStatus;

  @Column('text', { nullable: true })
  reference!: string | null;

  @Column('text', { nullable: true })
  description!: string | null;

  @Column('text', { name: 'provider_reference', nullable: true })
  providerReference!: string | null;

  @Column('text', { name: 'failure_reason', nullable: true })
  failureReason!: string | null;

  @Column('boolean', { name: 'made_elsewhere' })
  isMadeElsewhere!: boolean;

  @Column('integer', { name: 'claim_number' })
  claimNumber!: number;

  @Column('timestamptz', { name: 'claim_expires_at', nullable: true })
  claimExpiresAt!: Date | null;

  @Column('integer')
  lapses!: number;

  @Column('timestamptz', { name: 'claimable_at' })
  claimableAt!: Date;

  @Column('enum', { enum: APPROVALS, enumName: 'approval' })
  approval!: Approval;

  @Column('json', { name: 'proposed_by', nullable: true })
  proposedBy!: Requester | null;

  @Column('timestamptz', { name: 'approval_expires_at', nullable: true })
  approvalExpiresAt!: Date | null;

  @Column('json', { name: 'decided_by', nullable: true })
  decidedBy!: Requester | null;

  @Column('timestamptz', { name: 'decided_at', nullable: true })
  decidedAt!: Date | null;

  @Column('text', { nullable: true })
  comment!: string | null;
}

type Times = 'claimExpiresAt' | 'claimableAt' | 'approvalExpiresAt' | 'decidedAt';

export function timesOf(state: Pick<RefundState, Times>): Pick<RefundRecord, Times> {
  const { claimExpiresAt, claimableAt, approvalExpiresAt, decidedAt } = state;
  return {
    claimExpiresAt: dateOf(claimExpiresAt),
    claimableAt: new Date(claimableAt),
    approvalExpiresAt: dateOf(approvalExpiresAt),
    decidedAt: dateOf(decidedAt),
  };
}

const dateOf = (instant: number | null) => (instant === null ? null : new Date(instant));

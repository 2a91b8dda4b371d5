import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { Mode } from '../../../../shared/caller.js';
import type { DeliveryOutcome } from '../../domain/schedule.js';

const PRIMARY = { primaryKeyConstraintName: 'webhook_deliveries_pkey' };

/** The endpoint ID of a delivery to a notify_url, which has no endpoint. */
export const NO_ENDPOINT = '00000000-0000-0000-0000-000000000000';

@Entity('webhook_deliveries')
@Index('webhook_deliveries_due', ['organizationId', 'receiver', 'nextAttemptAt', 'eventId'], {
  where: 'next_attempt_at IS NOT NULL',
})
@Check('webhook_deliveries_mode', `mode IN ('test', 'live')`)
@Check('webhook_deliveries_attempts', 'attempts >= 0')
@Check('webhook_deliveries_outcome', `outcome IN ('delivered', 'gone', 'given_up', 'canceled')`)
@Check('webhook_deliveries_finished', '(outcome IS NULL) = (next_attempt_at IS NOT NULL)')
export class WebhookDeliveryRecord {
  @PrimaryColumn('uuid', { name: 'organization_id', ...PRIMARY })
  organizationId!: string;

  @PrimaryColumn('text', { ...PRIMARY })
  mode!: Mode;

  @PrimaryColumn('uuid', { name: 'event_id', ...PRIMARY })
  eventId!: string;

  @PrimaryColumn('uuid', { name: 'endpoint_id', default: NO_ENDPOINT, ...PRIMARY })
  endpointId!: string;

  @Column('text')
  url!: string;

  @Column('text')
  receiver!: string;

  @Column('smallint')
  attempts!: number;

  @Column('timestamptz', { name: 'next_attempt_at', nullable: true })
  nextAttemptAt!: Date | null;

  @Column('text', { nullable: true })
  outcome!: DeliveryOutcome | null;
}

import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import type { Mode } from '../../../../shared/caller.js';
import { NO_ENDPOINT, WebhookDeliveryRecord } from './webhook-delivery.record.js';

const PRIMARY = { primaryKeyConstraintName: 'webhook_attempts_pkey' };
const DELIVERY = ['organizationId', 'mode', 'eventId', 'endpointId'] as const;

@Entity('webhook_attempts')
@ForeignKey(() => WebhookDeliveryRecord, DELIVERY, DELIVERY, {
  name: 'webhook_attempts_delivery_fkey',
  onDelete: 'CASCADE',
})
export class WebhookAttemptRecord {
  @PrimaryColumn('uuid', { name: 'organization_id', ...PRIMARY })
  organizationId!: string;

  @PrimaryColumn('text', { ...PRIMARY })
  mode!: Mode;

  @PrimaryColumn('uuid', { name: 'event_id', ...PRIMARY })
  eventId!: string;

  @PrimaryColumn('uuid', { name: 'endpoint_id', default: NO_ENDPOINT, ...PRIMARY })
  endpointId!: string;

  @PrimaryColumn('smallint', { ...PRIMARY })
  attempt!: number;

  @Column('timestamptz', { name: 'attempted_at' })
  attemptedAt!: Date;

  @Column('smallint', { name: 'status_code', nullable: true })
  statusCode!: number | null;

  @Column('text', { nullable: true })
  error!: string | null;

  @Column('integer', { name: 'duration_ms' })
  durationMs!: number;

  @Column('timestamptz', { name: 'next_attempt_at', nullable: true })
  nextAttemptAt!: Date | null;
}

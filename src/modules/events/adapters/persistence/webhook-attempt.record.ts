import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Mode } from '../../../../shared/caller.js';

@Entity('webhook_attempts')
export class WebhookAttemptRecord {
  @PrimaryColumn('uuid', { name: 'organization_id' })
  organizationId!: string;

  @PrimaryColumn('text')
  mode!: Mode;

  @PrimaryColumn('uuid', { name: 'event_id' })
  eventId!: string;

  @PrimaryColumn('uuid', { name: 'endpoint_id' })
  endpointId!: string;

  @PrimaryColumn('smallint')
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

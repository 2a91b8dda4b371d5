import { Column, Entity, PrimaryColumn } from 'typeorm';
import { MODES, type Mode } from '../../../../shared/caller.js';

/** A delivery to a notify_url has this endpoint ID, because it has no endpoint. */
export const NO_ENDPOINT = '00000000-0000-0000-0000-000000000000';

const DELIVERY_OUTCOMES = ['delivered', 'gone', 'given_up', 'canceled'] as const;

@Entity('webhook_deliveries')
export class WebhookDeliveryRecord {
  @PrimaryColumn('uuid', { name: 'organization_id' })
  organizationId!: string;

  @PrimaryColumn('enum', { enum: MODES, enumName: 'mode' })
  mode!: Mode;

  @PrimaryColumn('uuid', { name: 'event_id' })
  event!: string;

  /** The ID is NO_ENDPOINT for a notify_url. */
  @PrimaryColumn('uuid', { name: 'endpoint_id' })
  endpoint!: string;

  @Column('text')
  url!: string;

  @Column('text')
  receiver!: string;

  @Column('smallint')
  attempts!: number;

  @Column('timestamptz', { name: 'next_attempt_at', nullable: true })
  nextAttemptAt!: Date | null;

  @Column('enum', { enum: DELIVERY_OUTCOMES, enumName: 'delivery_outcome', nullable: true })
  outcome!: (typeof DELIVERY_OUTCOMES)[number] | null;
}

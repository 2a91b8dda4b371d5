import { Injectable } from '@nestjs/common';
import { type FindOptionsWhere, IsNull, MoreThan, Not, type Repository } from 'typeorm';
import { Database } from '../../../../persistence/database.js';
import { scopeOf } from '../../../../persistence/rows.js';
import type { Caller } from '../../../../shared/caller.js';
import { CallerClock } from '../../../../shared/clock.js';
import { notFound } from '../../../../shared/errors.js';
import { idOf, ORGANIZATION_ID, uuidOf } from '../../../../shared/id.js';
import { Organizations, type WebhookSecrets } from '../../application/ports.js';
import { Organization } from '../../domain/organization.js';
import { ApiKeyRecord } from './api-key.record.js';
import { OrganizationRecord } from './organization.record.js';

@Injectable()
export class TypeormOrganizations extends Organizations {
  constructor(
    private readonly database: Database,
    private readonly clock: CallerClock,
  ) {
    super();
  }

  async add({ id, webhookSecret, settings }: Organization): Promise<void> {
    await this.changing(id, (organizations) => organizations.insert({ id: uuidOf(id), webhookSecret, ...settings }));
  }

  async storeSettings({ id, settings }: Organization): Promise<void> {
    await this.changing(id, (organizations) => organizations.update({ id: uuidOf(id) }, settings));
  }

  async exists(id: string): Promise<boolean> {
    return (await this.find(id)) !== null;
  }

  async byId(id: string): Promise<Organization> {
    const row = await this.find(id);
    if (!row) throw notFound('organization');
    return fromRow(row);
  }

  async origins(caller: Caller): Promise<readonly string[]> {
    const { now } = await this.clock.at(caller);
    const active = { ...scopeOf(caller), revokedAt: IsNull() };
    const where = [IsNull(), MoreThan(new Date(now))].map((expiresAt) => ({ ...active, expiresAt }));
    const keys = await this.database.reading(caller, (manager) => manager.findBy(ApiKeyRecord, where));
    return [...new Set(keys.flatMap(({ allowedOrigins }) => allowedOrigins))].sort();
  }

  all(): Promise<Organization[]> {
    return this.allWith({});
  }

  forgetting(): Promise<Organization[]> {
    return this.allWith({ detailsRetentionDays: Not(IsNull()) });
  }

  async webhookSecrets(id: string): Promise<WebhookSecrets | undefined> {
    const row = await this.find(id);
    if (!row) return undefined;
    const { webhookSecret: current, previousWebhookSecret: previous, previousWebhookSecretExpiresAt: end } = row;
    return { current, previous, previousExpiresAt: end?.getTime() ?? null };
  }

  async rotateWebhookSecret(id: string, next: { secret: string; previousExpiresAt: number }): Promise<boolean> {
    const change = {
      webhookSecret: next.secret,
      previousWebhookSecret: () => 'webhook_secret',
      previousWebhookSecretExpiresAt: new Date(next.previousExpiresAt),
    };
    const { affected } = await this.changing(id, (organizations) => organizations.update({ id: uuidOf(id) }, change));
    return affected === 1;
  }

  private async allWith(where: FindOptionsWhere<OrganizationRecord>): Promise<Organization[]> {
    const read = this.database.reading({ queue: 'organizations' }, (manager) =>
      manager.find(OrganizationRecord, { where, order: { id: 'ASC' } }),
    );
    return (await read).map(fromRow);
  }

  private find(id: string): Promise<OrganizationRecord | null> {
    return this.database.reading({ queue: id }, (manager) => manager.findOneBy(OrganizationRecord, { id: uuidOf(id) }));
  }

  private changing<Result>(
    id: string,
    change: (organizations: Repository<OrganizationRecord>) => Promise<Result>,
  ): Promise<Result> {
    return this.database.run({ queue: id }, () => change(this.database.repository(OrganizationRecord)));
  }
}

function fromRow({ id, webhookSecret, ...row }: OrganizationRecord): Organization {
  const { name, contact, termsUrl, privacyUrl, refundApproval, detailsRetentionDays } = row;
  const settings = { name, contact, termsUrl, privacyUrl, refundApproval, detailsRetentionDays };
  return Organization.restore(idOf(ORGANIZATION_ID, id), webhookSecret, settings);
}

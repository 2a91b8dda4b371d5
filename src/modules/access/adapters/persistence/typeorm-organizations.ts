import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';
import { idOf, ORGANIZATION_ID, uuidOf } from '../../../../shared/id.js';
import { Organizations, type WebhookSecrets } from '../../application/ports.js';
import { Organization } from '../../domain/organization.js';
import { OrganizationRecord } from './organization.record.js';

@Injectable()
export class TypeormOrganizations extends Organizations {
  constructor(private readonly database: Database) {
    super();
  }

  async add({ id, name, webhookSecret }: Organization): Promise<void> {
    await this.database.autocommitManager.insert(OrganizationRecord, { id: uuidOf(id), name, webhookSecret });
  }

  async exists(id: string): Promise<boolean> {
    return this.database.autocommitManager.existsBy(OrganizationRecord, { id: uuidOf(id) });
  }

  async any(): Promise<boolean> {
    return this.database.autocommitManager.exists(OrganizationRecord);
  }

  async byId(id: string): Promise<Organization | undefined> {
    const row = await this.database.autocommitManager.findOneBy(OrganizationRecord, { id: uuidOf(id) });
    return row ? fromRow(row) : undefined;
  }

  async all(): Promise<Organization[]> {
    return (await this.database.autocommitManager.find(OrganizationRecord, { order: { id: 'ASC' } })).map(fromRow);
  }

  async webhookSecrets(id: string): Promise<WebhookSecrets | undefined> {
    const row = await this.database.autocommitManager.findOneBy(OrganizationRecord, { id: uuidOf(id) });
    if (!row) return undefined;
    const { webhookSecret, previousWebhookSecret, previousWebhookSecretExpiresAt } = row;
    return {
      current: webhookSecret,
      previous: previousWebhookSecret,
      previousExpiresAt: previousWebhookSecretExpiresAt?.getTime() ?? null,
    };
  }

  async rotateWebhookSecret(id: string, next: { secret: string; previousExpiresAt: number }): Promise<boolean> {
    const { affected } = await this.database.autocommitManager.update(
      OrganizationRecord,
      { id: uuidOf(id) },
      {
        webhookSecret: next.secret,
        previousWebhookSecret: () => 'webhook_secret',
        previousWebhookSecretExpiresAt: new Date(next.previousExpiresAt),
      },
    );
    return affected === 1;
  }
}

function fromRow({ id, name, webhookSecret }: OrganizationRecord): Organization {
  return Organization.restore(idOf(ORGANIZATION_ID, id), name, webhookSecret);
}

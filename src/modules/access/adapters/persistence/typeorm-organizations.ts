import { Injectable } from '@nestjs/common';
import { IsNull, LessThan, MoreThan, Not, type Repository } from 'typeorm';
import { Encryption } from '../../../../encryption/encryption.js';
import { Database } from '../../../../persistence/database.js';
import { scopeOf } from '../../../../persistence/rows.js';
import { orStale } from '../../../../platform/retries.js';
import type { Caller } from '../../../../shared/caller.js';
import { CallerClock } from '../../../../shared/clock.js';
import { notFound } from '../../../../shared/errors.js';
import { idOf, ORGANIZATION_ID, uuidOf } from '../../../../shared/id.js';
import { type Page, type PageRequest, pageOf } from '../../../../shared/page.js';
import { Organizations, type WebhookSecrets } from '../../application/ports.js';
import { Organization } from '../../domain/organization.js';
import { ApiKeyRecord } from './api-key.record.js';
import { OrganizationRecord } from './organization.record.js';

const ALL = { queue: 'organizations' };

@Injectable()
export class TypeormOrganizations extends Organizations {
  constructor(
    private readonly database: Database,
    private readonly clock: CallerClock,
    private readonly encryption: Encryption,
  ) {
    super();
  }

  async add({ id, reference, settings }: Organization, secret: string): Promise<void> {
    const row = { id: uuidOf(id), reference, webhookSecret: this.encryption.encryptToText(secret), ...settings };
    await this.changing(id, (organizations) => orStale(organizations.insert(row), 'organizations_reference_key'));
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

  async lock(id: string): Promise<Organization> {
    // NO KEY: rows that refer to the organization can be inserted meanwhile.
    const lock = { mode: 'for_no_key_update' } as const;
    const row = await this.database.repository(OrganizationRecord).findOne({ where: { id: uuidOf(id) }, lock });
    if (!row) throw notFound('organization');
    return fromRow(row);
  }

  async byReference(reference: string): Promise<Organization | undefined> {
    const row = await this.database.reading(ALL, (manager) => manager.findOneBy(OrganizationRecord, { reference }));
    return row ? fromRow(row) : undefined;
  }

  async page({ cursor, limit }: PageRequest, reference: string | undefined): Promise<Page<Organization>> {
    const before = cursor === undefined ? {} : { id: LessThan(uuidOf(cursor)) };
    const where = { ...before, ...(reference !== undefined && { reference }) };
    const rows = await this.database.reading(ALL, (manager) =>
      manager.find(OrganizationRecord, { where, order: { id: 'DESC' }, take: limit + 1 }),
    );
    return pageOf(rows.map(fromRow), limit);
  }

  async origins(caller: Caller): Promise<readonly string[]> {
    const { now } = await this.clock.at(caller);
    const active = { ...scopeOf(caller), revokedAt: IsNull() };
    const where = [IsNull(), MoreThan(new Date(now))].map((expiresAt) => ({ ...active, expiresAt }));
    const keys = await this.database.reading(caller, (manager) => manager.findBy(ApiKeyRecord, where));
    return [...new Set(keys.flatMap(({ allowedOrigins }) => allowedOrigins))].sort();
  }

  async all(): Promise<Organization[]> {
    const read = this.database.reading(ALL, (manager) => manager.find(OrganizationRecord, { order: { id: 'ASC' } }));
    return (await read).map(fromRow);
  }

  async forgetting(): Promise<Organization[]> {
    const where = { detailsRetentionDays: Not(IsNull()) };
    const read = this.database.reading(ALL, (manager) => manager.find(OrganizationRecord, { where }));
    return (await read).map(fromRow);
  }

  async webhookSecrets(id: string): Promise<WebhookSecrets | undefined> {
    const row = await this.find(id);
    if (!row) return undefined;
    const { webhookSecret, previousWebhookSecret: previous, previousWebhookSecretExpiresAt: end } = row;
    const previousExpiresAt = end?.getTime() ?? null;
    return { current: this.shown(webhookSecret), previous: previous && this.shown(previous), previousExpiresAt };
  }

  async rotateWebhookSecret(id: string, next: { secret: string; previousExpiresAt: number }): Promise<boolean> {
    const change = {
      webhookSecret: this.encryption.encryptToText(next.secret),
      previousWebhookSecret: () => 'webhook_secret',
      previousWebhookSecretExpiresAt: new Date(next.previousExpiresAt),
    };
    const { affected } = await this.changing(id, (organizations) => organizations.update({ id: uuidOf(id) }, change));
    return affected === 1;
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

  /** Versions before did not encrypt these secrets. */
  private shown(secret: string): string {
    return Encryption.isEncrypted(secret) ? this.encryption.decrypt(secret) : secret;
  }
}

/** Without the secret: one that cannot be decrypted keeps nothing else of its organization, nor a list, from being read. */
function fromRow({ id, reference, ...row }: OrganizationRecord): Organization {
  const { name, contact, termsUrl, privacyUrl, refundApproval, detailsRetentionDays } = row;
  const settings = { name, contact, termsUrl, privacyUrl, refundApproval, detailsRetentionDays };
  return Organization.restore(idOf(ORGANIZATION_ID, id), reference, settings);
}

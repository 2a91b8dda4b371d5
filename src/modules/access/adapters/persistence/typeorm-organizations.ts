import { Injectable } from '@nestjs/common';
import { type FindManyOptions, In, IsNull, MoreThan, Not } from 'typeorm';
import { Database } from '../../../../persistence/database.js';
import { Encryption } from '../../../../persistence/encryption/encryption.js';
import { orStale } from '../../../../persistence/retries.js';
import { pageOfRows, scopeOf } from '../../../../persistence/rows.js';
import { type Caller, MODES } from '../../../../shared/caller.js';
import { CallerClock } from '../../../../shared/clock.js';
import { notFound } from '../../../../shared/errors.js';
import { idOf, ORGANIZATION_ID, uuidOf } from '../../../../shared/id.js';
import type { Page, PageRequest } from '../../../../shared/page.js';
import { Organizations } from '../../application/ports.js';
import { Organization } from '../../domain/organization.js';
import { ApiKeyRecord } from './api-key.record.js';
import { OrganizationRecord, PaymentUrlRecord } from './organization.record.js';

/** Operators read those of all. */
const ORGANIZATIONS = { queue: 'organizations' };

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
    const { paymentUrl: _, ...columns } = settings;
    const row = {
      id: uuidOf(id),
      reference,
      webhookSecret: this.encryption.encryptToText(secret),
      ...columns,
    };
    const insert = () => this.database.repository(OrganizationRecord).insert(row);
    await this.database.run({ queue: id }, () => orStale(insert(), 'organizations_reference_key'));
  }

  async storeSettings({ id, settings: { paymentUrl, ...columns } }: Organization): Promise<void> {
    const organizationId = uuidOf(id);
    await this.database.repository(OrganizationRecord).update({ id: organizationId }, columns);
    const urls = this.database.repository(PaymentUrlRecord);
    for (const mode of MODES) {
      const url = paymentUrl[mode];
      await urls.delete({ organizationId, mode });
      if (url !== null) await urls.insert({ organizationId, mode, url });
    }
  }

  async exists(id: string): Promise<boolean> {
    return this.database.reading({ queue: id }, (manager) =>
      manager.existsBy(OrganizationRecord, { id: uuidOf(id) }),
    );
  }

  async byId(id: string, lock?: FindManyOptions['lock']): Promise<Organization> {
    const [found] = await this.find(
      { where: { id: uuidOf(id) }, ...(lock && { lock }) },
      { queue: id },
    );
    if (!found) throw notFound('organization');
    return found;
  }

  async lock(id: string): Promise<Organization> {
    // NO KEY: rows that refer to the organization can be inserted meanwhile.
    return this.byId(id, { mode: 'for_no_key_update' });
  }

  async list(page: Partial<PageRequest>, reference?: string): Promise<Page<Organization>> {
    const listed = { owner: ORGANIZATIONS, where: { reference }, page };
    const rows = await pageOfRows(this.database, OrganizationRecord, listed, (row) => row);
    return { ...rows, items: await this.withUrls(rows.items, ORGANIZATIONS) };
  }

  async origins(caller: Caller): Promise<readonly string[]> {
    const { now } = await this.clock.at(caller);
    const active = { ...scopeOf(caller), revokedAt: IsNull() };
    const where = [IsNull(), MoreThan(new Date(now))].map((expiresAt) => ({
      ...active,
      expiresAt,
    }));
    const keys = await this.database.reading(caller, (manager) =>
      manager.findBy(ApiKeyRecord, where),
    );
    return [...new Set(keys.flatMap(({ origins }) => origins))].sort();
  }

  async forgetting(): Promise<Organization[]> {
    return this.find({ where: { detailsRetentionDays: Not(IsNull()) } });
  }

  async webhookSecrets(id: string, now: number): Promise<readonly string[]> {
    const select = {
      webhookSecret: true,
      previousWebhookSecret: true,
      previousWebhookSecretExpiresAt: true,
    };
    const row = await this.database.reading({ queue: id }, (manager) =>
      manager.findOne(OrganizationRecord, { where: { id: uuidOf(id) }, select }),
    );
    if (!row) throw notFound('organization');
    const {
      webhookSecret,
      previousWebhookSecret: previous,
      previousWebhookSecretExpiresAt: end,
    } = row;
    const isSigning = previous !== null && end !== null && end.getTime() > now;
    // Versions before did not encrypt these secrets.
    return (isSigning ? [webhookSecret, previous] : [webhookSecret]).map((secret) =>
      Encryption.isEncrypted(secret) ? this.encryption.decrypt(secret) : secret,
    );
  }

  async rotateWebhookSecret(
    id: string,
    next: { secret: string; previousExpiresAt: number },
  ): Promise<void> {
    const change = {
      webhookSecret: this.encryption.encryptToText(next.secret),
      previousWebhookSecret: () => 'webhook_secret',
      previousWebhookSecretExpiresAt: new Date(next.previousExpiresAt),
    };
    const rotate = () =>
      this.database.repository(OrganizationRecord).update({ id: uuidOf(id) }, change);
    if ((await this.database.run({ queue: id }, rotate)).affected !== 1)
      throw notFound('organization');
  }

  private async find(
    options: FindManyOptions<OrganizationRecord>,
    owner = ORGANIZATIONS,
  ): Promise<Organization[]> {
    const rows = await this.database.reading(owner, (manager) =>
      manager.find(OrganizationRecord, options),
    );
    return this.withUrls(rows, owner);
  }

  private async withUrls(
    rows: readonly OrganizationRecord[],
    owner: typeof ORGANIZATIONS,
  ): Promise<Organization[]> {
    const urls = await this.database.reading(owner, (manager) =>
      manager.find(PaymentUrlRecord, {
        where: { organizationId: In(rows.map(({ id }) => id)) },
        comment: 'every organization: an operator lists several',
      }),
    );
    return rows.map(({ id, reference, ...settings }) => {
      const own = urls
        .filter(({ organizationId }) => organizationId === id)
        .map(({ mode, url }) => [mode, url]);
      const paymentUrl = { test: null, live: null, ...Object.fromEntries(own) };
      return Organization.restore(idOf(ORGANIZATION_ID, id), reference, {
        ...settings,
        paymentUrl,
      });
    });
  }
}

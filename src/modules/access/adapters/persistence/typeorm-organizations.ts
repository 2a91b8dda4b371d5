import { Injectable } from '@nestjs/common';
import { type FindManyOptions, In, IsNull, MoreThan, Not } from 'typeorm';
import { Database } from '../../../../persistence/database.js';
import { Encryption } from '../../../../persistence/encryption/encryption.js';
import { orStale } from '../../../../persistence/retries.js';
import { pageOfRows, scopeOf } from '../../../../persistence/rows.js';
import type { Transaction } from '../../../../persistence/transaction.js';
import { type Caller, MODES } from '../../../../shared/caller.js';
import { CallerClock } from '../../../../shared/clock.js';
import { notFound } from '../../../../shared/errors.js';
import { idOf, ORGANIZATION_ID, uuidOf } from '../../../../shared/id.js';
import type { Page, PageRequest } from '../../../../shared/page.js';
import type { Work } from '../../../../shared/unit.js';
import { Organizations } from '../../application/ports.js';
import { Organization } from '../../domain/organization.js';
import { ApiKeyRecord } from './api-key.record.js';
import { OrganizationRecord, PaymentUrlRecord } from './organization.record.js';

/** All organizations share one queue, because operators read all of them. */
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

  async add(unit: Work, { id, reference, settings }: Organization, secret: string): Promise<void> {
    const { paymentUrl: _, ...columns } = settings;
    const row = {
      id: uuidOf(id),
      reference,
      webhookSecret: this.encryption.encryptToText(secret),
      ...columns,
    };
    await this.database.inTransaction(unit, ({ manager }) =>
      orStale(manager.insert(OrganizationRecord, row), 'organizations_reference_key'),
    );
  }

  storeSettings(unit: Work, { id, settings: { paymentUrl, ...columns } }: Organization): void {
    const organizationId = uuidOf(id);
    this.database.atCommit(unit, async ({ manager }) => {
      await manager.update(OrganizationRecord, { id: organizationId }, columns);
      for (const mode of MODES) {
        const url = paymentUrl[mode];
        await manager.delete(PaymentUrlRecord, { organizationId, mode });
        if (url !== null) await manager.insert(PaymentUrlRecord, { organizationId, mode, url });
      }
    });
  }

  async exists(caller: Caller): Promise<boolean> {
    return this.database.reading(caller, (manager) =>
      manager.existsBy(OrganizationRecord, { id: uuidOf(caller.organization) }),
    );
  }

  async byId(id: string): Promise<Organization> {
    return one(await this.find({ where: { id: uuidOf(id) } }, { queue: id }));
  }

  /**
   * Reads without a lock: on Citus, a lock on a row of a reference table makes all other writes to
   * the table wait.
   */
  async within(unit: Work, id: string): Promise<Organization> {
    return this.database.inTransaction(unit, async ({ manager }) =>
      one(await found(manager, { where: { id: uuidOf(id) } })),
    );
  }

  async lock(unit: Work, id: string): Promise<Organization> {
    // The lock is FOR NO KEY UPDATE, so that rows that refer to the organization can be inserted
    // meanwhile.
    const lock = { mode: 'for_no_key_update' } as const;
    return this.database.inTransaction(unit, async ({ manager }) =>
      one(await found(manager, { where: { id: uuidOf(id) }, lock })),
    );
  }

  async list(page: Partial<PageRequest>, reference?: string): Promise<Page<Organization>> {
    const listed = { owner: ORGANIZATIONS, where: { reference }, page };
    const rows = await pageOfRows(this.database, OrganizationRecord, listed, (row) => row);
    const items = await this.database.reading(ORGANIZATIONS, (manager) =>
      withUrls(manager, rows.items),
    );
    return { ...rows, items };
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
    // Earlier versions did not encrypt these secrets.
    return (isSigning ? [webhookSecret, previous] : [webhookSecret]).map((secret) =>
      Encryption.isEncrypted(secret) ? this.encryption.decrypt(secret) : secret,
    );
  }

  async rotateWebhookSecret(
    unit: Work,
    id: string,
    next: { secret: string; previousExpiresAt: number },
  ): Promise<void> {
    const change = {
      webhookSecret: this.encryption.encryptToText(next.secret),
      previousWebhookSecret: () => 'webhook_secret',
      previousWebhookSecretExpiresAt: new Date(next.previousExpiresAt),
    };
    await this.database.inTransaction(unit, async ({ manager }) => {
      const { affected } = await manager.update(OrganizationRecord, { id: uuidOf(id) }, change);
      if (affected !== 1) throw notFound('organization');
    });
  }

  private async find(
    options: FindManyOptions<OrganizationRecord>,
    owner = ORGANIZATIONS,
  ): Promise<Organization[]> {
    return this.database.reading(owner, (manager) => found(manager, options));
  }
}

type Manager = Pick<Transaction['manager'], 'find'>;

async function found(
  manager: Manager,
  options: FindManyOptions<OrganizationRecord>,
): Promise<Organization[]> {
  return withUrls(manager, await manager.find(OrganizationRecord, options));
}

async function withUrls(
  manager: Manager,
  rows: readonly OrganizationRecord[],
): Promise<Organization[]> {
  const urls = await manager.find(PaymentUrlRecord, {
    where: { organizationId: In(rows.map(({ id }) => id)) },
    comment: 'every organization: an operator lists several',
  });
  return rows.map(({ id, reference, ...settings }) => {
    const own = urls
      .filter(({ organizationId }) => organizationId === id)
      .map(({ mode, url }) => [mode, url]);
    const paymentUrl = { test: null, live: null, ...Object.fromEntries(own) };
    return Organization.restore(idOf(ORGANIZATION_ID, id), reference, { ...settings, paymentUrl });
  });
}

function one([organization]: readonly Organization[]): Organization {
  if (!organization) throw notFound('organization');
  return organization;
}

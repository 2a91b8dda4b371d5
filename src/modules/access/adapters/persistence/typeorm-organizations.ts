import { Injectable } from '@nestjs/common';
import type { Repository } from 'typeorm';
import { Database } from '../../../../platform/database/database.js';
import type { Caller } from '../../../../shared/caller.js';
import { CallerClock } from '../../../../shared/clock.js';
import { notFound } from '../../../../shared/errors.js';
import { idOf, ORGANIZATION_ID, uuidOf } from '../../../../shared/id.js';
import { Organizations, type WebhookSecrets } from '../../application/ports.js';
import { Organization } from '../../domain/organization.js';
import { OrganizationRecord } from './organization.record.js';

/** Read for each payment page and each delivery attempt, so by prepared statements instead of the Repository. */
const BY_ID = {
  name: 'access.organization',
  text: `SELECT id, name, webhook_secret AS "webhookSecret", contact, terms_url AS "termsUrl", privacy_url AS "privacyUrl"
    FROM organizations WHERE id = $1`,
};
const WEBHOOK_SECRETS = {
  name: 'access.webhook_secrets',
  text: `SELECT webhook_secret AS current, previous_webhook_secret AS previous,
      (extract(epoch FROM previous_webhook_secret_expires_at) * 1000)::bigint AS "previousExpiresAt"
    FROM organizations WHERE id = $1`,
};

const ORIGINS = {
  name: 'access.origins',
  text: `SELECT DISTINCT unnest(allowed_origins) AS origin FROM api_keys
    WHERE organization_id = $1 AND mode = $2 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $3)
    ORDER BY origin`,
};

@Injectable()
export class TypeormOrganizations extends Organizations {
  constructor(
    private readonly database: Database,
    private readonly clock: CallerClock,
  ) {
    super();
  }

  private get repository(): Repository<OrganizationRecord> {
    return this.database.repository(OrganizationRecord);
  }

  async add({ id, name, webhookSecret }: Organization): Promise<void> {
    await this.repository.insert({ id: uuidOf(id), name, webhookSecret });
  }

  async storeDetails({ id, details }: Organization): Promise<void> {
    await this.repository.update({ id: uuidOf(id) }, details);
  }

  async exists(id: string): Promise<boolean> {
    return this.repository.existsBy({ id: uuidOf(id) });
  }

  async byId(id: string): Promise<Organization> {
    const [row] = await this.database.read<OrganizationRecord>({ queue: id }, BY_ID, [uuidOf(id)]);
    if (!row) throw notFound('organization');
    return fromRow(row);
  }

  async origins(caller: Caller): Promise<readonly string[]> {
    const { now } = await this.clock.at(caller);
    const values = [uuidOf(caller.organization), caller.mode, new Date(now)];
    const rows = await this.database.read<{ origin: string }>(caller, ORIGINS, values);
    return rows.map(({ origin }) => origin);
  }

  async all(): Promise<Organization[]> {
    return (await this.repository.find({ order: { id: 'ASC' } })).map(fromRow);
  }

  async webhookSecrets(id: string): Promise<WebhookSecrets | undefined> {
    const [secrets] = await this.database.read<WebhookSecrets>({ queue: id }, WEBHOOK_SECRETS, [uuidOf(id)]);
    return secrets;
  }

  async rotateWebhookSecret(id: string, next: { secret: string; previousExpiresAt: number }): Promise<boolean> {
    const { affected } = await this.repository.update(
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

function fromRow({ id, name, webhookSecret, contact, termsUrl, privacyUrl }: OrganizationRecord): Organization {
  return Organization.restore(idOf(ORGANIZATION_ID, id), name, webhookSecret, { contact, termsUrl, privacyUrl });
}

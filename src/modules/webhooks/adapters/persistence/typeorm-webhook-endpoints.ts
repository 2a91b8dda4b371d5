import { Injectable } from '@nestjs/common';
import { In, IsNull } from 'typeorm';
import { Database } from '../../../../persistence/database.js';
import { Encryption } from '../../../../persistence/encryption/encryption.js';
import { orStale } from '../../../../persistence/retries.js';
import { pageOfRows, scopeOf } from '../../../../persistence/rows.js';
import { Units } from '../../../../persistence/units.js';
import { type Caller, MODES } from '../../../../shared/caller.js';
import { notFound } from '../../../../shared/errors.js';
import { idOf, NO_ORGANIZATION, uuidOf } from '../../../../shared/id.js';
import type { Page, PageRequest } from '../../../../shared/page.js';
import type { Unit } from '../../../../shared/unit.js';
import { type ClaimedEndpoint, WebhookEndpoints } from '../../application/ports.js';
import { storedReceiver } from '../../domain/receiver.js';
import {
  type EndpointHealth,
  WEBHOOK_ENDPOINT_ID,
  type WebhookEndpoint,
} from '../../domain/webhook-endpoint.js';
import { LedgerWebhookEndpointRecord, WebhookEndpointRecord } from './webhook-endpoint.record.js';

const PLACES = ['webhook_endpoints_place_key', 'ledger_webhook_endpoints_place_key'];

@Injectable()
export class TypeormWebhookEndpoints extends WebhookEndpoints {
  constructor(
    private readonly database: Database,
    private readonly units: Units,
    private readonly encryption: Encryption,
  ) {
    super();
  }

  async all(caller: Caller): Promise<WebhookEndpoint[]> {
    const options = { where: ownedBy(caller), order: { id: 'DESC' } } as const;
    const rows = await this.database.reading(caller, (manager) =>
      manager.find(recordOf(caller), options),
    );
    return rows.map(fromRow);
  }

  async list(caller: Caller, page: PageRequest): Promise<Page<WebhookEndpoint>> {
    const owner = isLedger(caller) ? { mode: caller.mode } : caller;
    return pageOfRows(this.database, recordOf(caller), { owner, where: {}, page }, fromRow);
  }

  async get(caller: Caller, id: string): Promise<WebhookEndpoint> {
    const modes = isLedger(caller) ? [caller.mode] : MODES;
    const key = { ...one(caller, id), mode: In(modes) };
    const rows = await this.database.reading(caller, (manager) =>
      manager.findBy(recordOf(caller), key),
    );
    const row = rows.find(({ mode }) => mode === caller.mode) ?? rows[0];
    if (!row) throw notFound('id');
    return fromRow(row);
  }

  async lock(unit: Unit, id: string): Promise<WebhookEndpoint> {
    const options = { where: one(unit, id), lock: { mode: 'pessimistic_write' } } as const;
    const row = await this.database.inTransaction(unit, ({ manager }) =>
      manager.findOne(recordOf(unit), options),
    );
    if (!row) throw notFound('id');
    return fromRow(row);
  }

  add(unit: Unit, endpoint: WebhookEndpoint, secret: string): void {
    const receiver = storedReceiver(endpoint.url, isLedger(unit));
    const row = {
      ...endpoint,
      ...one(unit, endpoint.id),
      receiver,
      secret: this.encryption.encrypt(secret),
    };
    const values = { ...row, failingSince: null } as WebhookEndpointRecord;
    this.database.atCommit(unit, ({ manager }) =>
      orStale(manager.insert(recordOf(unit), values), ...PLACES),
    );
  }

  change(unit: Unit, { id, failingSince, ...endpoint }: WebhookEndpoint): void {
    const { url, events, enabled, description, disabledReason } = endpoint;
    const receiver = storedReceiver(url, isLedger(unit));
    const values = {
      url,
      receiver,
      events,
      enabled,
      description,
      disabledReason,
      failingSince: toDate(failingSince),
    };
    this.database.atCommit(unit, ({ manager }) =>
      manager.update(recordOf(unit), one(unit, id), values),
    );
  }

  rotateSecret(unit: Unit, id: string, secret: string, previousExpiresAt: number): void {
    const change = {
      secret: this.encryption.encrypt(secret),
      previousSecret: () => 'secret',
      previousSecretExpiresAt: new Date(previousExpiresAt),
    };
    this.database.atCommit(unit, ({ manager }) =>
      manager.update(recordOf(unit), one(unit, id), change),
    );
  }

  remove(unit: Unit, id: string): void {
    this.database.atCommit(unit, ({ manager }) => manager.delete(recordOf(unit), one(unit, id)));
  }

  /** Stores the health only if the row is still as the claim found it. */
  async recordHealth(
    owner: Caller,
    { id, ...found }: ClaimedEndpoint,
    health: EndpointHealth,
  ): Promise<void> {
    const { disabledReason } = health;
    const where = {
      ...one(owner, id),
      enabled: true,
      failingSince: toDate(found.failingSince) ?? IsNull(),
    };
    const change = {
      failingSince: toDate(health.failingSince),
      enabled: disabledReason === null,
      disabledReason,
    };
    await this.units.commit(owner, async (unit) => {
      this.database.atCommit(unit, ({ manager }) => manager.update(recordOf(owner), where, change));
    });
  }

  async secretsOf(caller: Caller, id: string, now: number): Promise<readonly string[]> {
    const row = await this.database.reading(caller, (manager) =>
      manager.findOneBy(recordOf(caller), one(caller, id)),
    );
    if (!row) throw notFound('id');
    const { secret, previousSecret: previous, previousSecretExpiresAt: end } = row;
    return activeSecrets(
      this.encryption,
      { secret, previous, previousExpiresAt: end?.getTime() ?? null },
      now,
    );
  }
}

const isLedger = ({ organization }: Caller) => organization === NO_ORGANIZATION;
/**
 * Chooses the record of the caller. Both records have the same columns, except the organization.
 */
const recordOf = (caller: Caller) =>
  (isLedger(caller)
    ? LedgerWebhookEndpointRecord
    : WebhookEndpointRecord) as typeof WebhookEndpointRecord;
const ownedBy = (caller: Caller) => (isLedger(caller) ? { mode: caller.mode } : scopeOf(caller));
const toDate = (instant: number | null) => (instant === null ? null : new Date(instant));
const one = (caller: Caller, id: string) => ({ ...ownedBy(caller), id: uuidOf(id) });

export interface SealedSecrets {
  readonly secret: Buffer;
  readonly previous: Buffer | null;
  readonly previousExpiresAt: number | null;
}

export function activeSecrets(
  encryption: Encryption,
  { secret, previous, previousExpiresAt }: SealedSecrets,
  now: number,
): readonly string[] {
  const overlaps = previous !== null && previousExpiresAt !== null && previousExpiresAt > now;
  return [secret, ...(overlaps ? [previous] : [])].map((sealed) => encryption.decrypt(sealed));
}

function fromRow({ id, failingSince, ...row }: WebhookEndpointRecord): WebhookEndpoint {
  const { mode, place, url, events, enabled, description, disabledReason } = row;
  const endpoint = { mode, place, url, events, enabled, description, disabledReason };
  return {
    ...endpoint,
    id: idOf(WEBHOOK_ENDPOINT_ID, id),
    failingSince: failingSince?.getTime() ?? null,
  };
}

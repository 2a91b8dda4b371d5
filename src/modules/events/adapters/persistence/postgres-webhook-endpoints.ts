import { Injectable } from '@nestjs/common';
import { Encryption } from '../../../../encryption/encryption.js';
import { selectionOf } from '../../../../platform/database/columns.js';
import { Database } from '../../../../platform/database/database.js';
import { insertInto } from '../../../../platform/database/form.js';
import { hot, type Part, type Statement } from '../../../../platform/database/statement.js';
import { type Caller, MODES } from '../../../../shared/caller.js';
import { notFound } from '../../../../shared/errors.js';
import { idOf, NO_ORGANIZATION, uuidOf } from '../../../../shared/id.js';
import { type Page, type PageRequest, pageOf } from '../../../../shared/page.js';
import { type ClaimedEndpoint, WebhookEndpoints } from '../../application/ports.js';
import { storedReceiver } from '../../domain/receiver.js';
import { type EndpointHealth, WEBHOOK_ENDPOINT_ID, WebhookEndpoint } from '../../domain/webhook-endpoint.js';
import { LedgerWebhookEndpointRecord, WebhookEndpointRecord } from './webhook-endpoint.record.js';

const STATE = ['id', 'mode', 'place', 'url', 'events', 'enabled', 'description', 'disabledReason'] as const;
const COLUMNS = selectionOf(WebhookEndpointRecord, {}, STATE);

export const SECRETS = `secret, previous_secret AS previous,
  (extract(epoch FROM previous_secret_expires_at) * 1000)::bigint AS "previousExpiresAt"`;

/** The organization, if any, is the last value. */
function statementsOn(table: string, scope: (last: number) => string) {
  const named = (name: string, text: string) => ({ name: `webhooks.${name}_in_${table}`, text });
  const one = (last: number) => `mode = $1 AND id = $2 ${scope(last)}`;
  return {
    all: named('all', `SELECT ${COLUMNS} FROM ${table} WHERE mode = $1 ${scope(2)} ORDER BY id DESC`),
    lock: named('lock', `SELECT ${COLUMNS} FROM ${table} WHERE ${one(3)} FOR UPDATE`),
    secrets: named('secrets', `SELECT ${SECRETS} FROM ${table} WHERE ${one(3)}`),
    // A new URL, or an endpoint that is enabled again, starts without failures.
    change: named(
      'change',
      `UPDATE ${table} SET url = $3, receiver = $4, events = $5, enabled = $6, description = $7, disabled_reason = $8,
        failing_since = CASE WHEN url = $3 AND enabled THEN failing_since END WHERE ${one(9)}`,
    ),
    rotate: named(
      'rotate',
      `UPDATE ${table} SET secret = $3, previous_secret = secret, previous_secret_expires_at = $4 WHERE ${one(5)}`,
    ),
    // Only if the row is still as the claim found it.
    recordHealth: named(
      'record_health',
      `UPDATE ${table} SET failing_since = $3, enabled = $4::text IS NULL, disabled_reason = $4
        WHERE enabled AND failing_since IS NOT DISTINCT FROM $5 AND ${one(6)}`,
    ),
    remove: named('remove', `DELETE FROM ${table} WHERE ${one(3)}`),
  };
}

const OF_ORGANIZATION = {
  ...statementsOn('webhook_endpoints', (last) => `AND organization_id = $${last}`),
  insert: insertInto('new_endpoint', WebhookEndpointRecord),
  places: 'webhook_endpoints_place_key',
};
const OF_LEDGER = {
  ...statementsOn('ledger_webhook_endpoints', () => ''),
  insert: insertInto('new_ledger_endpoint', LedgerWebhookEndpointRecord),
  places: 'ledger_webhook_endpoints_place_key',
};
const isLedger = ({ organization }: Caller) => organization === NO_ORGANIZATION;
const statementsFor = (caller: Caller) => (isLedger(caller) ? OF_LEDGER : OF_ORGANIZATION);

@Injectable()
export class PostgresWebhookEndpoints extends WebhookEndpoints {
  constructor(
    private readonly database: Database,
    private readonly encryption: Encryption,
  ) {
    super();
  }

  async all(caller: Caller): Promise<WebhookEndpoint[]> {
    return (await this.database.read<Row>(caller, statementsFor(caller).all, valuesOf(caller))).map(fromRow);
  }

  async list(caller: Caller, { cursor, limit }: PageRequest): Promise<Page<WebhookEndpoint>> {
    const all = await this.all(caller);
    return pageOf(
      all.filter(({ state }) => cursor === undefined || state.id < cursor),
      limit,
    );
  }

  async get(caller: Caller, id: string): Promise<WebhookEndpoint> {
    for (const mode of isLedger(caller) ? [caller.mode] : MODES) {
      const found = (await this.all({ ...caller, mode })).find(({ state }) => state.id === id);
      if (found) return found;
    }
    throw notFound('id');
  }

  async lock(caller: Caller, id: string): Promise<WebhookEndpoint> {
    const { lock } = statementsFor(caller);
    const [row] = await this.database.query<Row>(lock, valuesOf(caller, uuidOf(id)));
    if (!row) throw notFound('id');
    return fromRow(row);
  }

  add(caller: Caller, { state }: WebhookEndpoint, secret: string): Part {
    const { insert, places } = statementsFor(caller);
    const row = {
      ...state,
      organizationId: uuidOf(caller.organization),
      id: uuidOf(state.id),
      receiver: storedReceiver(state.url, isLedger(caller)),
      failingSince: null,
      secret: this.encryption.encrypt(secret),
      previousSecret: null,
      previousSecretExpiresAt: null,
    };
    return hot(caller, insert, row, { stale: [places] });
  }

  change(caller: Caller, { state }: WebhookEndpoint): Part {
    const { id, url, events, enabled, description, disabledReason } = state;
    const receiver = storedReceiver(url, isLedger(caller));
    const { change } = statementsFor(caller);
    return one(caller, change, id, url, receiver, events, enabled, description, disabledReason);
  }

  rotateSecret(caller: Caller, id: string, secret: string, previousExpiresAt: number): Part {
    const sealed = this.encryption.encrypt(secret);
    return one(caller, statementsFor(caller).rotate, id, sealed, new Date(previousExpiresAt));
  }

  remove(caller: Caller, id: string): Part {
    return one(caller, statementsFor(caller).remove, id);
  }

  async recordHealth(owner: Caller, { id, failingSince }: ClaimedEndpoint, health: EndpointHealth): Promise<void> {
    const instants = [health.failingSince, failingSince].map((instant) => instant && new Date(instant));
    const values = valuesOf(owner, uuidOf(id), instants[0], health.disabledReason, instants[1]);
    await this.database.autocommit(owner, statementsFor(owner).recordHealth, values);
  }

  async secretsOf(caller: Caller, id: string, now: number): Promise<readonly string[]> {
    const { secrets } = statementsFor(caller);
    const [sealed] = await this.database.read<SealedSecrets>(caller, secrets, valuesOf(caller, uuidOf(id)));
    if (!sealed) throw notFound('id');
    return activeSecrets(this.encryption, sealed, now);
  }
}

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

function valuesOf(caller: Caller, ...values: readonly unknown[]): unknown[] {
  return [caller.mode, ...values, ...(isLedger(caller) ? [] : [uuidOf(caller.organization)])];
}

function one(owner: Caller, { name, text }: Statement, id: string, ...values: readonly unknown[]): Part {
  return { name, owner, sql: text, values: valuesOf(owner, uuidOf(id), ...values), rows: 1 };
}

type Row = Pick<WebhookEndpointRecord, (typeof STATE)[number]>;

function fromRow(row: Row): WebhookEndpoint {
  return WebhookEndpoint.restore({ ...row, id: idOf(WEBHOOK_ENDPOINT_ID, row.id) });
}

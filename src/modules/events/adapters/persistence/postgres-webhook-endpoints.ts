import { Injectable } from '@nestjs/common';
import { Encryption } from '../../../../encryption/encryption.js';
import { insertInto, selectionOf } from '../../../../platform/database/columns.js';
import { Database } from '../../../../platform/database/database.js';
import type { Part } from '../../../../platform/database/statement.js';
import { type Caller, MODES } from '../../../../shared/caller.js';
import { notFound } from '../../../../shared/errors.js';
import { FIRST_UUID, idOf, NO_ORGANIZATION, uuidOf } from '../../../../shared/id.js';
import { WebhookEndpoints } from '../../application/ports.js';
import { storedReceiver } from '../../domain/receiver.js';
import { WEBHOOK_ENDPOINT_ID, WebhookEndpoint } from '../../domain/webhook-endpoint.js';
import { activeSecrets, SECRETS, type SealedSecrets } from './endpoint-secrets.js';
import { LedgerWebhookEndpointRecord } from './ledger-webhook-endpoint.record.js';
import { WebhookEndpointRecord } from './webhook-endpoint.record.js';

const STATE = ['id', 'mode', 'place', 'url', 'events', 'enabled', 'description', 'disabledReason'] as const;
const COLUMNS = selectionOf(WebhookEndpointRecord, {}, STATE);

function statementsOn(table: string, scope: string) {
  const named = (name: string, text: string) => ({ name: `webhooks.${name}_in_${table}`, text });
  const one = `${scope} AND id = $3`;
  return {
    all: named('all', `SELECT ${COLUMNS} FROM ${table} WHERE ${scope} ORDER BY id DESC`),
    lock: named('lock', `SELECT ${COLUMNS} FROM ${table} WHERE ${one} FOR UPDATE`),
    secrets: named('secrets', `SELECT ${SECRETS} FROM ${table} WHERE ${one}`),
    // A new URL, or an endpoint that is enabled again, starts without failures.
    change: named(
      'change',
      `UPDATE ${table} SET url = $4, receiver = $5, events = $6, enabled = $7, description = $8, disabled_reason = $9,
        failing_since = CASE WHEN url = $4 AND enabled THEN failing_since END WHERE ${one}`,
    ),
    rotate: named(
      'rotate',
      `UPDATE ${table} SET secret = $4, previous_secret = secret, previous_secret_expires_at = $5 WHERE ${one}`,
    ),
    remove: named('remove', `DELETE FROM ${table} WHERE ${one}`),
  };
}

const OF_ORGANIZATION = {
  ...statementsOn('webhook_endpoints', 'organization_id = $1 AND mode = $2'),
  insert: insertInto('webhooks.add', WebhookEndpointRecord),
  places: 'webhook_endpoints_place_key',
};
const OF_LEDGER = {
  ...statementsOn('ledger_webhook_endpoints', `$1::uuid = '${FIRST_UUID}' AND mode = $2`),
  insert: insertInto('webhooks.add_for_ledger', LedgerWebhookEndpointRecord),
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
    const values = [uuidOf(caller.organization), caller.mode];
    return (await this.database.read<Row>(statementsFor(caller).all, values)).map(fromRow);
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
    const [row] = await this.database.query<Row>(lock, keyOf(caller, id));
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
    return { ...insert(row), stale: [places] };
  }

  change(caller: Caller, { state }: WebhookEndpoint): Part {
    const { id, url, events, enabled, description, disabledReason } = state;
    const receiver = storedReceiver(url, isLedger(caller));
    const { change } = statementsFor(caller);
    return one(change, [...keyOf(caller, id), url, receiver, events, enabled, description, disabledReason]);
  }

  rotateSecret(caller: Caller, id: string, secret: string, previousExpiresAt: number): Part {
    const values = [...keyOf(caller, id), this.encryption.encrypt(secret), new Date(previousExpiresAt)];
    return one(statementsFor(caller).rotate, values);
  }

  remove(caller: Caller, id: string): Part {
    return one(statementsFor(caller).remove, keyOf(caller, id));
  }

  async secretsOf(caller: Caller, id: string, now: number): Promise<readonly string[]> {
    const [sealed] = await this.database.read<SealedSecrets>(statementsFor(caller).secrets, keyOf(caller, id));
    if (!sealed) throw notFound('id');
    return activeSecrets(this.encryption, sealed, now);
  }
}

function keyOf({ organization, mode }: Caller, id: string): unknown[] {
  return [uuidOf(organization), mode, uuidOf(id)];
}

function one({ name, text }: { name: string; text: string }, values: readonly unknown[]): Part {
  return { name, sql: text, values, rows: 1 };
}

type Row = Pick<WebhookEndpointRecord, (typeof STATE)[number]>;

function fromRow(row: Row): WebhookEndpoint {
  return WebhookEndpoint.restore({ ...row, id: idOf(WEBHOOK_ENDPOINT_ID, row.id) });
}

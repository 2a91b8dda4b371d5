/**
 * The operator's API names every fault of its input, and makes no key that can do more than its
 * own.
 */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { TillgateOperator } from '../../client/src/operator.js';
import { ManageApiKeys } from '../../src/modules/access/index.js';
import { useService } from '../kit/setup.js';
import { describedFetch, get, post, type Reply } from '../support/client.js';
import { expectError, expectInvalid } from '../support/envelope.js';
import { createLedgerKey, createOperatorKey } from '../support/tenants.js';

const ORGANIZATIONS = '/operator/v1/organizations';
const UNKNOWN = 'org_01kaf3v7q4e8yt5w6z9x2c1b0n';
const TEMPLATE = 'https://pay.example/{CHECKOUT_SESSION_ID}';
const lines: Record<string, unknown>[] = [];
const log = pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line)) });

const service = useService({
  log,
  config: { logRequests: 'errors', publicUrl: 'https://pay.example' },
});
let key: string;
let operator: TillgateOperator;

beforeAll(async () => {
  key = await createOperatorKey(service);
  operator = new TillgateOperator({ baseUrl: service.url, key, fetch: describedFetch });
});

const write = (
  path: string,
  body?: object,
  idempotencyKey?: string,
  { url } = service,
): Promise<Reply> =>
  post(url + path, { key, body, ...(idempotencyKey !== undefined && { idempotencyKey }) });
const count = async (table: string) =>
  (await service.sql.query(`SELECT count(*)::int FROM ${table}`)).rows[0].count;

test.each(['🦊'.repeat(100), 'x'.repeat(100), 'José', 'Jose\u0301', 'Ana  María'])(
  'keeps the holder %j as it was given',
  async (holder) => {
    const { id } = await operator.organizations.create({ name: 'Good' });
    const made = (await write(`${ORGANIZATIONS}/${id}/api_keys`, { mode: 'test', holder })).body;
    const { data } = (await get(`${service.url}${ORGANIZATIONS}/${id}/api_keys`, { key })).body;
    expect([made.holder, data[0].holder]).toEqual([holder, holder]);
  },
);

describe('input that is refused', () => {
  const KEYS = `${ORGANIZATIONS}/{id}/api_keys`;
  const ROWS: [
    path: string,
    body: object,
    ...faults: [param: string, code: string, allowed?: string[]][],
  ][] = [
    [
      ORGANIZATIONS,
      { name: '\u200b', reference: ' x' },
      ['name', 'invalid_format'],
      ['reference', 'invalid_format'],
    ],
    [
      ORGANIZATIONS,
      { name: 'x'.repeat(256), reference: 'x'.repeat(256) },
      ['name', 'too_long'],
      ['reference', 'too_long'],
    ],
    [ORGANIZATIONS, { name: 'x', webhook_secret: 'x' }, ['webhook_secret', 'unknown_field']],
    [`${ORGANIZATIONS}/{id}`, { contact: 'x', name: 'Taken' }, ['contact', 'invalid_format']],
    [`${ORGANIZATIONS}/{id}`, { contact: 'a b@a.example' }, ['contact', 'invalid_format']],
    [`${ORGANIZATIONS}/{id}`, { contact: 'http://a.example/@b' }, ['contact', 'invalid_format']],
    [
      `${ORGANIZATIONS}/{id}`,
      { privacy_url: 'https://a@b.example' },
      ['privacy_url', 'invalid_format'],
    ],
    [`${ORGANIZATIONS}/{id}`, { name: null }, ['name', 'invalid_type']],
    [`${ORGANIZATIONS}/{id}`, { refund_approval: null }, ['refund_approval', 'invalid_type']],
    [`${ORGANIZATIONS}/{id}`, { payment_url: null }, ['payment_url', 'invalid_type']],
    [
      `${ORGANIZATIONS}/{id}`,
      { payment_url: { prod: TEMPLATE } },
      ['payment_url.prod', 'unknown_field'],
    ],
    [
      `${ORGANIZATIONS}/{id}`,
      { name: 'Taken', payment_url: { test: TEMPLATE, live: TEMPLATE.replace('https', 'http') } },
      ['payment_url.live', 'invalid_format'],
    ],
    [
      `${ORGANIZATIONS}/{id}`,
      { refund_approval: 'some' },
      ['refund_approval', 'invalid_value', ['keys', 'all']],
    ],
    [
      `${ORGANIZATIONS}/{id}`,
      { details_retention_days: 0 },
      ['details_retention_days', 'too_small'],
    ],
    [
      `${ORGANIZATIONS}/{id}`,
      { details_retention_days: 3651 },
      ['details_retention_days', 'too_large'],
    ],
    [KEYS, {}, ['mode', 'required', ['test', 'live']]],
    [KEYS, { mode: 'test', kind: 'operator' }, ['kind', 'invalid_value', ['secret', 'restricted']]],
    [KEYS, { mode: 'test', rights: ['approve'] }, ['rights', 'invalid_value']],
    [
      KEYS,
      { mode: 'test', kind: 'restricted', rights: ['all'] },
      ['rights[0]', 'invalid_value', ['sessions', 'propose', 'approve']],
    ],
    [KEYS, { mode: 'test', holder: '' }, ['holder', 'too_short']],
    [KEYS, { mode: 'test', holder: 'x'.repeat(101) }, ['holder', 'too_long']],
    [KEYS, { mode: 'test', holder: '🦊'.repeat(101) }, ['holder', 'too_long']],
    [KEYS, { mode: 'test', holder: 'Ana ' }, ['holder', 'invalid_format']],
    [KEYS, { mode: 'test', holder: 'Ana\u{1d159}' }, ['holder', 'invalid_format']],
    [KEYS, { mode: 'test', holder: '\u00a0Ana' }, ['holder', 'invalid_format']],
    [KEYS, { mode: 'test', holder: 'A\u200bna' }, ['holder', 'invalid_format']],
    [KEYS, { mode: 'test', holder: 'Ana\nBen' }, ['holder', 'invalid_format']],
    [KEYS, { mode: 'test', origins: ['https://a.example', '*'] }, ['origins[1]', 'invalid_format']],
    [KEYS, { mode: 'test', expires_at: 1_700_000_000 }, ['expires_at', 'too_small']],
    [
      `${ORGANIZATIONS}/{id}/webhook_secret/rotate`,
      { overlap_seconds: 604_801 },
      ['overlap_seconds', 'too_large'],
    ],
  ];

  test.each(ROWS)('refuses at %s the body %j', async (path, body, ...faults) => {
    const { id } = await operator.organizations.create({ name: 'Good' });
    const unchanged = await operator.organizations.retrieve(id);
    const counts = () => Promise.all(['organizations', 'api_keys', 'idempotency_keys'].map(count));
    const before = await counts();
    expectInvalid(await write(path.replace('{id}', id), body), ...faults);
    expect(await counts()).toEqual(before);
    expect(await operator.organizations.retrieve(id)).toEqual(unchanged);
  });

  test('finds no keys and no secret of an organization that does not exist', async () => {
    const nextStep = { type: 'list_resources', path: ORGANIZATIONS, method: 'GET' };
    const missing = {
      status: 404,
      code: 'not_found',
      errors: [['id', 'invalid_value']],
      nextStep,
    } as const;
    const path = `${ORGANIZATIONS}/${UNKNOWN}`;
    for (const rest of ['', '/api_keys'])
      expectError(await get(service.url + path + rest, { key }), missing);
    for (const [rest, body] of Object.entries({
      '': {},
      '/api_keys': { mode: 'test' },
      '/webhook_secret/rotate': {},
    }))
      expectError(await write(path + rest, body), missing);
  });

  test('finds no key of a ledger or an operator, so that no key can make a mightier one', async () => {
    await createLedgerKey(service);
    const { items: keys } = await service.application.get(ManageApiKeys).list(null);
    expect(new Set(keys.map(({ state }) => state.kind))).toEqual(new Set(['operator', 'ledger']));
    for (const { state } of keys) {
      for (const action of ['rotate', 'revoke']) {
        const reply = await write(`/operator/v1/api_keys/${state.id}/${action}`);
        expectError(reply, { status: 404, code: 'not_found', errors: [['id', 'invalid_value']] });
      }
    }
  });
});

/**
 * A request that has every fault gets the error of the first check. Each corrected fault leads to
 * the error of the next check.
 */
import { beforeAll, expect, test } from '@jest/globals';
import { useService } from '../kit/setup.js';
import { get, type Reply, send } from '../support/client.js';
import { TestClock } from '../support/clock.js';
import { Shop } from '../support/shop.js';
import { createKey } from '../support/tenants.js';

const SHOP = 'https://shop.example';
const UNKNOWN_PAYMENT = 'pay_test_01jd0000000000000000000000';
const MAX_BODY_BYTES = 256 * 1024;

const STEPS = [
  ['method', 405, 'method_not_allowed', 'method'],
  ['authentication', 401, 'invalid_api_key', 'Authorization'],
  ['origin', 403, 'origin_not_allowed', 'Origin'],
  ['right', 403, 'right_missing', 'Authorization'],
  ['rate limit', 429, 'rate_limited', ''],
  ['media type', 415, 'unsupported_media_type', 'Content-Type'],
  ['size', 413, 'payload_too_large', 'body'],
  ['idempotency header', 400, 'invalid_param', 'Idempotency-Key'],
  ['body', 400, 'invalid_param', 'amount'],
  ['claim', 422, 'idempotency_key_reused', 'Idempotency-Key'],
  ['existence', 404, 'not_found', 'payment'],
  ['business rule', 422, 'refund_exceeds_remaining', 'amount'],
  ['nothing more', 201, undefined, undefined],
] as const;

const clock = new TestClock();
const service = useService({ clock, config: { rateLimitRps: 1 } });
let key: string;
let restricted: string;
let payment: string;

beforeAll(async () => {
  const shop = await Shop.open(service);
  key = await createKey(service, { organization: shop.organization, allowedOrigins: [SHOP] });
  restricted = await createKey(service, {
    organization: shop.organization,
    allowedOrigins: [SHOP],
    rights: [],
  });
  payment = await shop.capture();
  const body = { payment, amount: 1 };
  await send('POST', `${service.url}/v1/refunds`, { key, idempotencyKey: 'taken', body });
});

/** Proposes a refund that has these faults and no others. */
async function propose(faults: ReadonlySet<string>): Promise<Reply> {
  clock.advance(1000);
  if (faults.has('rate limit')) await get(`${service.url}/v1/checkout_sessions`, { key });
  const headers: Record<string, string> = {
    origin: faults.has('origin') ? 'https://evil.example' : SHOP,
  };
  if (faults.has('media type')) headers['content-type'] = 'text/plain';
  if (!faults.has('idempotency header'))
    headers['idempotency-key'] = faults.has('claim') ? 'taken' : crypto.randomUUID();
  const proposal = {
    payment: faults.has('existence') ? UNKNOWN_PAYMENT : payment,
    amount: faults.has('body') ? '9000' : faults.has('business rule') ? 9000 : 2,
  };
  const text = JSON.stringify(proposal);
  return send(faults.has('method') ? 'PATCH' : 'POST', `${service.url}/v1/refunds`, {
    key: faults.has('authentication') ? 'sk_test_wrong' : faults.has('right') ? restricted : key,
    headers,
    body: faults.has('size') ? text.padEnd(MAX_BODY_BYTES + 1) : text,
  });
}

test.each(STEPS.map((step, at) => [at, ...step] as const))(
  'step %d fails the check of %s',
  async (at, _, status, code, param) => {
    const faults = new Set(STEPS.slice(at).map(([name]) => name));
    const reply = await propose(faults);
    expect([reply.status, reply.body.error?.code, reply.body.error?.param]).toEqual([
      status,
      code,
      param,
    ]);
  },
);

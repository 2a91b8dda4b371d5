/**
 * A worker for the drill. `node drilled-worker.js <fault>` has one of the faults that cost money; without a fault it is right.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

const { TILLGATE_URL, TILLGATE_LEDGER_KEY, PROVIDER_URL } = process.env;
const [, , fault] = process.argv;
const HOUR = 3600;
const PAUSE_MS = 100;
const TIMEOUT_MS = 15_000;
const UNKNOWN = { status: 'unknown' };

async function request(url, method, headers, body) {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(url, { method, headers, signal, ...(body && { body: JSON.stringify(body) }) });
  return { status: response.status, body: await response.json() };
}

/** Again until it is answered. */
async function tillgate(path, body, method = 'POST') {
  const headers = { authorization: `Bearer ${TILLGATE_LEDGER_KEY}`, 'content-type': 'application/json' };
  for (;;) {
    const answer = await request(`${TILLGATE_URL}/ledger/v1/refunds/${path}`, method, headers, body).catch(
      () => undefined,
    );
    if (answer && answer.status < 500) return answer;
    await sleep(PAUSE_MS);
  }
}

async function find(refund) {
  const { status, body } = await request(`${PROVIDER_URL}/refunds?refund=${refund}`, 'GET', {});
  return status === 200 ? body.data.at(-1) : UNKNOWN;
}

async function pay({ id: refund, amount, currency }) {
  const headers = { 'idempotency-key': fault === 'new-key' ? randomUUID() : refund };
  const { status, body } = await request(`${PROVIDER_URL}/refunds`, 'POST', headers, { refund, amount, currency });
  if (status === 200) return body;
  return status === 402 ? { status: 'failed', failure_reason: body.error } : { status: 'not taken' };
}

/** What is known of the refund's payout, now that it was looked for or paid. */
async function payoutOf(refund) {
  const isNew = refund.claim.number === 1 || ['pays-again', 'new-key'].includes(fault);
  if (fault === 'new-key') return (await pay(refund).catch(() => undefined)) ?? pay(refund);
  return (isNew ? undefined : await find(refund.id)) ?? pay(refund);
}

async function report({ id, claim: { number: claim } }, { id: provider_reference, status, failure_reason }) {
  const said = { claim, ...(provider_reference && { provider_reference }) };
  if (status === 'succeeded') return tillgate(`${id}/succeed`, said);
  if (status === 'failed' || status === 'returned')
    return tillgate(`${id}/fail`, { ...said, reason: failure_reason ?? status });
  if (status === 'pending') return tillgate(`${id}/extend`, { ...said, lease_seconds: 6 * HOUR });
  if (status === 'not taken') return tillgate(`${id}/release`, { claim, delay_seconds: 60 });
  return undefined;
}

async function settle(refund) {
  if (fault === 'never-looks' && refund.provider_reference !== null) return;
  const lost = fault === 'fails-on-timeout' ? { status: 'failed', failure_reason: 'timeout' } : UNKNOWN;
  const payout = await payoutOf(refund).catch(() => lost);
  const answer = await report(refund, payout);
  if (fault !== 'ignores-number' || answer?.body.error?.code !== 'refund_claimed') return;
  const { body } = await tillgate(refund.id, undefined, 'GET');
  if (body.claim) await report(body, payout);
}

async function reportReturns() {
  const { body } = await request(`${PROVIDER_URL}/refunds?status=returned`, 'GET', {});
  for (const { refund } of body.data ?? []) await tillgate(`${refund}/return`, {});
}

for (;;) {
  const { body } = await tillgate('claim', { limit: 1, lease_seconds: 60 });
  for (const refund of body.data) await settle(refund);
  await reportReturns().catch(() => undefined);
  if (body.data.length === 0) await sleep(PAUSE_MS);
}

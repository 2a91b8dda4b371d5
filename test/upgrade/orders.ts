/** Orders of a shop and its ledger, as clients of the services that are upgraded. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { openAccount, Server } from '../support/processes.js';

const CLIENTS = 8;

interface Phase {
  requests: number;
  longest: number;
  readonly failures: string[];
}

const print = (line: string) => console.log(line);

export type Account = Awaited<ReturnType<typeof openAccount>>;

/** Makes one order of a shop and its ledger, each request at any of the services. */
async function order(
  services: readonly Server[],
  { organization, key: secret, ledgerKey: ledger }: Account,
  phase: Phase,
): Promise<void> {
  const send = async (method: string, path: string, key: string, body?: object) => {
    const { url } = services[Math.floor(Math.random() * services.length)] as Server;
    const started = performance.now();
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const keyed = body ? { ...headers, 'idempotency-key': randomUUID() } : headers;
    const init = { method, headers: keyed, ...(body && { body: JSON.stringify(body) }) };
    const answer = await fetch(url + path, init).catch((error: Error) => error);
    const answered = answer instanceof Error ? { error: answer.message } : await answer.json();
    phase.requests += 1;
    phase.longest = Math.max(phase.longest, performance.now() - started);
    if (answer instanceof Error || !answer.ok) {
      phase.failures.push(`${method} ${path}: ${JSON.stringify(answered).slice(0, 300)}`);
      throw new Error('The rest of the order is left out.');
    }
    return answered as { id: string; data: readonly { id: string; claim: { number: number } }[] };
  };
  const tea = { currency: 'usd', unit_amount: 2500, product_data: { name: 'Tea' } };
  const item = { price_data: tea, quantity: 2 };
  const session = await send('POST', '/v1/checkout_sessions', secret, {
    currency: 'usd',
    line_items: [item],
  });
  await send('GET', `/v1/checkout_sessions/${session.id}`, secret);
  const captured = { organization, amount: 5000, currency: 'usd', checkout_session: session.id };
  const payment = await send('POST', '/ledger/v1/payments', ledger, captured);
  await send('POST', `/ledger/v1/payments/${payment.id}/holds`, ledger, { amount: 50 });
  const refund = await send('POST', '/v1/refunds', secret, { payment: payment.id, amount: 100 });
  await send('GET', `/v1/refunds/${refund.id}`, secret);
  const [claimed] = (await send('POST', '/ledger/v1/refunds/claim', ledger, { limit: 1 })).data;
  if (claimed) {
    const { number: claim } = claimed.claim;
    if (claim > 1) phase.failures.push(`${claimed.id} was claimed twice`);
    await send('POST', `/ledger/v1/refunds/${claimed.id}/extend`, ledger, {
      claim,
      lease_seconds: 120,
    });
    await send('POST', `/ledger/v1/refunds/${claimed.id}/succeed`, ledger, { claim });
  }
  await send('GET', '/v1/checkout_sessions?limit=10', secret);
  await send('GET', `/v1/payments/${payment.id}`, secret);
}

/** Makes orders at all services until the work is done. */
export async function under(
  name: string,
  services: readonly Server[],
  keys: Account,
  work: () => Promise<unknown>,
) {
  const phase: Phase = { requests: 0, longest: 0, failures: [] };
  let isDone = false;
  const client = async () => {
    while (!isDone) await order(services, keys, phase).catch(() => sleep(100));
  };
  const clients = Promise.all(Array.from({ length: CLIENTS }, client));
  const started = performance.now();
  await work().finally(() => {
    isDone = true;
  });
  await clients;
  const took = ((performance.now() - started) / 1_000).toFixed(1);
  print(
    `${name}: ${took} s, ${phase.requests} requests, ${phase.failures.length} failed, ${Math.round(phase.longest)} ms at most`,
  );
  for (const failure of new Set(phase.failures.slice(0, 5))) print(`  ${failure}`);
  if (phase.failures.length > 0) process.exitCode = 1;
  return phase;
}

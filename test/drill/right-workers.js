/** These workers pay out each refund once, and report what the provider says. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const { TILLGATE_URL, TILLGATE_LEDGER_KEY, PROVIDER_URL, NOTES } = process.env;
export const HOUR = 3600;
const PAUSE_MS = 200;
const TIMEOUT_MS = 5_000;
export const DAYS_MS = 2 ** 31 - 1;

async function request(url, headers, body, method = body ? 'POST' : 'GET') {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(url, {
    method,
    headers,
    signal,
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json().catch(() => ({})) };
}

const provider = (path, headers, body) => request(`${PROVIDER_URL}/refunds${path}`, headers, body);

export const ask = (path, body) => {
  const headers = {
    authorization: `Bearer ${TILLGATE_LEDGER_KEY}`,
    'content-type': 'application/json',
  };
  return request(`${TILLGATE_URL}/ledger/v1/refunds${path}`, headers, body).catch(() => undefined);
};

/** Repeats the request until it is answered. */
export async function tillgate(path, body) {
  for (;;) {
    const answer = await ask(path, body);
    if (answer && answer.status < 500 && answer.status !== 429) return answer;
    await sleep(PAUSE_MS);
  }
}

/** Returns what a worker still knows after it was killed. */
export const notes = () => (existsSync(NOTES) ? readFileSync(NOTES, 'utf8').split('\n') : []);
export const note = (line) => appendFileSync(NOTES, `${line}\n`);

/** A right worker throws when it does not know what the provider has. */
export const RIGHT = {
  key: ({ id }) => id,
  terms: ({ id, amount, currency }) => ({ refund: id, amount, currency }),
  referenceOf: ({ id }) => id,
  mustLook: ({ claim }) => claim.number > 1,

  async find({ id }) {
    const { status, body } = await provider(`?refund=${id}`);
    if (status !== 200) throw new Error(`a look: ${status}`);
    return body.data.at(-1);
  },

  async pay(refund) {
    const headers = { 'idempotency-key': this.key(refund), 'content-type': 'application/json' };
    const { status, body } = await provider('', headers, this.terms(refund));
    return status === 200 ? body : this.refusal(status, body);
  },

  refusal(status, { error }) {
    if (status === 402) return { status: 'declined' };
    if (['no_balance', 'unavailable', 'too_many_requests'].includes(error))
      return { status: 'not now' };
    throw new Error(`a payout: ${status}`);
  },

  async payoutOf(refund) {
    return (
      (this.mustLook(refund) ? await this.find(refund) : undefined) ?? (await this.pay(refund))
    );
  },

  /** The worker calls this function when it does not know the outcome. */
  unknown: () => undefined,
  succeed: (id, said) => tillgate(`/${id}/succeed`, said),
  fail: (id, said) => tillgate(`/${id}/fail`, { ...said, reason: 'refused' }),
  wait: (id, said) => tillgate(`/${id}/extend`, { ...said, lease_seconds: 6 * HOUR }),
  release: (id, said) => tillgate(`/${id}/release`, { ...said, delay_seconds: 60 }),
  return: (id) => tillgate(`/${id}/return`, {}),

  async report({ id, claim }, payout) {
    const said = {
      claim: claim?.number,
      ...(payout.id && { provider_reference: this.referenceOf(payout) }),
    };
    if (payout.status === 'succeeded') return this.succeed(id, said);
    if (payout.status === 'pending') return this.wait(id, said);
    if (payout.status === 'not now') return this.release(id, { claim: said.claim });
    return this.fail(id, said);
  },

  async settle(refund) {
    let payout;
    try {
      payout = await this.payoutOf(refund);
    } catch {
      payout = await this.unknown(refund);
    }
    if (payout) await this.report(refund, payout);
  },

  async work() {
    const { body } = await tillgate('/claim', { limit: 1, lease_seconds: 60 });
    for (const refund of body.data) await this.settle(refund);
    return body.data.length;
  },

  async returnOnce(refund) {
    this.returned ??= new Set();
    if (this.returned.has(refund)) return;
    const answer = await this.return(refund);
    if (answer?.status === 200) this.returned.add(refund);
  },

  async lookForReturns() {
    for (let cursor = ''; cursor !== undefined; ) {
      const { body } = await provider(`?status=returned${cursor}`);
      for (const { refund } of body.data ?? []) await this.returnOnce(refund);
      cursor = body.has_more ? `&cursor=${body.next_cursor}` : undefined;
    }
  },

  async round() {
    const count = await this.work();
    await this.lookForReturns().catch(() => undefined);
    if (count === 0) await sleep(PAUSE_MS);
  },

  async run() {
    for (;;) await this.round();
  },
};

/** These workers are also right. */
export const ALSO_RIGHT = {
  right: {},
  /** This worker looks at every pending payout in each round. */
  polls: {
    async round() {
      await RIGHT.round.call(this);
      const { body } = await tillgate('?limit=100');
      for (const refund of body.data.filter(
        ({ provider_reference: reference }) => reference !== null,
      )) {
        const payout = await provider(`/${refund.provider_reference}`).catch(() => undefined);
        if (payout?.status === 200 && payout.body.status !== 'pending')
          await this.report(refund, payout.body);
      }
    },
  },
  /** This worker ends like a cron job, so the drill needs `--restart`. */
  ends: {
    async run() {
      while ((await this.work()) > 0);
      await this.lookForReturns();
    },
  },
};

export const onlyPage = async (query) => (await provider(query)).body.data ?? [];

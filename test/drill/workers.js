/**
 * `node workers.js <name>` runs a worker for the drill: a right one, or one with a fault that costs
 * money or reports an untruth. `BROKEN` says which rule each of them must break.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  ALSO_RIGHT,
  ask,
  DAYS_MS,
  HOUR,
  note,
  notes,
  onlyPage,
  RIGHT,
  tillgate,
} from './right-workers.js';

export const BROKEN = {
  'float amounts': [
    'amount',
    { terms: ({ id, amount, currency }) => ({ refund: id, amount: amount * 100, currency }) },
  ],
  'key of payment and amount': [
    'shared key',
    { key: ({ payment, amount }) => `${payment}-${amount}` },
  ],
  'key of reference': ['shared key', { key: ({ reference }) => reference }],
  'new key for each attempt': ['new key', { mustLook: () => false, key: () => randomUUID() }],
  'new key for what bounced': [
    'new key',
    {
      async return(id) {
        const { body } = await tillgate(`/${id}`);
        if (body.status === 'succeeded')
          await RIGHT.pay.call({ ...RIGHT, key: () => randomUUID() }, body);
      },
    },
  ],
  'never looks': ['paid again', { mustLook: () => false }],
  'no answer to a look is nothing there': [
    'paid again',
    { find: (refund) => RIGHT.find(refund).catch(() => undefined) },
  ],
  'looks on the first page only': [
    'paid again',
    { find: async ({ id }) => (await onlyPage('')).findLast(({ refund }) => refund === id) },
  ],
  'takes the number of another claim': [
    'claim number',
    {
      async report(refund, payout) {
        const { body } = (await RIGHT.report.call(this, refund, payout)) ?? {};
        if (body?.error?.code !== 'refund_claimed') return;
        const now = await tillgate(`/${refund.id}`);
        if (now.body.claim) await RIGHT.report.call(this, now.body, payout);
      },
    },
  ],
  'reference of the payout before': [
    'reference',
    {
      referenceOf({ id }) {
        const before = this.before ?? id;
        this.before = id;
        return before;
      },
    },
  ],
  'finds by amount': [
    'reference',
    {
      async find({ amount, currency }) {
        return (await onlyPage(`?amount=${amount}&currency=${currency}`)).at(-1);
      },
    },
  ],
  'releases what is pending': [
    'released while pending',
    { wait: (id, { claim }) => RIGHT.release(id, { claim }) },
  ],
  'releases after an error of 500': [
    'released',
    {
      refusal: (status, body) =>
        status >= 500 ? { status: 'not now' } : RIGHT.refusal(status, body),
    },
  ],
  'releases when a look finds nothing': [
    'released',
    {
      unknown: async (refund) =>
        (await RIGHT.find(refund).catch(() => undefined)) ?? { status: 'not now' },
    },
  ],
  'fails after a time-out': ['failed though paid', { unknown: () => ({ status: 'declined' }) }],
  'an error of 500 is declined': [
    'failed though paid',
    {
      refusal: (status, body) =>
        status >= 500 ? { status: 'declined' } : RIGHT.refusal(status, body),
    },
  ],
  '429 is declined': [
    'failed unrefused',
    {
      refusal: (status, body) =>
        status === 429 ? { status: 'declined' } : RIGHT.refusal(status, body),
    },
  ],
  'gives up at the second claim': [
    'failed unrefused',
    {
      payoutOf: (refund) =>
        refund.claim.number > 1 ? { status: 'declined' } : RIGHT.payoutOf(refund),
    },
  ],
  'claims nothing': [
    'canceled though paid',
    {
      async work() {
        const { body } = await tillgate('?limit=100');
        for (const refund of body.data) await this.settle({ ...refund, claim: { number: 2 } });
        return 0;
      },
      wait: () => undefined,
      release: () => undefined,
      fail: (id, { claim: _, ...said }) => RIGHT.fail(id, said),
      succeed: (id, { claim: _, ...said }) => RIGHT.succeed(id, said),
    },
  ],
  'pays what nobody has approved': [
    'unapproved',
    {
      async round() {
        for (let cursor = ''; cursor !== undefined; ) {
          const { body } = await tillgate(`?status=all&limit=100${cursor}`);
          for (const refund of body.data.filter(({ approval }) => approval === 'waiting'))
            await RIGHT.pay(refund).catch(() => undefined);
          cursor = body.has_more ? `&cursor=${body.next_cursor}` : undefined;
        }
        await RIGHT.round.call(this);
      },
    },
  ],
  'succeeds what is pending': ['succeeded unpaid', { wait: (id, said) => RIGHT.succeed(id, said) }],
  'fails what came back': ['returned', { return: (id) => RIGHT.fail(id, {}) }],
  'forgets what is pending': [
    'submitted',
    { settle: (refund) => refund.provider_reference === null && RIGHT.settle(refund) },
  ],
  'claims for one organization': [
    'unpaid',
    {
      async work() {
        const { body } = await tillgate('?limit=1');
        this.organization ??= body.data[0]?.organization;
        const organization = this.organization;
        const claim = { limit: 1, lease_seconds: 60, ...(organization && { organization }) };
        const claimed = await tillgate('/claim', claim);
        for (const refund of claimed.body.data) await this.settle(refund);
        return claimed.body.data.length;
      },
    },
  ],
  'pays at most once': [
    'unpaid',
    {
      async payoutOf(refund) {
        if (notes().includes(refund.id)) return RIGHT.find(refund);
        note(refund.id);
        return RIGHT.pay(refund);
      },
    },
  ],
  'reports at most once': [
    'unreported',
    {
      async settle(refund) {
        if (notes().includes(refund.id)) return;
        const payout = await RIGHT.payoutOf(refund).catch(() => undefined);
        if (payout?.status === 'succeeded') note(refund.id);
        if (payout)
          await RIGHT.report.call(
            { ...RIGHT, succeed: (id, said) => ask(`/${id}/succeed`, said) },
            refund,
            payout,
          );
      },
    },
  ],
  'has no time-out': [
    'no time-out',
    {
      async pay(refund) {
        const { id } = refund;
        const response = await fetch(`${process.env.PROVIDER_URL}/refunds`, {
          method: 'POST',
          headers: { 'idempotency-key': id, 'content-type': 'application/json' },
          body: JSON.stringify(RIGHT.terms(refund)),
        });
        const body = await response.json();
        return response.status === 200 ? body : RIGHT.refusal(response.status, body);
      },
    },
  ],
  'stands still when it does not know': ['stuck', { unknown: () => sleep(DAYS_MS) }],
  'forgets a refund after an error': [
    'unreported',
    {
      async settle(refund) {
        this.forgotten ??= new Set();
        if (this.forgotten.has(refund.id)) return;
        const payout = await RIGHT.payoutOf(refund).catch(() => undefined);
        if (payout) await RIGHT.report.call(this, refund, payout);
        else this.forgotten.add(refund.id);
      },
    },
  ],
  'repeats what is refused': [
    'repeated',
    {
      async wait(id, said) {
        const tooLong = { ...said, lease_seconds: 400 * 24 * HOUR };
        while ((await tillgate(`/${id}/extend`, tooLong)).status !== 200);
      },
    },
  ],
  'names the organization that it saw first': [
    'organization',
    {
      succeed(id, said) {
        return RIGHT.succeed(id, { ...said, organization: this.organization });
      },
      settle(refund) {
        this.organization ??= refund.organization;
        return RIGHT.settle.call(this, refund);
      },
    },
  ],
  'judges its claim by the time of day': [
    'unpaid',
    { settle: (refund) => refund.claim.expires_at * 1000 > Date.now() && RIGHT.settle(refund) },
  ],
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , name] = process.argv;
  const [, fault = ALSO_RIGHT[name]] = BROKEN[name] ?? [];
  await Object.assign({}, RIGHT, fault).run();
}

/** The client package is packed, installed in an empty project, and used as its README says. */
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import ts from 'typescript';
import { type Service, startService } from '../kit/service.js';
import { post } from '../support/client.js';
import { installClient, LINKED } from '../support/installed-client.js';
import { printed, run, Scratch, until } from '../support/processes.js';
import { Shop } from '../support/shop.js';
import { freePort } from '../support/sockets.js';

const scratch = new Scratch();
const project = join(scratch.path, 'project');
let service: Service;
/** Holds the blocks of code of the README, unchanged. */
let shopping: string;
let settling: string;
let receiving: string;
/** Holds the receiver of docs/guides/receiving-webhooks.md. */
let whole: string;
/** Holds the call in docs/guides/connect-your-ledger.md that records a payout made elsewhere. */
let recording: string;

const write = (name: string, content: string) => writeFile(join(project, name), content);

beforeAll(async () => {
  await installClient(scratch.path, project);
  const readme = await readFile(join(project, 'node_modules/tillgate-client/README.md'), 'utf8');
  [shopping = '', settling = '', receiving = ''] = [
    ...readme.matchAll(/^```ts\n(.*?)^```$/gms),
  ].map(([, code]) => code as string);
  // The code of the README is also valid JavaScript: the same text is compiled and run.
  for (const extension of ['mts', 'mjs']) {
    await write(`shopping.${extension}`, shopping);
    await write(`receiving.${extension}`, receiving);
    await write(`settling.${extension}`, settling);
  }
  const page = await readFile('docs/guides/receiving-webhooks.md', 'utf8');
  [, whole = ''] = /^```ts\n(.*?)^```$/ms.exec(page) ?? [];
  const connecting = await readFile('docs/guides/connect-your-ledger.md', 'utf8');
  [, recording = ''] = /^```js\n([^`]*recordPayout[^`]*)^```$/m.exec(connecting) ?? [];
  const target = ts.ScriptTarget.ES2023;
  await write('whole.mts', whole);
  await write('recording.mts', `declare const url: string, key: string;\n${recording}`);
  await write(
    'whole.mjs',
    ts.transpileModule(whole, { compilerOptions: { target, module: ts.ModuleKind.ESNext } })
      .outputText,
  );
  service = await startService({ config: { webhookAllowPrivate: true } });
});

afterAll(async () => {
  await service.close();
  await scratch.clear();
});

/** Each line after `@ts-expect-error` must be an error, and no other line may be one. */
const TYPES = `
import { type CheckoutSession, type List, Tillgate, TillgateError, verifyWebhook } from 'tillgate-client';
import { later, notThere, settle, succeeded } from 'tillgate-client/ledger';
const tillgate = new Tillgate({ baseUrl: 'https://pay.example', key: 'sk_test_x' });
const price = { currency: 'usd', unit_amount: 1, product_data: { name: 'x' } };
export const made: Promise<CheckoutSession> = tillgate.checkoutSessions.create({ currency: 'usd', line_items: [{ price_data: price }] });
// @ts-expect-error an unknown field
tillgate.checkoutSessions.create({ currency: 'usd', line_items: [], ammount: 1 });
// @ts-expect-error a missing field
tillgate.checkoutSessions.create({ currency: 'usd' });
// @ts-expect-error an amount is a number
tillgate.refunds.propose({ payment: 'pay_test_x', amount: '1' });
// @ts-expect-error no such status
tillgate.checkoutSessions.list({ status: 'done' });
// @ts-expect-error a read needs no idempotency key
tillgate.refunds.retrieve('re_test_x', { idempotencyKey: 'x' });
export async function* totals(sessions: ReturnType<typeof tillgate.checkoutSessions.list>) {
  for await (const { data, next_cursor } of sessions.pages()) yield [data[0]?.amount_total.toFixed(), next_cursor?.length];
  // @ts-expect-error a summary has no lines
  for await (const { line_items } of sessions) yield line_items;
}
export const summaries: List<{ readonly status: 'open' | 'complete' | 'expired' }> = tillgate.checkoutSessions.list();
export function left(error: unknown): string | undefined {
  // @ts-expect-error no such code
  if (error instanceof TillgateError && error.code === 'too_much') return;
  if (error instanceof TillgateError && error.code === 'refund_exceeds_remaining') {
    const code: 'refund_exceeds_remaining' = error.code;
    return code + error.errors[0]?.allowed[0];
  }
  return undefined;
}
settle({ url: 'https://pay.example', key: 'lk_test_x', pay: async ({ claim }) => succeeded(claim.number.toFixed()), find: async () => notThere() });
// @ts-expect-error only find knows that nothing is there
settle({ url: '', key: '', pay: async () => notThere(), find: async () => notThere() });
// @ts-expect-error who looks cannot promise that nothing was paid
settle({ url: '', key: '', pay: async () => succeeded(), find: async () => later(1, 'x') });
const event = await verifyWebhook({ body: '{}', headers: new Headers(), secret: ['whsec_x', 'whsec_y'] });
// @ts-expect-error a session's event holds no payment
if (event.data.object.object === 'checkout.session') event.data.object.payment;
if (event.data.object.object === 'refund') event.data.object.payment.length;
`;

test.each([
  ['nodenext', 'nodenext'],
  ['esnext', 'bundler'],
])(
  'its types compile in a strict project with module %s and resolution %s',
  async (module, moduleResolution) => {
    await write('types.mts', TYPES);
    const compilerOptions = {
      ...{
        strict: true,
        exactOptionalPropertyTypes: true,
        noEmit: true,
        target: 'es2023',
        lib: ['es2023'],
      },
      ...{ module, moduleResolution, types: ['node'], typeRoots: [resolve('node_modules/@types')] },
    };
    const shown = ['shopping', 'settling', 'receiving', 'whole', 'recording'];
    const files = ['types', ...shown].map((name) => `${name}.mts`);
    expect(recording).toContain('await recordPayout(');
    await write('tsconfig.json', JSON.stringify({ compilerOptions, files }));
    const { stdout, status } = await run([
      resolve('node_modules/typescript/bin/tsc'),
      '-p',
      project,
    ]).ended;
    expect({ stdout, status }).toEqual({ stdout: '', status: 0 });
  },
);

test('the shop of the README creates a session and proposes a refund', async () => {
  const shop = await Shop.open(service);
  const { body: payment } = await shop.record({ amount: 900 });
  const environment = { TILLGATE_URL: service.url, TILLGATE_KEY: shop.key, PAYMENT: payment.id };
  const go = () => run([join(project, 'shopping.mjs')], { ...LINKED, ...environment }).ended;
  const [first, second] = [await go(), await go()];
  const [older, newer] = (await shop.get('/v1/checkout_sessions')).body.data
    .map(({ id }: { id: string }) => id)
    .reverse();
  const [refund] = (await shop.get('/v1/refunds')).body.data;
  expect(first).toEqual({
    status: 0,
    stdout: `${older} costs 2000.\n${older} is open.\n${refund.id} is pending.\n`,
    stderr: '',
  });
  expect(second).toEqual({
    status: 0,
    stdout: `${newer} costs 2000.\n${newer} is open.\n${older} is open.\nOnly 400 is left to refund.\n`,
    stderr: '',
  });
});

test('the worker of the README settles refunds, and stops', async () => {
  const shop = await Shop.open(service);
  const { id } = (await shop.propose(await shop.capture(), 500)).body;
  const environment = { TILLGATE_URL: service.url, TILLGATE_LEDGER_KEY: shop.ledgerKey };
  const worker = scratch.keep(run([join(project, 'settling.mjs')], { ...LINKED, ...environment }));
  await until(async () => (await shop.get(`/v1/refunds/${id}`)).body.status === 'succeeded');
  worker.child.kill();
  expect(await worker.ended).toEqual({ status: 0, stdout: '', stderr: '' });
});

test('the receiver of the README accepts webhooks of the service only', async () => {
  const port = await freePort();
  const [secret, other] = [1, 2].map(
    (byte) => `whsec_${Buffer.alloc(24, byte).toString('base64')}`,
  ) as [string, string];
  const receiver = scratch.keep(
    run([join(project, 'receiving.mjs')], {
      ...LINKED,
      WEBHOOK_SECRET: secret,
      PORT: String(port),
    }),
  );
  const body = JSON.stringify({
    id: 'evt_1',
    type: 'refund.created',
    data: { object: { id: 're_test_1' } },
  });
  const send = (by: string, at = new Date()) => {
    const headers = {
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(by).sign('evt_1', at, body),
    };
    return fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body }).then(
      ({ status }) => status,
    );
  };
  await until(() =>
    send(secret).then(
      (status) => status === 204,
      () => false,
    ),
  );
  expect(await printed(receiver, /^(.+)\n$/)).toBe('evt_1 refund.created re_test_1');
  expect(await send(other)).toBe(400);
});

test('the receiver of the guide handles each event once and in order, including the events that it missed', async () => {
  const shop = await Shop.open(service);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  const { secret } = (
    await post(`${service.url}/v1/webhook_endpoints`, { key: shop.key, body: { url } })
  ).body;
  const missed = (await shop.createSession()).body.id;
  const environment = {
    TILLGATE_URL: service.url,
    TILLGATE_KEY: shop.key,
    WEBHOOK_SECRET: secret,
    PORT: String(port),
  };
  const receiver = scratch.keep(run([join(project, 'whole.mjs')], { ...LINKED, ...environment }));
  await printed(receiver, /^(Nothing is missed\.)\n/m);
  await shop.post(`/v1/checkout_sessions/${missed}/expire`);
  expect(await printed(receiver, /^checkout\.session\.expired (\S+) 2\n/m)).toBe(missed);
  const [event] = (await shop.get('/v1/events')).body.data;
  const deliveries = async () => (await shop.get(`/v1/events/${event.id}`)).body.deliveries;
  await until(async () => (await deliveries()).length === 1);
  await shop.post(`/v1/events/${event.id}/resend`);
  await until(async () => (await deliveries()).length === 2);
  expect((await deliveries()).map((one: { status_code: number }) => one.status_code)).toEqual([
    204, 204,
  ]);
  expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(400);
  const created = `checkout.session.created ${missed} 1`;
  expect(receiver.stdout().split('\n')).toEqual([
    created,
    'Nothing is missed.',
    `checkout.session.expired ${missed} 2`,
    '',
  ]);
});

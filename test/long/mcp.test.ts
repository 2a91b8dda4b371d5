/** The tools for agents find, propose and refuse over stdio. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { useService } from '../kit/setup.js';
import { Agent, describeIfBuilt, type Json } from '../support/agent.js';
import { atOnce, SMALLEST } from '../support/client.js';
import { Shop } from '../support/shop.js';
import { listen } from '../support/sockets.js';
import { createKey } from '../support/tenants.js';

const CALLS = 1000;
const AT_ONCE = 50;
const READS = [
  'find_sessions',
  'read_session',
  'find_payments',
  'read_payment',
  'list_refunds',
  'read_refund',
];

const service = useService({ config: { publicUrl: 'https://checkout.example' } });
let shop: Shop;
let key: string;

const open = (settings: Readonly<Record<string, string>> = {}) =>
  Agent.open({
    TILLGATE_URL: service.url,
    TILLGATE_KEY: key,
    TILLGATE_ACTOR: 'José',
    ...settings,
  });

beforeAll(async () => {
  shop = await Shop.open(service);
  const { organization } = shop;
  key = await createKey(service, {
    organization,
    holder: 'agent',
    rights: ['propose', 'sessions'],
  });
});

describeIfBuilt('an agent', () => {
  let agent: Agent;

  beforeAll(async () => {
    agent = await open();
  });
  afterAll(() => agent.end());

  test('has tools that describe themselves, none of which approves', async () => {
    const { tools } = await agent.ask('tools/list');
    const said = tools.map(({ name, annotations }: Json) => [
      name,
      annotations.readOnlyHint,
      annotations.destructiveHint,
    ]);
    const reads = READS.map((name) => [name, true, undefined]);
    expect(said).toEqual([
      ...reads.slice(0, 2),
      ['create_session', false, false],
      ...reads.slice(2),
      ['propose_refund', false, false],
      ['cancel_refund', false, true],
    ]);
  });

  test('reads what each tool, parameter and result is', async () => {
    const { tools } = await agent.ask('tools/list');
    for (const { title, description, inputSchema, outputSchema } of tools) {
      expect([title, description, outputSchema.type]).toEqual([
        expect.stringMatching(/^[A-Z]/),
        expect.stringMatching(/\.$/),
        'object',
      ]);
      for (const [name, field] of Object.entries<Json>(inputSchema.properties))
        expect([name, field.description]).toEqual([name, expect.stringMatching(/\S/)]);
    }
    const { version } = JSON.parse(readFileSync('mcp/package.json', 'utf8'));
    expect(agent.server.serverInfo).toMatchObject({ title: 'Tillgate', version });
    for (const word of ['minor unit', 'only proposed', 'approves', 'never instructions'])
      expect(agent.server.instructions).toContain(word);
  });

  test('reads that amounts are those of the API, which do not fit in 32 bits', async () => {
    const { tools } = await agent.ask('tools/list');
    const text = JSON.stringify(tools);
    const amounts = [...text.matchAll(/"(?:unit_)?amount\w*":(\{[^{}]*\})/g)];
    expect(amounts.length).toBeGreaterThan(10);
    for (const [, schema = ''] of amounts)
      expect(JSON.parse(schema)).toMatchObject({ type: 'integer', maximum: 999_999_999_999 });
  });

  test('finds resources, and proposes a refund that waits for somebody else', async () => {
    const session = (await shop.createSession()).body;
    const payment = await shop.capture({ amount: 1000, checkout_session: session.id });
    const found = await agent.call('find_sessions', { status: 'complete' });
    expect(found.data).toMatchObject([{ id: session.id, payment_status: 'paid' }]);
    expect(await agent.call('read_session', { id: session.id })).toMatchObject({
      status: 'complete',
      line_items: { data: [{}] },
    });
    expect(await agent.call('read_payment', { id: payment })).toMatchObject({
      amount_refundable: 1000,
    });
    const proposal = { payment, amount: 300, reference: 'return-1', description: 'Too small.' };
    const proposed = await agent.call('propose_refund', proposal);
    expect(proposed).toMatchObject({
      refund: { status: 'pending' },
      approval: {
        ...proposal,
        currency: 'usd',
        state: 'waiting',
        proposed_by: { holder: 'agent', actor: 'José' },
      },
      reason: null,
    });
    expect(await agent.call('propose_refund', proposal)).toEqual(proposed);
    const { id } = proposed.refund;
    expect((await agent.call('list_refunds', { approval: 'waiting' })).data).toMatchObject([
      { id },
    ]);
    await shop.approve(id, 300);
    expect(await agent.call('read_refund', { id })).toMatchObject({
      approval: { state: 'approved' },
    });
    for (const _ of [1, 2])
      expect(await agent.call('cancel_refund', { id })).toMatchObject({
        refund: { status: 'canceled' },
      });
  });

  test('comes from an order to a proposal in two calls', async () => {
    const order = { ...SMALLEST, metadata: { reference: '4711' } };
    const expired = (await shop.createSession(order)).body.id;
    await shop.expire(expired);
    const { id, amount_total: amount } = (await shop.createSession(order)).body;
    const payment = await shop.capture({ amount, checkout_session: id });
    await shop.capture({ amount });
    const found = await agent.call('find_payments', { reference: '4711' });
    expect(found).toMatchObject({
      data: [{ id: payment, mode: 'test', amount_refundable: amount, checkout_session: id }],
      sessions: [
        { id, status: 'complete' },
        { id: expired, status: 'expired' },
      ],
      next_cursor: null,
    });
    expect(found.data).toHaveLength(1);
    const bySession = await agent.call('find_payments', { checkout_session: id });
    expect(bySession).toEqual({ data: found.data, next_cursor: null });
    const proposal = { payment, amount: 500, reference: 'return-4711' };
    expect((await agent.call('propose_refund', proposal)).approval.state).toBe('waiting');
    const nothing = { data: [], sessions: [], next_cursor: null };
    expect(await agent.call('find_payments', { reference: '4712' })).toEqual(nothing);
  });

  test('reads why a refund was rejected, and does not read of one that it withdrew that it waits', async () => {
    const payment = await shop.capture({ amount: 1000 });
    const propose = async (reference: string) =>
      (await agent.call('propose_refund', { payment, amount: 10, reference })).refund.id;
    const [rejected, withdrawn] = [await propose('rejected'), await propose('withdrawn')];
    await shop.post(`/v1/refunds/${rejected}/reject`, { comment: 'No parcel came.' });
    expect(await agent.call('read_refund', { id: rejected })).toMatchObject({
      refund: { status: 'canceled' },
      approval: { state: 'rejected', reference: 'rejected', comment: 'No parcel came.' },
      reason: 'approval rejected',
    });
    const canceled = await agent.call('cancel_refund', { id: withdrawn });
    expect([canceled.refund.status, canceled.approval.state]).toEqual(['canceled', 'withdrawn']);
    expect(await agent.call('read_refund', { id: withdrawn })).toEqual(canceled);
  });

  test('is told by an error what to call next', async () => {
    const payment = await shop.capture({ amount: 100 });
    const proposal = { payment, amount: 300, reference: 'return-2' };
    const { error } = await agent.call('propose_refund', proposal);
    expect(error).toMatchObject({
      code: 'refund_exceeds_remaining',
      errors: [{ param: 'amount', allowed: ['100'] }],
    });
    expect(error.next_call).toEqual({
      tool: 'propose_refund',
      arguments: { ...proposal, amount: 100 },
    });
    const { refund } = await agent.call(error.next_call.tool, error.next_call.arguments);
    const { error: reused } = await agent.call('propose_refund', {
      ...proposal,
      amount: 1,
      reference: 'return-2',
    });
    expect(reused.next_call).toEqual({ tool: 'read_refund', arguments: { id: refund.id } });
    const unknown = { ...proposal, payment: payment.replace(/.{4}$/, '0000'), reference: 'none' };
    const { error: missing } = await agent.call('propose_refund', unknown);
    expect(missing.next_call).toEqual({ tool: 'find_payments', arguments: {} });
  });

  test('is told in the same words when its arguments do not fit', async () => {
    const { error } = await agent.call('find_sessions', { status: 'done', limit: 0, order: 1 });
    expect(error).toMatchObject({ code: 'invalid_param', next_call: null });
    expect(error.errors).toEqual([
      expect.objectContaining({ param: 'limit', allowed: [] }),
      expect.objectContaining({ param: 'status', allowed: ['open', 'complete', 'expired'] }),
      expect.objectContaining({ param: '', message: expect.stringContaining('"order"') }),
    ]);
  });

  test(`that calls ${CALLS} times and loses every third answer makes one refund for each`, async () => {
    const payment = await shop.capture({ amount: CALLS });
    let requests = 0;
    const line = createServer(async (request, response) => {
      const sent = await request.toArray();
      const headers = { ...(request.headers as Record<string, string>), host: '' };
      const init = {
        method: request.method ?? '',
        headers,
        ...(sent.length > 0 && { body: Buffer.concat(sent) }),
      };
      const { status, body } = await fetch(service.url + request.url, init as RequestInit).then(
        async (answer) => {
          return { status: answer.status, body: await answer.text() };
        },
      );
      requests += 1;
      if (requests % 3 === 0) request.socket.destroy();
      else response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    });
    const unreliable = await open({ TILLGATE_URL: `http://127.0.0.1:${await listen(line)}` });
    const places = Array.from({ length: CALLS }).keys();
    await atOnce(AT_ONCE, async () => {
      for (const place of places) {
        const call = { payment, amount: 1, reference: `call-${place}` };
        while ((await unreliable.call('propose_refund', call)).error);
      }
    });
    unreliable.end();
    line.close();
    expect(await shop.amountsOf(payment)).toMatchObject({ pending: CALLS, left: 0 });
    expect(await shop.idsOf(`/v1/refunds?payment=${payment}&limit=100`)).toHaveLength(CALLS);
  });

  test('cancels no refund that somebody else proposed, and is not told to repeat the call', async () => {
    const payment = await shop.capture({ amount: 1000 });
    const ofSecretKey = (await shop.propose(payment, 1)).body.id;
    const rights = ['propose'] as const;
    const otherKey = await createKey(service, {
      organization: shop.organization,
      holder: 'other',
      rights,
    });
    const ofOther = (await shop.as(otherKey).propose(payment, 2)).body.id;
    const named = await open({ TILLGATE_HOLDER: 'agent' });
    const refused = {
      message: 'Somebody else proposed this refund. Whoever did can cancel it.',
      next_call: null,
    };
    expect((await agent.call('cancel_refund', { id: ofSecretKey })).error).toEqual(refused);
    for (const id of [ofSecretKey, ofOther])
      expect((await named.call('cancel_refund', { id })).error).toEqual(refused);
    const proposal = { payment, amount: 3, reference: 'return-3' };
    const { refund } = await named.call('propose_refund', proposal);
    expect(await named.call('cancel_refund', { id: refund.id })).toMatchObject({
      refund: { status: 'canceled' },
    });
    named.end();
    expect(await shop.amountsOf(payment)).toMatchObject({ pending: 3 });
  });

  test.each([
    ['more than 16 MiB', 200, 'x'.repeat(1024 * 1024), 64],
    ['a page of something else', 404, '<h1>No</h1>', 1],
  ])('is told that %s will not change by itself', async (_, status, page, times) => {
    let requests = 0;
    const other = createServer(({ method }, response) => {
      // The key is asked for its rights by POST.
      if (method === 'GET') requests += 1;
      response.writeHead(status);
      for (let time = 0; time < times; time++) response.write(page);
      response.end();
    });
    const misled = await open({ TILLGATE_URL: `http://127.0.0.1:${await listen(other)}` });
    const { error } = await misled.call('list_refunds');
    expect([error.next_call, requests]).toEqual([null, 1]);
    expect(error.message).toContain(`What answered, with ${status}, is not Tillgate`);
    misled.end();
    other.close();
  });

  test('is not told to repeat a call that was refused for good', async () => {
    const payment = await shop.capture({ amount: 100 });
    const proposal = { payment, amount: 1, reference: 'visible', description: '\u200b' };
    const { error } = await agent.call('propose_refund', proposal);
    expect([error.code, error.next_call]).toEqual(['invalid_param', null]);
  });
});

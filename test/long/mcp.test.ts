/**
 * The tools for agents work over stdio and HTTP, where mcp/ is installed and built: `npm ci
 * --prefix mcp && npm run --prefix mcp build`.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { useService } from '../kit/setup.js';
import { atOnce } from '../support/client.js';
import { until } from '../support/processes.js';
import { Shop } from '../support/shop.js';
import { freePort, listen } from '../support/sockets.js';
import { createKey } from '../support/tenants.js';

const SERVER = 'mcp/dist/main.js';
const CALLS = 1000;
const AT_ONCE = 50;
const TOOLS = ['find_sessions', 'read_session', 'read_payment', 'list_refunds', 'read_refund'];

// biome-ignore lint/suspicious/noExplicitAny: the test reads answers of several tools by name.
type Json = any;

const service = useService();
let shop: Shop;
let key: string;

beforeAll(async () => {
  shop = await Shop.open(service);
  key = await createKey(service, {
    organization: shop.organization,
    holder: 'agent',
    rights: ['propose'],
  });
});

/** Holds a conversation with the server of the tools over stdio. */
class Agent {
  private readonly child: ChildProcess;
  private readonly waiting = new Map<number, (message: Json) => void>();
  private last = 0;

  constructor(TILLGATE_URL: string, settings: Readonly<Record<string, string>> = {}) {
    const own = { TILLGATE_URL, TILLGATE_KEY: key, TILLGATE_ACTOR: 'José' };
    const env = { ...process.env, ...own, ...settings };
    this.child = spawn(process.execPath, [SERVER], { env, stdio: ['pipe', 'pipe', 'inherit'] });
    createInterface(this.child.stdout as NodeJS.ReadableStream).on('line', (line) => {
      const message = JSON.parse(line);
      this.waiting.get(message.id)?.(message);
    });
  }

  async ask(method: string, params: object = {}): Promise<Json> {
    const id = ++this.last;
    const answer = new Promise<Json>((resolve) => this.waiting.set(id, resolve));
    this.child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return (await answer).result;
  }

  /** Returns the answer of a tool: its result, or its error. */
  async call(name: string, given: object = {}): Promise<Json> {
    const { isError, structuredContent, content } = await this.ask('tools/call', {
      name,
      arguments: given,
    });
    return isError ? { error: JSON.parse(content[0].text) } : structuredContent;
  }

  async open(): Promise<this> {
    await this.ask('initialize', INITIALIZE);
    return this;
  }

  end(): void {
    this.child.kill();
  }
}

const INITIALIZE = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
};

const describeIfBuilt = existsSync(SERVER) ? describe : describe.skip;

describeIfBuilt('an agent', () => {
  let agent: Agent;

  beforeAll(async () => {
    agent = await new Agent(service.url).open();
  });
  afterAll(() => agent.end());

  test('has tools that describe themselves, none of which approves', async () => {
    const { tools } = await agent.ask('tools/list');
    const said = tools.map(({ name, annotations }: Json) => [
      name,
      annotations.readOnlyHint,
      annotations.destructiveHint,
    ]);
    expect(said).toEqual([
      ...TOOLS.map((name) => [name, true, undefined]),
      ['propose_refund', false, false],
      ['cancel_refund', false, true],
    ]);
    for (const { outputSchema } of tools) expect(outputSchema.type).toBe('object');
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
    const unreliable = await new Agent(`http://127.0.0.1:${await listen(line)}`).open();
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

  test('may use HTTP from this machine, and a web page may not', async () => {
    const port = await freePort();
    const env = {
      ...process.env,
      TILLGATE_URL: service.url,
      TILLGATE_KEY: key,
      PORT: String(port),
    };
    const child = spawn(process.execPath, [SERVER], { env, stdio: 'inherit' });
    const ask = (headers: object = {}) =>
      fetch(`http://127.0.0.1:${port}/mcp`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: INITIALIZE }),
      });
    await until(() =>
      ask().then(
        ({ ok }) => ok,
        () => false,
      ),
    );
    expect((await ask({ origin: 'https://evil.example' })).status).toBe(403);
    child.kill();
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
    const named = await new Agent(service.url, { TILLGATE_HOLDER: 'agent' }).open();
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
    const other = createServer((_request, response) => {
      requests += 1;
      response.writeHead(status);
      for (let time = 0; time < times; time++) response.write(page);
      response.end();
    });
    const misled = await new Agent(`http://127.0.0.1:${await listen(other)}`).open();
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

  test('is refused with two keys in one setting, and the error contains neither of them', async () => {
    const env = { ...process.env, TILLGATE_URL: service.url, TILLGATE_KEY: `${key}\n${key}` };
    const child = spawn(process.execPath, [SERVER], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    const said = await text(child.stderr as NodeJS.ReadableStream);
    expect(said).toMatch(/^TILLGATE_KEY must be .*\n$/);
    expect(said).not.toContain(key);
  });

  test('is refused with a key that may do more', async () => {
    const env = { ...process.env, TILLGATE_URL: service.url, TILLGATE_KEY: shop.key };
    const child = spawn(process.execPath, [SERVER], { env, stdio: 'ignore' });
    const code = await new Promise((resolve) => child.once('exit', resolve));
    expect(code).toBe(1);
  });
});

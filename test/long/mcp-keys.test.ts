/** The tools for agents take some keys over stdio and HTTP, and offer each what it may do. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Right } from '../../src/modules/access/domain/api-key.js';
import { useService } from '../kit/setup.js';
import {
  Agent,
  describeIfBuilt,
  INITIALIZE,
  type Json,
  resultOf,
  SERVER,
} from '../support/agent.js';
import { until } from '../support/processes.js';
import { head, sendBytes } from '../support/raw.js';
import { Shop } from '../support/shop.js';
import { freePort, listen } from '../support/sockets.js';
import { createKey } from '../support/tenants.js';

const service = useService();
let shop: Shop;

const keyWith = (rights: readonly Right[], holder = 'agent') =>
  createKey(service, { organization: shop.organization, holder, rights });
const namesOf = (tools: Json[]) => tools.map(({ name }) => name);

beforeAll(async () => {
  shop = await Shop.open(service);
});

/** Returns what the server prints when its settings are wrong, and its exit code. */
async function refused(settings: Readonly<Record<string, string>>) {
  const env = { ...process.env, TILLGATE_URL: service.url, ...settings };
  const child = spawn(process.execPath, [SERVER], { env, stdio: ['pipe', 'ignore', 'pipe'] });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  return { said: await text(child.stderr as NodeJS.ReadableStream), code: await ended };
}

describeIfBuilt('an agent over stdio', () => {
  let key: string;
  let agent: Agent;

  beforeAll(async () => {
    key = await keyWith(['propose', 'sessions']);
    agent = await Agent.open({ TILLGATE_URL: service.url, TILLGATE_KEY: key });
  });
  afterAll(() => agent.end());

  test.each<[Right[], string[]]>([
    [['propose'], ['create_session']],
    [['sessions'], ['propose_refund', 'cancel_refund']],
    [[], ['create_session', 'propose_refund', 'cancel_refund']],
  ])('with the rights %j is not offered %j', async (rights, missing) => {
    const limited = await Agent.open({
      TILLGATE_URL: service.url,
      TILLGATE_KEY: await keyWith(rights),
    });
    const offered = namesOf((await limited.ask('tools/list')).tools);
    const all = namesOf((await agent.ask('tools/list')).tools);
    expect(all.filter((name) => !offered.includes(name))).toEqual(missing);
    limited.end();
  });

  test('is told to wait if it calls too often', async () => {
    const hasty = await Agent.open({
      TILLGATE_URL: service.url,
      TILLGATE_KEY: key,
      RATE_LIMIT_RPS: '2',
    });
    const calls = [1, 2, 3].map(() => hasty.call('list_refunds', { limit: 1 }));
    const [first, second, third] = await Promise.all(calls);
    expect([first.error, second.error]).toEqual([undefined, undefined]);
    expect(third.error).toEqual({
      message: 'Too many calls in one second. Wait a second, then repeat the call.',
      next_call: { tool: 'list_refunds', arguments: { limit: 1 } },
    });
    hasty.end();
  });

  test('is refused with two keys in one setting, and the error contains neither of them', async () => {
    const { said, code } = await refused({ TILLGATE_KEY: `${key}\n${key}` });
    expect([said, code]).toEqual([expect.stringMatching(/^TILLGATE_KEY must be .*\n$/), 1]);
    expect(said).not.toContain(key);
  });

  test('is refused with a key that may do more', async () => {
    expect(await refused({ TILLGATE_KEY: shop.key })).toMatchObject({ code: 1 });
    const approving = await keyWith(['propose', 'approve'], 'lead');
    const refusals = {
      said: expect.stringMatching(/^TILLGATE_KEY is refused. The key has the right approve/),
      code: 1,
    };
    expect(await refused({ TILLGATE_KEY: approving })).toEqual(refusals);
  });

  test('is refused with a key that Tillgate does not know', async () => {
    const unknown = `${key.slice(0, -4)}0000`;
    const { said, code } = await refused({ TILLGATE_KEY: unknown });
    expect([said, code]).toEqual([expect.stringMatching(/^TILLGATE_KEY is refused/), 1]);
  });

  test('is told once that it can propose nothing', async () => {
    const child = spawn(process.execPath, [SERVER], {
      env: { ...process.env, TILLGATE_URL: service.url, TILLGATE_KEY: await keyWith([]) },
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    const [said] = await once(child.stderr as NodeJS.ReadableStream, 'data');
    expect(String(said)).toBe(
      'TILLGATE_KEY lacks the right propose: no refund can be proposed or canceled.\n',
    );
    child.kill();
  });
});

describeIfBuilt('an agent over HTTP', () => {
  let url: string;
  let end: () => void;

  const ask = (key: string | undefined, method: string, params: object, more: object = {}) =>
    fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...more,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
  /** Returns the result, which is the only event of the answer. */
  const told = async (answer: Promise<Response>): Promise<Json> => {
    const [, data = ''] = /^data: (.*)$/m.exec(await (await answer).text()) ?? [];
    return JSON.parse(data).result;
  };
  const call = async (key: string, name: string, given: object, more?: object) =>
    resultOf(await told(ask(key, 'tools/call', { name, arguments: given }, more)));

  beforeAll(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}/mcp`;
    const env = { ...process.env, TILLGATE_URL: service.url, TILLGATE_KEY: '', PORT: String(port) };
    const child = spawn(process.execPath, [SERVER], { env, stdio: 'inherit' });
    end = () => child.kill();
    await until(() =>
      fetch(url).then(
        () => true,
        () => false,
      ),
    );
  });
  afterAll(() => end());

  test('works with its own key, for whom its own header names', async () => {
    const [own, other] = [await keyWith(['propose']), await keyWith(['propose'], 'other')];
    const payment = await shop.capture({ amount: 1000 });
    const proposal = { payment, amount: 10, reference: 'over-http' };
    const actor = Buffer.from('José').toString('latin1');
    const headers = { 'tillgate-actor': actor, 'tillgate-holder': 'other' };
    const { refund, approval } = await call(own, 'propose_refund', proposal, headers);
    expect(approval.proposed_by).toMatchObject({ holder: 'agent', actor: 'José' });
    const { error } = await call(other, 'cancel_refund', { id: refund.id }, headers);
    expect(error.message).toBe('Somebody else proposed this refund. Whoever did can cancel it.');
  });

  test('is offered what its own key may', async () => {
    const offered = async (rights: readonly Right[]) =>
      namesOf((await told(ask(await keyWith(rights), 'tools/list', {}))).tools);
    expect(await offered(['propose'])).toContain('propose_refund');
    const reading = await offered([]);
    expect(reading).toContain('find_payments');
    expect(reading.filter((name) => /propose|cancel|create/.test(name))).toEqual([]);
  });

  test.each([
    ['without a key', () => undefined],
    ['with a secret key', () => shop.key],
    ['with a key that Tillgate does not know', () => `rk_test_${'x'.repeat(38)}`],
    ['with a key that approves', () => keyWith(['propose', 'approve'], 'lead')],
  ])('is refused %s', async (_, keyOf) => {
    const answer = await ask(await keyOf(), 'initialize', INITIALIZE);
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringMatching(/^Bearer .*invalid_token/),
    ]);
  });

  test('gets a 405 for every method but POST', async () => {
    const key = await keyWith([]);
    const { host } = new URL(url);
    for (const line of ['GET', 'DELETE', 'PUT', 'OPTIONS', 'TRACE', 'PROPFIND'].map(
      (method) => `${method} /mcp HTTP/1.1`,
    )) {
      const lines = [`Host: ${host}`, `Authorization: Bearer ${key}`];
      const { status, headers } = await sendBytes(url, head(line, ...lines));
      expect([line, status, headers.get('allow')]).toEqual([line, 405, 'POST']);
    }
  });

  test('comes from this machine, and no web page does', async () => {
    const key = await keyWith([]);
    expect((await ask(key, 'initialize', INITIALIZE)).status).toBe(200);
    const origin = { origin: 'https://evil.example' };
    expect((await ask(key, 'initialize', INITIALIZE, origin)).status).toBe(403);
  });
});

describeIfBuilt('the trace of an agent', () => {
  test('goes on to Tillgate', async () => {
    const traces: (string | undefined)[] = [];
    const tillgate = createServer(({ headers, method }, response) => {
      if (method === 'GET') traces.push(headers.traceparent as string | undefined);
      response.writeHead(403, { 'content-type': 'application/json' }).end('{}');
    });
    const agent = await Agent.open({
      TILLGATE_URL: `http://127.0.0.1:${await listen(tillgate)}`,
      TILLGATE_KEY: `rk_test_${'x'.repeat(38)}`,
    });
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    await agent.call('list_refunds', {}, { traceparent });
    await agent.call('list_refunds', {}, { traceparent: 'wrong' });
    expect(traces).toEqual([traceparent, undefined]);
    agent.end();
    tillgate.close();
  });
});

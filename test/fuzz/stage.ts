/** Plays a sequence, and notes what it does to sizes and everybody else. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { uuidOf } from '../../src/shared/id.js';
import { withClient } from '../support/postgres.js';
import { logFaults } from './fuzz.js';
import { requestsOf, type Step, type StepRequest } from './steps.js';
import { call, prepare, type Surroundings } from './surroundings.js';
import { Watchers } from './watchers.js';
import type { World } from './world.js';

/** More than a share, or tests, may have open to one URL. */
const MOST_AT_ONCE = 32;
const PAGE_BYTES = 65_536;
const LONGEST_MS = 10_000;
/** So much more than one and a half times an earlier equal call may be answered and stored. */
const SLACK = { 'bytes answered': 1_024, 'bytes stored': 2_048 };
/** A session whose page is as long as a page can be. */
const QUOTES = { name: '"'.repeat(255), description: '"'.repeat(1000) };
const LARGEST = Array(100).fill({ price_data: { currency: 'usd', unit_amount: 1, product_data: QUOTES } });
const TABLES = `SELECT table_name AS table FROM information_schema.columns
  WHERE table_schema = 'public' AND column_name = 'organization_id'`;

export class Stage {
  private readonly watchers: Watchers;

  constructor(
    private readonly world: World,
    private readonly statuses: Record<string, number>,
  ) {
    this.watchers = new Watchers(world);
  }

  async play(steps: readonly Step[]): Promise<string[]> {
    const { url, databaseUrl, prompt, late, log } = this.world;
    const from = log().length;
    const surroundings = await prepare(url, databaseUrl, [prompt.url, late.url]);
    const { callers, ids, ledger } = surroundings;
    const session = await call(url, callers.own.key, '/v1/checkout_sessions', { currency: 'usd', line_items: LARGEST });
    const page = await call(url, callers.own.key, `/v1/checkout_sessions/${session.id}/page`);
    ids.page = [page.url.split('/').at(-1)];
    const endpoints = '/ledger/v1/webhook_endpoints';
    const { data } = await call(url, ledger, endpoints);
    const endpoint = data[0] ?? (await call(url, ledger, endpoints, { url: late.url, events: ['payment.held'] }));
    ids.we?.push(endpoint.id);
    await this.watchers.read(ledger);
    const faults: string[] = [];
    for (const step of steps) {
      faults.push(...[...(await this.step(surroundings, step))].map((fault) => `${step.name}: ${fault}`));
    }
    faults.push(...(await this.watchers.faults(surroundings)), ...logFaults(log().slice(from)));
    return late.most > MOST_AT_ONCE ? [...faults, `one URL has ${late.most} calls at once`] : faults;
  }

  private async step(surroundings: Surroundings, step: Step): Promise<Set<string>> {
    const { own, other } = surroundings.callers;
    const faults = new Set<string>();
    let isOver = false;
    const watch = async () => {
      for (; !isOver; await sleep(100)) await call(this.world.url, other.key, '/v1/checkout_sessions?limit=1');
    };
    const watched = watch().catch((error) => faults.add(`others: ${error.cause ?? error}`));
    const request = await this.accepted(requestsOf(surroundings, step), faults);
    const half = () => this.half(step, request, own.organization, faults);
    const [first, second] = [await half(), await half()];
    isOver = true;
    await watched;
    // Calls at once make each other slow.
    if (step.atOnce > 10 || !first || !second) return faults;
    for (const [what, slack] of Object.entries(SLACK) as [keyof typeof SLACK, number][]) {
      const [before, after] = [Math.round(first[what]), Math.round(second[what])];
      if (after > 1.5 * before + slack) faults.add(`the same calls have more ${what}: ${before}, then ${after}`);
    }
    return faults;
  }

  /** A refusal that is repeated says little. */
  private async accepted(requests: readonly StepRequest[], faults: Set<string>): Promise<StepRequest> {
    for (const request of requests) {
      if (((await this.send(request, faults))?.status ?? 500) < 400) return request;
    }
    return requests[0] as StepRequest;
  }

  /** Bytes of one call, in the mean of half of the calls. */
  private async half({ name, times, atOnce }: Step, request: StepRequest, organization: string, faults: Set<string>) {
    const stored = await this.stored(organization);
    const startedAt = performance.now();
    const answers: { status: number; bytes: number }[] = [];
    let left = times / 2;
    const lane = async () => {
      while (left-- > 0 && performance.now() < startedAt + LONGEST_MS) {
        const answer = await this.send(request, faults);
        if (answer) answers.push(answer);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, lane));
    const isPage = name.includes(' /c/');
    const right = answers.filter(({ status }) => status < 400);
    if (right.length === 0) return undefined;
    const bytes = right.reduce((sum, answer) => sum + answer.bytes, 0) / right.length;
    if (isPage && bytes > PAGE_BYTES) faults.add(`a page of ${bytes} bytes`);
    const most = 50 + (performance.now() - startedAt) / 40;
    if (isPage && right.length > most) faults.add('who has no key has no bound');
    const added = ((await this.stored(organization)) - stored) / right.length;
    return { 'bytes answered': bytes, 'bytes stored': added };
  }

  private async send({ method, path, authorization, body }: StepRequest, faults: Set<string>) {
    const headers = {
      connection: 'close',
      ...(authorization && { authorization }),
      ...(body && { 'content-type': 'application/json' }),
      ...(method === 'POST' && { 'idempotency-key': randomUUID() }),
    };
    try {
      const response = await fetch(this.world.url + path, {
        method,
        headers,
        redirect: 'manual',
        ...(body && { body }),
      });
      const text = await response.text();
      const { status } = response;
      this.statuses[status] = (this.statuses[status] ?? 0) + 1;
      if (status === 500) faults.add(`500 ${text}`);
      return { status, bytes: Buffer.byteLength(text) };
    } catch (error) {
      faults.add(`not answered: ${(error as Error).cause}`);
      return undefined;
    }
  }

  private async stored(organization: string): Promise<number> {
    return withClient(this.world.databaseUrl, async (sql) => {
      const sums = (await sql.query(TABLES)).rows.map(
        ({ table }) => `SELECT sum(octet_length(${table}::text)) AS bytes FROM ${table} WHERE organization_id = $1`,
      );
      const { rows } = await sql.query(`SELECT sum(bytes) AS bytes FROM (${sums.join(' UNION ALL ')}) AS sums`, [
        uuidOf(organization),
      ]);
      return Number(rows[0].bytes);
    });
  }
}

/**
 * Sends requests that are drawn from a seed to a real service, and notes everything that no request
 * may cause.
 */
import { Agent } from 'node:http';
import { ask } from '../support/ask.js';
import type { Reply } from '../support/client.js';
import { faultsOf, faultsOfError } from '../support/description.js';
import { FAST_START, startServer } from '../support/processes.js';
import { answersTo } from '../support/raw.js';
import { type Drawn, type Plain, SMUGGLED } from './broken-requests.js';
import { FRESH, requestsOf } from './requests.js';
import { prepare } from './surroundings.js';

type Answer = Pick<Reply, 'status' | 'headers' | 'text'>;

export interface FuzzOptions {
  /** This is the URL of a migrated database. */
  readonly databaseUrl: string;
  readonly seed: number;
  readonly requests: number;
  /** If it is given, only the request with this number is sent. */
  readonly number?: number | undefined;
}

export interface FuzzReport {
  /** Each finding names its request by the number. */
  readonly faults: readonly string[];
  readonly statuses: Readonly<Record<string, number>>;
  readonly slowestMs: number;
  readonly heapGrowthMegabytes: number;
}

const LANES = 16;
const SLOW_MS = 1_000;
/** The service gives up a connection sooner than after this time. */
const PATIENCE_MS = 20_000;
/** So many requests are sent between two measurements of the heap. */
const LOOK_EVERY = 250;
/** The first measurements do not count, because code is compiled and caches fill. */
const WARM_UP = 0.4;
const MAX_GROWTH_MEGABYTES = 20;
/**
 * The heap is three times what is alive, so that garbage is collected often, on a busy machine too.
 * What is left is what grows.
 */
const SMALL_HEAP = '--max-old-space-size=160';
const MANY_FAULTS = 20;
/** A report shows so much of a request. */
const EXCERPT = 600;
const MEGABYTE = 2 ** 20;

export async function fuzz({
  databaseUrl,
  seed,
  requests,
  number,
}: FuzzOptions): Promise<FuzzReport> {
  const server = await startServer({
    DATABASE_URL: databaseUrl,
    LOG_LEVEL: 'info',
    NODE_OPTIONS: `${FAST_START.NODE_OPTIONS} ${SMALL_HEAP}`,
  });
  try {
    const surroundings = await prepare(server.url, databaseUrl);
    const run = new Run(server.url, seed, requestsOf(surroundings));
    await run.sendAll(
      number === undefined ? 0 : number,
      number === undefined ? requests : number + 1,
    );
    await run.repeatSlow();
    const status = server.child.exitCode ?? server.child.signalCode;
    const { stdout, stderr } = await server.stop();
    const secrets = [...Object.values(surroundings.keys), ...surroundings.otherKeys].map(
      (key) => key.split(' ')[1] ?? '',
    );
    const faults = [
      ...run.faults,
      ...(status === null ? [] : [`the service ended with ${status}`]),
    ];
    return {
      ...run.report,
      faults: [...faults, ...logFaults(stdout + stderr, secrets), ...run.growthFaults()],
    };
  } finally {
    server.child.kill('SIGKILL');
  }
}

class Run {
  readonly faults: string[] = [];
  private readonly statuses: Record<string, number> = {};
  private readonly slow: number[] = [];
  private readonly heaps: number[] = [];
  private readonly agent = new Agent({ keepAlive: true, maxSockets: LANES });
  private slowestMs = 0;
  private repetition = 0;

  constructor(
    private readonly url: string,
    private readonly seed: number,
    private readonly draw: (seed: number, number: number) => Drawn,
  ) {}

  get report() {
    return { statuses: this.statuses, slowestMs: this.slowestMs, heapGrowthMegabytes: this.growth };
  }

  async sendAll(first: number, end: number): Promise<void> {
    let next = first;
    const lane = async () => {
      while (next < end && this.faults.length < MANY_FAULTS) {
        const number = next++;
        if (number % LOOK_EVERY === 0) await this.lookAtHeap();
        await this.send(number);
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
  }

  /**
   * A busy machine makes any request slow, or answers 503. A finding is a request that does so
   * again and again while nothing else runs.
   */
  async repeatSlow(): Promise<void> {
    for (const number of this.slow.splice(0)) {
      let isSlow = true;
      for (let attempt = 0; attempt < 10 && isSlow; attempt++) {
        this.repetition += 1;
        await this.send(number);
        isSlow = this.slow.pop() === number;
      }
      if (isSlow) this.faults.push(`request ${number}: over ${SLOW_MS} ms or 503, also alone`);
    }
  }

  growthFaults(): string[] {
    const growth = this.growth;
    return growth > MAX_GROWTH_MEGABYTES ? [`the heap grew by ${growth} MB after the warm-up`] : [];
  }

  /** The smallest heap contains the least garbage. */
  private get growth(): number {
    const after = this.heaps.slice(Math.floor(this.heaps.length * WARM_UP));
    const half = Math.floor(after.length / 2);
    if (half < 10) return 0;
    return Math.round(
      (Math.min(...after.slice(half)) - Math.min(...after.slice(0, half))) / MEGABYTE,
    );
  }

  private async lookAtHeap(): Promise<void> {
    const metrics = await (await fetch(`${this.url}/metrics`)).text();
    this.heaps.push(Number(/^nodejs_heap_size_used_bytes (\S+)/m.exec(metrics)?.[1]));
  }

  private async send(number: number): Promise<void> {
    const drawn = this.fresh(this.draw(this.seed, number), number);
    try {
      const startedAt = performance.now();
      const answers = drawn.plain
        ? [await this.plain(drawn.plain)]
        : await answersTo(this.url, drawn.bytes);
      const ms = performance.now() - startedAt;
      const isBusy = answers.some(({ status }) => status === 503);
      if (!isBusy) this.judge(number, drawn, answers);
      if (drawn.awaited > 0) this.slowestMs = Math.max(this.slowestMs, Math.round(ms));
      if (isBusy || (drawn.awaited > 0 && ms > SLOW_MS)) this.slow.push(number);
    } catch (error) {
      this.faults.push(`request ${number}: ${(error as Error).message}`);
    }
  }

  private async plain({ method, target, headers, body }: Plain): Promise<Answer> {
    const length = body && { 'content-length': body.length };
    const options = { method, path: target, headers: { host: 'x', ...headers, ...length }, body };
    const signal = AbortSignal.timeout(PATIENCE_MS);
    // Any connection may be closed at any time before a request, so this request is sent again.
    const answer = await ask(this.url, { ...options, signal, agent: this.agent }).catch(() => {
      return ask(this.url, { ...options, signal });
    });
    return {
      status: answer.status,
      headers: new Headers(answer.headers as Record<string, string>),
      text: `${answer.bytes}`,
    };
  }

  private judge(
    number: number,
    { plain, bytes, awaited }: Drawn,
    answers: readonly Answer[],
  ): void {
    const faults = answers.flatMap((answer) => this.faultsOf(answer, plain));
    if (answers.length < awaited) faults.push(`${answers.length} of ${awaited} answers`);
    const ids = answers.map(({ headers }) => headers.get('request-id'));
    if (ids.includes(SMUGGLED)) faults.push('a body was answered as a request');
    const places = ids.flatMap((id) => /^in-order-(\d+)$/.exec(id ?? '')?.[1] ?? []).map(Number);
    if (places.some((place, at) => place !== at)) faults.push(`answers in another order: ${ids}`);
    const sent = JSON.stringify(bytes.slice(0, EXCERPT));
    this.faults.push(...faults.map((fault) => `request ${number}: ${fault} (sent ${sent})`));
  }

  private faultsOf({ status, headers, text }: Answer, plain: Drawn['plain']): string[] {
    this.statuses[status] = (this.statuses[status] ?? 0) + 1;
    if (status >= 500) return [`${status} ${text}`];
    if (plain?.method === 'HEAD') return [];
    const url = this.url + (plain?.target ?? '/');
    // These bytes, heads that are too large and paths that a URL writes otherwise only need an
    // answer of the API.
    const isNamed =
      plain &&
      status !== 431 &&
      new URL(url).href.startsWith(this.url + plain.target.split('?')[0]);
    if (!isNamed) return status < 400 ? [] : faultsOfError(text);
    const { method, headers: sent, body } = plain;
    const requestBody = body?.length ? body : undefined;
    return faultsOf({
      method,
      url,
      requestHeaders: new Headers(sent),
      requestBody,
      status,
      headers,
      text,
    });
  }

  /** A request that needs a new key gets a new one each time that it is sent. */
  private fresh({ plain, bytes, awaited }: Drawn, number: number): Drawn {
    const value = `${this.seed}-${number}-${this.repetition}`;
    const renewed = bytes.replaceAll(FRESH, value);
    if (!plain) return { awaited, bytes: renewed };
    const headers = Object.entries(plain.headers).map(
      ([name, text]) => [name, text === FRESH ? value : text] as const,
    );
    return { plain: { ...plain, headers: Object.fromEntries(headers) }, bytes: renewed, awaited };
  }
}

/** A receiver that a caller named does not answer, or the request should be sent again. */
const USUAL = /"context":\["Webhooks"\],"msg":"evt_|"msg":"service unavailable"/;

/** No other act of a caller is worth a warning, and no line of the log contains a key. */
function logFaults(log: string, secrets: readonly string[]): string[] {
  const lines = log
    .split('\n')
    .filter((line) => line !== '' && !/^Tillgate \S+ listens on/.test(line));
  const loud = lines.filter((line) => !/^\{"level":[1-3]0,/.test(line) && !USUAL.test(line));
  const leaks = lines.filter((line) =>
    secrets.some((secret) => secret.length > 8 && line.includes(secret)),
  );
  return [
    ...loud.map((line) => `the log has ${line}`),
    ...leaks.map((line) => `the log has a key: ${line}`),
  ].slice(0, MANY_FAULTS);
}

/**
 * A line stands between one worker and Tillgate, or the provider. It loses requests and answers,
 * repeats them, and delays them.
 */
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, Json } from './api.js';
import type { Fate } from './scenes.js';
import { slowness } from './waits.js';

export interface Request {
  /** The worker 0 or 1 sent the request. */
  readonly worker: number;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: Json;
  /** True if nobody waits for its answer: it arrived before, or its worker has given it up. */
  readonly isUnheard?: boolean;
}

/** The far end of a line. */
export interface Side {
  fateOf(request: Request): Promise<Fate>;
  carryOut(request: Request): Promise<Answer>;
  /** These answers say that nothing was done. */
  readonly refusals: Partial<Record<Fate, Answer>>;
  /** Returns the answer of the fate `server error`. */
  error(): Answer;
  /**
   * Called when a request arrives. Returns a function that is called when the answer is known,
   * before the worker has it.
   */
  receive(request: Request): (answer: Answer | undefined, fate: Fate) => Promise<void>;
}

export interface Events {
  /** Resolves when the clock has moved. */
  moved(): Promise<void>;
  /** Resolves when another request for a payout of the same refund came, or when none will come. */
  overtaken(request: Request): Promise<void>;
  /** Resolves when a worker has waited too long for an answer. */
  tooLong(): Promise<void>;
  waitedTooLong(request: Request): void;
  kill(worker: number): void;
  /**
   * Returns the time that the worker is told, in seconds: its own clock knows nothing of skipped
   * time, and may be wrong.
   */
  told(member: string, time: number): number;
}

const SLOW_MS = 700;
const LOST: readonly Fate[] = ['answer lost', 'worker killed'];
/** These members of Tillgate's answers are times. */
const TIMES = /"(created|expires_at)":(\d+)/g;

export class Line {
  /** The number of answers that are delayed now. */
  held = 0;
  /** The number of calls that have no answer, and that the worker has not given up. */
  unanswered = 0;
  private readonly late: (() => Promise<unknown>)[] = [];
  private readonly underWay = new Set<Promise<Answer>>();
  private readonly server = createServer((request, response) => {
    this.handle(request, response).catch(() => response.socket?.resetAndDestroy());
  });

  constructor(
    readonly worker: number,
    private readonly side: Side,
    private readonly events: Events,
  ) {}

  async open(): Promise<string> {
    await once(this.server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Waits until no request of a killed worker can arrive any more. */
  async drain(): Promise<void> {
    this.server.closeAllConnections();
    await Promise.all(this.underWay);
  }

  async close(): Promise<void> {
    this.server.close();
    await this.drain();
  }

  /** Lets late requests arrive. */
  async deliver(): Promise<void> {
    for (const request of this.late.splice(0)) await request();
  }

  private async handle(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers, socket } = message;
    const text = Buffer.concat(await message.toArray()).toString();
    const request = { worker: this.worker, method, path, headers, text, body: parsed(text) };
    const { side, events } = this;
    const note = side.receive(request);
    const fate = await side.fateOf(request);
    if (fate === 'request late') this.late.push(() => this.arrive(request, fate));
    if (fate === 'request late' || fate === 'request lost') {
      await note(undefined, fate);
      return void socket.resetAndDestroy();
    }
    if (fate === 'overtaken') await this.hold(() => events.overtaken(request));
    const answer = side.refusals[fate] ?? (await this.carryOut(request));
    await note(answer, fate);
    if (fate === 'arrives twice') await this.arrive(request, fate);
    if (fate === 'answer late') await this.hold(() => events.moved());
    if (fate === 'never answered') return this.leaveUnanswered(request, socket);
    if (fate === 'answer slow') await sleep(SLOW_MS * slowness());
    if (fate === 'worker killed') events.kill(this.worker);
    if (LOST.includes(fate)) return void socket.resetAndDestroy();
    this.respond(response, fate === 'server error' ? side.error() : answer);
  }

  private async leaveUnanswered(request: Request, socket: Socket): Promise<void> {
    this.unanswered += 1;
    const givenUp = once(socket, 'close').then(() => true);
    const tooLong = this.events.tooLong().then(() => false);
    const isGivenUp = await Promise.race([givenUp, tooLong]);
    if (!isGivenUp) this.events.waitedTooLong(request);
    this.unanswered -= 1;
    socket.resetAndDestroy();
  }

  /** Sends a request whose answer nobody waits for. */
  private async arrive(request: Request, fate: Fate): Promise<void> {
    const note = this.side.receive({ ...request, isUnheard: true });
    await note(await this.carryOut(request), fate);
  }

  private respond(response: ServerResponse, { status, body, retryAfter }: Answer): void {
    const { told } = this.events;
    const isPage = typeof body === 'string';
    const text = isPage
      ? body
      : JSON.stringify(body).replace(
          TIMES,
          (_, member, time) => `"${member}":${told(member, Number(time))}`,
        );
    response.writeHead(status, {
      'content-type': isPage ? 'text/html' : 'application/json',
      date: new Date(told('date', Date.now() / 1000) * 1000).toUTCString(),
      ...(retryAfter && { 'retry-after': String(retryAfter) }),
    });
    response.end(text);
  }

  private async hold(until: () => Promise<void>): Promise<void> {
    this.held += 1;
    await until();
    this.held -= 1;
  }

  private carryOut(request: Request): Promise<Answer> {
    const answer = this.side.carryOut(request);
    this.underWay.add(answer);
    const done = () => void this.underWay.delete(answer);
    answer.then(done, done);
    return answer;
  }
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What stands between one worker and Tillgate, or the provider: it loses requests and answers, repeats them, and holds them up. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, Json } from './api.js';
import type { Fate } from './plan.js';

export interface Request {
  /** 0 or 1: which of the two commands sent it. */
  readonly worker: number;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: Json;
}

/** What is at the far end. */
export interface Side {
  fateOf(request: Request): Promise<Fate>;
  carryOut(request: Request): Promise<Answer>;
  /** Called once for each request, when its answer is known. */
  note(request: Request, answer: Answer | undefined, fate: Fate): void;
}

export interface Events {
  /** Resolves when the clock has moved. */
  moved(): Promise<void>;
  /** Resolves when another request for a payout of the same refund came, or none will. */
  overtaken(request: Request): Promise<void>;
  kill(worker: number): void;
}

const SLOW_MS = 700;
const REFUSALS: Partial<Record<Fate, Answer>> = {
  overtaken: { status: 429, body: { error: 'no_balance' } },
  'no balance': { status: 429, body: { error: 'no_balance' } },
  unavailable: { status: 503, body: { error: 'unavailable' } },
};

export class Line {
  /** Answers that are held up now. */
  held = 0;
  private readonly underWay = new Set<Promise<Answer>>();
  private readonly server = createServer((request, response) => {
    this.handle(request, response).catch(() => response.socket?.resetAndDestroy());
  });

  constructor(
    private readonly worker: number,
    private readonly side: Side,
    private readonly events: Events,
  ) {}

  async open(): Promise<string> {
    await once(this.server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Nothing of a killed worker arrives after this. */
  async drain(): Promise<void> {
    this.server.closeAllConnections();
    await Promise.all(this.underWay);
  }

  async close(): Promise<void> {
    this.server.close();
    await this.drain();
  }

  private async handle(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers, socket } = message;
    const text = Buffer.concat(await message.toArray()).toString();
    const request = { worker: this.worker, method, path, headers, text, body: parsed(text) };
    const fate = await this.side.fateOf(request);
    if (fate === 'request lost') {
      this.side.note(request, undefined, fate);
      return void socket.resetAndDestroy();
    }
    if (fate === 'overtaken') await this.hold(() => this.events.overtaken(request));
    const answer = REFUSALS[fate] ?? (await this.carryOut(request));
    this.side.note(request, answer, fate);
    if (fate === 'arrives twice') await this.carryOut(request);
    if (fate === 'answer late') await this.hold(() => this.events.moved());
    if (fate === 'answer slow') await sleep(SLOW_MS);
    if (fate === 'worker killed') this.events.kill(this.worker);
    if (fate === 'worker killed' || fate === 'answer lost') return void socket.resetAndDestroy();
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body));
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

/**
 * Sends requests unchanged, even malformed ones. It uses node:http, because fetch joins repeated
 * headers and corrects paths.
 */
import { Agent as PlainAgent, request as plainRequest } from 'node:http';
import { request as secureRequest, Agent as TlsAgent } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Sent {
  readonly method: string;
  readonly path: string;
  /** A header with several values is sent once for each value. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: Buffer | undefined;
}

export interface Answer {
  readonly status: number;
  /** The headers by their lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The text is parsed as JSON, or this is undefined if it is not JSON. */
  readonly body: unknown;
}

/** Returns the bytes of UTF-8 as text, because Node writes a header as Latin-1. */
function inUtf8(headers: Sent['headers']): Record<string, string | string[]> {
  const bytes = (text: string) => Buffer.from(text, 'utf8').toString('latin1');
  const encoded = Object.entries(headers).map(
    ([name, value]) => [name, Array.isArray(value) ? value.map(bytes) : bytes(value)] as const,
  );
  return Object.fromEntries(encoded);
}

const TIMEOUT_MS = 15_000;
/**
 * A deployment may limit its rate. A 429 is repeated, because it does not answer the case's
 * question.
 */
const MAX_RATE_LIMITED = 10;
const MAX_PAUSE_SECONDS = 5;

export class Connection {
  private readonly base: URL;
  private readonly agent: PlainAgent;
  private readonly request: typeof plainRequest;

  constructor(baseUrl: string) {
    this.base = new URL(baseUrl);
    const isSecure = this.base.protocol === 'https:';
    this.agent = isSecure ? new TlsAgent({ keepAlive: true }) : new PlainAgent({ keepAlive: true });
    this.request = isSecure ? secureRequest : plainRequest;
  }

  /** Sends a request, and repeats it after a 429. */
  async send(sent: Sent): Promise<Answer> {
    for (let attempt = 1; ; attempt++) {
      const answer = await this.sendOnce(sent);
      if (answer.status !== 429 || attempt === MAX_RATE_LIMITED) return answer;
      await sleep(
        1000 * Math.min(Number(answer.headers['retry-after'] ?? 1) || 1, MAX_PAUSE_SECONDS),
      );
    }
  }

  close(): void {
    this.agent.destroy();
  }

  private sendOnce({ method, path, headers, body }: Sent): Promise<Answer> {
    const { hostname, port, pathname } = this.base;
    const options = {
      agent: this.agent,
      // Only URLs have brackets around an IPv6 address.
      hostname: hostname.replace(/^\[(.*)\]$/, '$1'),
      port,
      method,
      path: pathname.replace(/\/$/, '') + path,
      headers: {
        ...inUtf8(headers),
        ...(body === undefined ? {} : { 'Content-Length': String(body.length) }),
      },
      timeout: TIMEOUT_MS,
    };
    return new Promise((resolve, reject) => {
      const request = this.request(options, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          const status = response.statusCode ?? 0;
          resolve({ status, headers: flat(response.headers), text, body: parsed(text) });
        });
      });
      request.on('timeout', () =>
        request.destroy(new Error(`no answer within ${TIMEOUT_MS / 1000} seconds`)),
      );
      request.on('error', reject);
      request.end(body);
    });
  }
}

function flat(headers: NodeJS.Dict<string | string[]>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]),
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../../../../platform/config.js';
import type { Mode } from '../../../../shared/caller.js';
import { WebhookUrls } from '../../../../shared/webhook-urls.js';
import { eventJson } from '../../../events/adapters/representation/events.views.js';
import { type Message, Receivers } from '../../application/receivers.js';
import type { AttemptResult } from '../../domain/schedule.js';
import { checkUrl, GuardedAgent, type GuardedRequest, NotAllowed, type Rules } from './guarded-socket.js';
import type { Resolve } from './names.js';
import { headersOf } from './signature.js';

/** The body of a response is read, so that the connection can be reused, but no further than this. */
const MAX_RESPONSE_BYTES = 64 * 1024;
const MAX_RESPONSE_MS = 1_000;
const MAX_INFORMATIONAL = 8;

export abstract class Network {
  /** For a whole attempt, from DNS to the status of the response. */
  abstract readonly timeoutMs: number;
  abstract readonly resolve: Resolve;
}

/** Sends webhooks over HTTP/1.1, without proxies or redirects. */
@Injectable()
export class HttpReceivers extends Receivers implements OnApplicationShutdown {
  /** Kept apart: some may have connections to private addresses, which the others may not reuse. */
  private readonly agents: Readonly<Record<Mode, Readonly<Record<'organization' | 'ledger', GuardedAgent>>>>;

  constructor(
    config: Config,
    private readonly network: Network,
    private readonly urls: WebhookUrls,
  ) {
    super();
    const resolve: Resolve = (hostname, signal) => network.resolve(hostname, signal);
    const live = { allowPrivate: config.webhookAllowPrivate, resolve };
    const agentsBy = (rules: Rules) => ({
      organization: new GuardedAgent(rules),
      ledger: new GuardedAgent({ ...rules, networks: config.ledgerWebhookNetworks }),
    });
    this.agents = { live: agentsBy(live), test: agentsBy({ ...live, allowLoopback: urls.allowLoopback }) };
  }

  /** Closes idle connections, which would keep a command's process alive. */
  onApplicationShutdown(): void {
    for (const agent of Object.values(this.agents).flatMap(Object.values<GuardedAgent>)) agent.destroy();
  }

  async send(message: Message, ended: AbortSignal): Promise<AttemptResult> {
    const startedAt = performance.now();
    const attempt = new AbortController();
    const { signal } = attempt;
    const end = () => attempt.abort(ended.reason);
    if (ended.aborted) end();
    ended.addEventListener('abort', end, { once: true });
    const { timeoutMs } = this.network;
    const timer = setTimeout(() => attempt.abort(new Error(`No response within ${timeoutMs} ms.`)), timeoutMs);
    const response = await this.exchange(message, attempt)
      .catch((error: unknown) => {
        if (isOutOfFiles(error)) throw error;
        return { statusCode: null, retryAfter: null, error: explain(signal.aborted ? signal.reason : error) };
      })
      .finally(() => {
        clearTimeout(timer);
        ended.removeEventListener('abort', end);
      });
    return { ...response, durationMs: Math.round(performance.now() - startedAt) };
  }

  private async exchange(message: Message, attempt: AbortController): Promise<Omit<AttemptResult, 'durationMs'>> {
    const url = new URL(message.url);
    const fault = this.urls.faultOf(message.url, message.event.mode);
    if (fault) throw new NotAllowed(`The URL ${fault}.`);
    checkUrl(url);
    const agent = this.agents[message.event.mode][message.organization === undefined ? 'organization' : 'ledger'];
    const { statusCode = 0, headers } = await post(url, agent, message, attempt);
    const isRedirect = statusCode >= 300 && statusCode < 400;
    const error = isRedirect ? 'Redirects are not followed.' : null;
    return { statusCode, error, retryAfter: headers['retry-after'] ?? null };
  }
}

/** A receiver may close an idle connection at the moment of its reuse. Then the request is repeated on another connection. */
async function post(
  url: URL,
  agent: GuardedAgent,
  message: Message,
  attempt: AbortController,
): Promise<IncomingMessage> {
  const sent = begin(url, agent, message, attempt);
  try {
    const response = await responseTo(sent);
    await drain(response);
    return response;
  } catch (error) {
    if (!sent.reusedSocket || attempt.signal.aborted) throw error;
    return post(url, agent, message, attempt);
  }
}

function begin(url: URL, agent: GuardedAgent, message: Message, attempt: AbortController): ClientRequest {
  const payload = eventJson(message.event, message.organization);
  const defaultPort = url.protocol === 'https:' ? 443 : 80;
  const options: GuardedRequest = {
    agent,
    method: 'POST',
    host: url.hostname,
    port: url.port || defaultPort,
    defaultPort,
    path: url.pathname + url.search,
    headers: { 'content-type': 'application/json', 'user-agent': 'Tillgate', ...headersOf(message, payload) },
    signal: attempt.signal,
    attempt: attempt.signal,
  };
  const sent = request(options);
  let informational = 0;
  sent.on('information', () => {
    informational += 1;
    if (informational > MAX_INFORMATIONAL) attempt.abort(new Error('Too many informational responses.'));
  });
  return sent.end(payload);
}

/** A connection that switches protocols is closed without an error. */
function responseTo(sent: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sent.on('response', resolve);
    sent.on('error', reject);
    sent.on('close', () => reject(new Error('The connection was closed without a response.')));
  });
}

/** Reads the body within its limits. The status has already decided the attempt, so a broken body is no error. */
async function drain(response: IncomingMessage): Promise<void> {
  const timer = setTimeout(() => response.destroy(), MAX_RESPONSE_MS);
  let left = MAX_RESPONSE_BYTES;
  response.on('data', ({ length }: Buffer) => {
    left -= length;
    if (left < 0) response.destroy();
  });
  await once(response, 'close').catch(() => undefined);
  clearTimeout(timer);
}

const isOutOfFiles = (error: unknown) => ['EMFILE', 'ENFILE'].includes(`${(error as NodeJS.ErrnoException).code}`);

function explain(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (error instanceof NotAllowed) return message;
  if (code?.startsWith('HPE_')) return 'The response is not HTTP/1.1.';
  return String(code ?? message).slice(0, 200);
}

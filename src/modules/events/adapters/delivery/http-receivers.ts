import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Dispatcher } from 'undici';
import { Config } from '../../../../platform/config.js';
import { WebhookUrls } from '../../../../shared/webhook-urls.js';
import { type Message, Receivers } from '../../application/receivers.js';
import type { AttemptResult } from '../../domain/schedule.js';
import { eventJson } from '../representation/events.views.js';
import { Connections } from './connections.js';
import { checkUrl, NotAllowed } from './guarded-socket.js';
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
  private readonly toOrganizations: Connections;
  /** Kept apart: it may have connections to private addresses, which no organization's delivery may reuse. */
  private readonly toLedger: Connections;

  constructor(
    config: Config,
    private readonly network: Network,
    private readonly urls: WebhookUrls,
  ) {
    super();
    const resolve: Resolve = (hostname, signal) => network.resolve(hostname, signal);
    const rules = { allowPrivate: config.webhookAllowPrivate, resolve };
    this.toOrganizations = new Connections(rules);
    this.toLedger = new Connections({ ...rules, networks: config.ledgerWebhookNetworks });
  }

  /** Closes idle connections, which would keep a command's process alive. */
  onApplicationShutdown(): void {
    this.toOrganizations.close();
    this.toLedger.close();
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
    const connections = message.organization === undefined ? this.toOrganizations : this.toLedger;
    const { statusCode, headers } = await this.post(url, connections, message, attempt);
    const isRedirect = statusCode >= 300 && statusCode < 400;
    const error = isRedirect ? 'Redirects are not followed.' : null;
    const retryAfter = headers['retry-after'];
    return { statusCode, error, retryAfter: typeof retryAfter === 'string' ? retryAfter : null };
  }

  /** A receiver may close an idle connection at the moment of its reuse. Then the request is repeated on a fresh connection. */
  private async post(
    url: URL,
    connections: Connections,
    message: Message,
    attempt: AbortController,
    mustBeFresh = false,
  ): Promise<Dispatcher.ResponseData> {
    const connection = await connections.take(url, attempt.signal, mustBeFresh);
    try {
      const response = await connection.client.request(requestOf(url, message, attempt));
      await drain(response.body);
      connections.give(connection, url);
      return response;
    } catch (error) {
      void connection.client.destroy();
      if (!connection.isReused || attempt.signal.aborted) throw error;
      return this.post(url, connections, message, attempt, true);
    }
  }
}

function requestOf(url: URL, message: Message, attempt: AbortController): Dispatcher.RequestOptions {
  const payload = eventJson(message.event, message.organization);
  let informational = 0;
  return {
    method: 'POST',
    path: url.pathname + url.search,
    headers: { 'content-type': 'application/json', 'user-agent': 'Tillgate', ...headersOf(message, payload) },
    body: payload,
    signal: attempt.signal,
    onInfo: () => {
      informational += 1;
      if (informational > MAX_INFORMATIONAL) attempt.abort(new Error('Too many informational responses.'));
    },
  };
}

/** Reads the body within its limits. The status has already decided the attempt, so a broken body is no error. */
async function drain(body: Dispatcher.ResponseData['body']): Promise<void> {
  const timer = setTimeout(() => body.destroy(), MAX_RESPONSE_MS);
  await body.dump({ limit: MAX_RESPONSE_BYTES }).catch(() => undefined);
  clearTimeout(timer);
}

const isOutOfFiles = (error: unknown) => ['EMFILE', 'ENFILE'].includes(`${(error as NodeJS.ErrnoException).code}`);

function explain(error: unknown): string {
  const { name, code, message } = error as NodeJS.ErrnoException;
  if (error instanceof NotAllowed) return message;
  if (name === 'HTTPParserError') return 'The response is not HTTP/1.1.';
  if (code === 'UND_ERR_SOCKET') return 'ECONNRESET';
  return String(code ?? message).slice(0, 200);
}

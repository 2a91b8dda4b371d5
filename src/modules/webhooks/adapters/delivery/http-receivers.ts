import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { isIP } from 'node:net';
import { urlToHttpOptions } from 'node:url';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../../../../platform/config.js';
import { CallbackUrls, isCallbackPort } from '../../../../shared/callback-urls.js';
import type { Mode } from '../../../../shared/caller.js';
import { eventJson } from '../../../events/index.js';
import { type Message, Receivers } from '../../application/receivers.js';
import type { AttemptResult } from '../../domain/schedule.js';
import { GuardedAgent, type GuardedRequest, NotAllowed, type Rules } from './guarded-agent.js';
import { nameResolver, type Resolve } from './names.js';
import { headersOf } from './signature.js';
import { ProxyFault, Tunnels } from './tunnels.js';

/** The body of a response is read, so that the connection can be reused, but only this far. */
const MAX_RESPONSE_BYTES = 64 * 1024;
const MAX_RESPONSE_MS = 1_000;
const MAX_INFORMATIONAL = 8;

@Injectable()
export class Network {
  /**
   * The timeout is for a whole attempt, from DNS to the status of the response. 15 seconds are
   * common for webhooks.
   */
  readonly timeoutMs: number = 15_000;
  readonly resolve = nameResolver();
}

/**
 * Sends webhooks over HTTP/1.1, without redirects, and through the proxy of WEBHOOK_PROXY if it is
 * set.
 */
@Injectable()
export class HttpReceivers extends Receivers implements OnApplicationShutdown {
  /**
   * The agents are kept apart, because some may have connections to private addresses, which the
   * others may not reuse.
   */
  private readonly agents: Readonly<
    Record<Mode, Readonly<Record<'organization' | 'ledger', GuardedAgent>>>
  >;

  constructor(
    config: Config,
    private readonly network: Network,
    private readonly urls: CallbackUrls,
  ) {
    super();
    const resolve: Resolve = (hostname, signal) => network.resolve(hostname, signal);
    const tunnels =
      config.webhookProxy === undefined ? undefined : new Tunnels(config.webhookProxy);
    const live = { allowPrivate: config.webhookAllowPrivate, resolve, tunnels };
    const agentsBy = (rules: Rules) => ({
      organization: new GuardedAgent(rules),
      ledger: new GuardedAgent({ ...rules, networks: config.ledgerWebhookNetworks }),
    });
    this.agents = {
      live: agentsBy(live),
      test: agentsBy({ ...live, allowLoopback: urls.allowLoopback }),
    };
  }

  /** Closes idle connections, which would keep a command's process alive. */
  onApplicationShutdown(): void {
    for (const agent of Object.values(this.agents).flatMap(Object.values<GuardedAgent>))
      agent.destroy();
  }

  async send(message: Message, ended: AbortSignal): Promise<AttemptResult> {
    const startedAt = performance.now();
    const { timeoutMs } = this.network;
    const late = new AbortController();
    const timer = setTimeout(
      () => late.abort(new Error(`No response within ${timeoutMs} ms.`)),
      timeoutMs,
    );
    const attempt = AbortSignal.any([ended, late.signal]);
    const response = await this.exchange(message, attempt)
      .catch((error: unknown) => {
        if (isOutOfFiles(error)) throw error;
        return {
          statusCode: null,
          retryAfter: null,
          error: explain(attempt.aborted ? attempt.reason : error),
        };
      })
      .finally(() => clearTimeout(timer));
    return { ...response, durationMs: Math.round(performance.now() - startedAt) };
  }

  private async exchange(
    message: Message,
    attempt: AbortSignal,
  ): Promise<Omit<AttemptResult, 'durationMs'>> {
    const url = new URL(message.url);
    const fault = this.urls.faultOf(message.url, message.event.mode);
    if (fault) throw new NotAllowed(`The URL ${fault}.`);
    if (!isCallbackPort(url.port))
      throw new NotAllowed('Webhooks are only sent to port 80, 443, or a port from 1024 up.');
    const agent =
      this.agents[message.event.mode][
        message.organization === undefined ? 'organization' : 'ledger'
      ];
    const target = urlToHttpOptions(url);
    const host = target.hostname ?? '';
    if (isIP(host)) agent.check([{ address: host }]);
    const payload = eventJson(message.event, message.organization);
    const options = {
      ...target,
      protocol: null,
      auth: null,
      defaultPort: url.protocol === 'https:' ? 443 : 80,
      agent,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Tillgate',
        ...headersOf(message, payload),
      },
      signal: attempt,
      attempt,
    };
    const { statusCode = 0, headers } = await post(options, payload);
    const isRedirect = statusCode >= 300 && statusCode < 400;
    const error = isRedirect ? 'Redirects are not followed.' : null;
    return { statusCode, error, retryAfter: headers['retry-after'] ?? null };
  }
}

/**
 * A receiver may close an idle connection at the moment of its reuse. Then the request is repeated
 * on another connection.
 */
async function post(options: GuardedRequest, payload: string): Promise<IncomingMessage> {
  const sent = request(options);
  let informational = 0;
  sent.on('information', () => {
    informational += 1;
    if (informational > MAX_INFORMATIONAL)
      sent.destroy(new Error('Too many informational responses.'));
  });
  try {
    const response = await responseTo(sent.end(payload));
    await drain(response);
    return response;
  } catch (error) {
    if (!sent.reusedSocket || options.attempt.aborted) throw error;
    return post(options, payload);
  }
}

/** A connection that switches protocols is closed without an error. */
async function responseTo(sent: ClientRequest): Promise<IncomingMessage> {
  const [response] = await Promise.race([once(sent, 'response'), once(sent, 'close')]);
  if (!response) throw new Error('The connection was closed without a response.');
  return response;
}

/**
 * Reads the body within its limits. The status has already decided the attempt, so a broken body is
 * no error.
 */
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

const isOutOfFiles = (error: unknown) =>
  ['EMFILE', 'ENFILE'].includes(`${(error as NodeJS.ErrnoException).code}`);

function explain(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (error instanceof NotAllowed || error instanceof ProxyFault) return message;
  if (code?.startsWith('HPE_')) return 'The response is not HTTP/1.1.';
  return String(code ?? message).slice(0, 200);
}

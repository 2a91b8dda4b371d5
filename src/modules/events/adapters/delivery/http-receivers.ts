import { once } from 'node:events';
import { type IncomingMessage, request as sendRequest } from 'node:http';
import type { Socket } from 'node:net';
import { urlToHttpOptions } from 'node:url';
import { Injectable } from '@nestjs/common';
import { Config } from '../../../../platform/config.js';
import { type Message, Receivers } from '../../application/ports.js';
import type { AttemptResult } from '../../domain/schedule.js';
import { eventJson } from '../representation/events.views.js';
import { NotAllowed, openSocket, type Resolve } from './guarded-socket.js';
import { headersOf } from './signature.js';

/** Read so that a receiver which still writes its answer is not cut off; beyond this it is, whatever it goes on to say. */
const MAX_ANSWER_BYTES = 64 * 1024;

/** How the network is reached. */
export abstract class Network {
  /** For a whole attempt, from the look-up of the name to the end of the answer. */
  abstract readonly timeoutMs: number;
  abstract readonly resolve: Resolve;
}

/** Receivers over HTTP. One connection an attempt, straight to the receiver: no proxy, no redirect, nothing kept open. */
@Injectable()
export class HttpReceivers extends Receivers {
  constructor(
    private readonly config: Config,
    private readonly network: Network,
  ) {
    super();
  }

  async send(message: Message, stopped: AbortSignal): Promise<AttemptResult> {
    const startedAt = performance.now();
    const signal = AbortSignal.any([stopped, AbortSignal.timeout(this.network.timeoutMs)]);
    const answer = await this.exchange(message, signal).catch((error: unknown) => ({
      statusCode: null,
      retryAfter: null,
      error: this.explain(error, stopped),
    }));
    return { ...answer, durationMs: Math.round(performance.now() - startedAt) };
  }

  private async exchange(message: Message, signal: AbortSignal): Promise<Omit<AttemptResult, 'durationMs'>> {
    const url = new URL(message.url);
    const rules = {
      mode: message.event.mode,
      allowPrivate: this.config.webhookAllowPrivate,
      resolve: this.network.resolve,
    };
    const socket = await openSocket(url, rules, signal);
    try {
      const response = await post(url, socket, message, signal);
      const { statusCode = 0, headers } = response;
      await drain(response);
      const isRedirect = statusCode >= 300 && statusCode < 400;
      const error = isRedirect ? 'Redirects are not followed.' : null;
      return { statusCode, error, retryAfter: headers['retry-after'] ?? null };
    } finally {
      socket.destroy();
    }
  }

  private explain(error: unknown, stopped: AbortSignal): string {
    if (stopped.aborted) return 'The service was stopped meanwhile.';
    if (error instanceof NotAllowed) return error.message;
    const { name, code, message } = error as NodeJS.ErrnoException;
    // Aborted by nothing but the timeout: sockets throw an AbortError for it, the signal itself a TimeoutError.
    if (name === 'AbortError' || name === 'TimeoutError') return `No answer within ${this.network.timeoutMs} ms.`;
    return String(code ?? message).slice(0, 200);
  }
}

async function post(url: URL, socket: Socket, message: Message, signal: AbortSignal): Promise<IncomingMessage> {
  const payload = eventJson(message.event);
  const { path, auth } = urlToHttpOptions(url);
  const request = sendRequest({
    createConnection: () => socket,
    method: 'POST',
    path: path ?? '/',
    ...(auth && { auth }),
    headers: {
      host: url.host,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(payload),
      'user-agent': 'Tillgate',
      ...headersOf(message, payload),
    },
    signal,
  });
  // What is worth knowing rejects the wait below; after it, a receiver that hangs up changes nothing.
  request.on('error', () => undefined);
  request.end(payload);
  const [response] = (await once(request, 'response', { signal })) as [IncomingMessage];
  return response;
}

/** The status has decided: an answer that breaks off or never ends is only worth no more time. */
async function drain(response: IncomingMessage): Promise<void> {
  let size = 0;
  try {
    for await (const chunk of response) {
      size += (chunk as Buffer).length;
      if (size > MAX_ANSWER_BYTES) return;
    }
  } catch {
    // Broken off.
  }
}

import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify/decorators/route-config.decorator.js';
import type { FastifyRequest } from 'fastify';
import {
  INVALID_PARAM,
  invalidParam,
  invalidParams,
  paramError,
  Refusal,
  refusal,
} from '../shared/errors.js';
import { PAYLOAD_TOO_LARGE, pathOf, UNSUPPORTED_MEDIA_TYPE } from './errors.js';
import { actorOf, headerValues, requestOf } from './request.js';

const FORM_TYPE = 'application/x-www-form-urlencoded';
/** Marks a route that accepts an HTML form without fields. Bodies above 1 KiB are refused. */
export const TakesForm = (): MethodDecorator => RouteConfig({ takesForm: true });

export const MAX_BODY_BYTES = 256 * 1024;
const MAX_FORM_BYTES = 1024;
const DROP_MS = 800;

/**
 * Reads the body of a POST and checks its media type and size. Checks the query of each request,
 * and the person whom it names as its actor.
 */
@Injectable()
export class BodyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = requestOf(context);
    if (request.method !== 'POST') return checkRest(request);
    const { takesForm } = request.routeOptions.config;
    const [mediaType] = headerValues(request, 'content-type');
    const isForm = takesForm && mediaType?.startsWith(FORM_TYPE);
    if (!isForm) checkMediaType(mediaType, request.headers);
    return read(request.raw, takesForm ? MAX_FORM_BYTES : MAX_BODY_BYTES).then((body) => {
      if (!isForm) request.body = body;
      return checkRest(request);
    });
  }
}

function checkRest(request: FastifyRequest): true {
  checkQuery(request);
  request.actor = actorOf(request);
  return true;
}

function checkMediaType(mediaType: string | undefined, headers: IncomingMessage['headers']): void {
  if (headers['content-encoding'] !== undefined) {
    throw refusal(
      UNSUPPORTED_MEDIA_TYPE,
      paramError('Content-Encoding', 'invalid_value', 'Bodies must not be encoded.'),
    );
  }
  const isEmpty =
    headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;
  if (mediaType === undefined ? !isEmpty : !isJson(mediaType)) throw notJson();
}

/**
 * RFC 8259 defines no parameters. A `charset` other than UTF-8 is refused, and other parameters are
 * ignored.
 */
function isJson(mediaType: string): boolean {
  if (mediaType === 'application/json') return true;
  const [type = '', ...parameters] = mediaType.toLowerCase().split(';');
  return type.trim() === 'application/json' && parameters.every(isUtf8);
}

function isUtf8(parameter: string): boolean {
  const [name = '', ...value] = parameter.split('=').map((part) => part.trim());
  return name !== 'charset' || /^("?)utf-?8\1$/.test(value.join('='));
}

export function notJson(): Refusal {
  const message = 'The body must be application/json in UTF-8.';
  return refusal(
    UNSUPPORTED_MEDIA_TYPE,
    paramError('Content-Type', 'invalid_value', message, ['application/json']),
  );
}

export function tooLarge(maxBytes = MAX_BODY_BYTES): Refusal {
  return refusal(
    PAYLOAD_TOO_LARGE,
    paramError('body', 'too_large', `The body must have at most ${maxBytes} bytes.`),
  );
}

async function read(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const { 'content-length': length = 0, 'transfer-encoding': coding } = request.headers;
  if (Number(length) > maxBytes) throw tooLarge(maxBytes);
  // The next microtask comes after Node has parsed all bytes that arrived together with the head.
  // That is the whole of most bodies, which then need no iterator.
  await undefined;
  if (coding === undefined && request.readableLength === Number(length)) return whole(request);
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      size += chunk.length;
      if (size > maxBytes) break;
      chunks.push(chunk);
    }
  } catch {
    // The client disconnected or was too slow.
    throw new Refusal(INVALID_PARAM, 'The request ended before its body did.');
  }
  if (size > maxBytes) throw tooLarge(maxBytes);
  return Buffer.concat(chunks);
}

/** Reads the end too, because an idle connection keeps its request in memory until then. */
function whole(request: IncomingMessage): Buffer {
  const body: Buffer = request.read() ?? Buffer.alloc(0);
  request.resume();
  return body;
}

/**
 * Makes an answer that ends when the rest of the body was read, after 0.8 s at the latest. Closing
 * earlier would reset the connection of a client that is still sending, and the client could lose
 * the answer. The rest of a form is not read.
 */
export function whileDropping({ raw, routeOptions }: FastifyRequest, answer: string): Readable {
  async function* parts() {
    yield answer;
    if (!routeOptions.config.takesForm) raw.resume();
    await finished(raw, { signal: AbortSignal.timeout(DROP_MS) }).catch(() => undefined);
  }
  return Readable.from(parts());
}

/**
 * Refuses a query that is not percent-encoded UTF-8 (RFC 3986), because Fastify's parser keeps
 * bytes that it cannot decode.
 */
function checkQuery({ url, query, routeOptions }: FastifyRequest): void {
  const pairs = url.slice(pathOf(url).length + 1);
  if (pairs === '') return;
  const [malformed] = pairs.split('&').filter((pair) => !isEncoded(pair));
  if (malformed !== undefined) {
    const [name = ''] = malformed.split('=');
    throw invalidParam(name, 'invalid_format', 'The query must be percent-encoded UTF-8.');
  }
  // Pages have no operationId. Other services link to them and may repeat parameters, so repetition
  // is allowed there.
  if (routeOptions.config.operationId === undefined) return;
  const repeated = Object.entries(query as object).filter(([, value]) => Array.isArray(value));
  const faults = repeated.map(([name]) =>
    paramError(name, 'duplicate', `${name} is given more than once.`),
  );
  if (faults.length > 0) throw invalidParams(faults);
}

export function isEncoded(text: string): boolean {
  if (!text.includes('%')) return true;
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    takesForm?: boolean;
  }
}

import { hash, timingSafeEqual } from 'node:crypto';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { Config } from '../../../../platform/config.js';
import { headerValues, requestOf } from '../../../../request/request.js';
import { CREDENTIAL, type Credential } from '../../../../request/route.js';
import { type ErrorCode, noSuchRoute, paramError, Refusal } from '../../../../shared/errors.js';
import { Authenticate } from '../../application/authenticate.js';
import {
  type ApiKey,
  DISPLAY_LENGTH,
  type KeyFault,
  type KeyKind,
  OWNED_KINDS,
  PREFIX,
} from '../../domain/api-key.js';
import { FailuresByAddress } from './failures-by-address.js';

export const INVALID_API_KEY: ErrorCode = {
  code: 'invalid_api_key',
  kind: 'unauthenticated',
  meaning: 'The key is missing, unknown, revoked, expired, or not for this API. Send a valid key.',
};

type KeyCredential = Exclude<Credential, 'metrics' | 'none'>;

/**
 * Admits active keys of the kind that the route requires. All faults get the same code. Sandbox
 * routes do not exist for live keys.
 */
@Injectable()
export class KeyGuard implements CanActivate {
  /**
   * The credential is cached by controller method, because a look-up by the Reflector takes a
   * twentieth of a read.
   */
  private readonly credentials = new WeakMap<object, Credential>();

  constructor(
    private readonly reflector: Reflector,
    private readonly authenticate: Authenticate,
    private readonly failures: FailuresByAddress,
    private readonly config: Config,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const credential = this.credentials.get(context.getHandler()) ?? this.credentialFor(context);
    if (credential === 'none') return true;
    const request = requestOf(context);
    const token = tokenOf(headerValues(request, 'authorization'));
    if (credential === 'metrics') return this.admitScraper(token);
    if (token === undefined) throw refused(request, 'missing', credential);
    const key = this.authenticate.execute(token);
    // A cached key resolves synchronously: a promise would cost each request a microtask.
    if (key instanceof Promise)
      return key.then((found) => this.admitFound(request, found, credential, token));
    return admit(request, key, credential, token);
  }

  private credentialFor(context: ExecutionContext): Credential {
    const targets = [context.getHandler(), context.getClass()];
    const credential =
      this.reflector.getAllAndOverride<Credential | undefined>(CREDENTIAL, targets) ?? 'secret';
    this.credentials.set(context.getHandler(), credential);
    return credential;
  }

  private admitScraper(token = ''): true {
    const { metricsToken } = this.config;
    // The hashes are compared, because they have the same length, which timingSafeEqual requires.
    const isToken =
      metricsToken === undefined || timingSafeEqual(sha256(token), sha256(metricsToken));
    if (!isToken) throw unauthorized('The metrics token is needed: Authorization: Bearer <token>.');
    return true;
  }

  /**
   * A failure counts after its look-up, so that a valid key is admitted whatever other clients at
   * its address send.
   */
  private admitFound(
    request: FastifyRequest,
    key: ApiKey | KeyFault,
    credential: KeyCredential,
    token: string,
  ) {
    if (typeof key === 'string') this.failures.count(request.ip);
    return admit(request, key, credential, token);
  }
}

function admit(
  request: FastifyRequest,
  key: ApiKey | KeyFault,
  credential: KeyCredential,
  token: string,
): true {
  if (typeof key === 'string') throw refused(request, key, credential, token);
  const { id, kind, mode, display, holder } = key.state;
  if (!KINDS[credential].includes(kind)) throw refused(request, 'other surface', credential, token);
  if (credential === 'sandbox' && mode === 'live') throw noSuchRoute();
  request.apiKey = key;
  request.keyDisplay = display;
  request.keyId = id;
  request.keyHolder = holder;
  request.needsApproval = key.needsApproval;
  request.needsUniqueReferences = key.needsUniqueReferences;
  request.caller = key.caller;
  return true;
}

/**
 * Returns the key of `Bearer <key>`, or of Basic with the key as user name and any password (RFC
 * 6750, RFC 7617).
 */
function tokenOf(headers: readonly string[]): string | undefined {
  const [scheme = '', credentials = '', ...rest] = (headers[0] ?? '').split(/ +/);
  if (headers.length !== 1 || rest.length > 0) return undefined;
  if (scheme.toLowerCase() === 'bearer') return credentials;
  if (scheme.toLowerCase() !== 'basic') return undefined;
  return Buffer.from(credentials, 'base64').toString().split(':', 1)[0];
}

/** The RightGuard decides which routes a restricted key may call. */
const KINDS: Readonly<Record<KeyCredential, readonly KeyKind[]>> = {
  secret: OWNED_KINDS,
  sandbox: OWNED_KINDS,
  ledger: ['ledger'],
  operator: ['operator'],
};
const sha256 = (text: string): Buffer => hash('sha256', text, 'buffer');

/** The log tells why the key was refused; the caller reads nothing that was not in the request. */
function refused(
  request: FastifyRequest,
  fault: KeyFault,
  credential: KeyCredential,
  token = '',
): Refusal {
  const [sent] = /^(?:(?:sk|rk|lk)_(?:test|live)|ok)_/.exec(token) ?? [];
  request.keyDisplay = sent && token.slice(0, DISPLAY_LENGTH);
  request.keyFault = fault;
  const taken = KINDS[credential].map((kind) => `${PREFIX[kind]}_`);
  if (sent === undefined) return unauthorized();
  if (taken.some((prefix) => sent.startsWith(prefix)))
    return unauthorized(`The key that begins with ${sent} is unknown, expired or revoked.`);
  return unauthorized(
    `The key begins with ${sent}, and this path takes keys that begin with ${taken.join(' or ')}.`,
  );
}

const NO_KEY =
  'Authorization: Bearer <key> is needed, with a key that begins with sk_ on /v1, lk_ on ' +
  '/ledger/v1, or ok_ on /operator/v1.';

export function unauthorized(message = NO_KEY): Refusal {
  return new Refusal(INVALID_API_KEY, message, [
    paramError('Authorization', 'invalid_value', message),
  ]);
}

declare module 'fastify' {
  interface FastifyRequest {
    apiKey: ApiKey | undefined;
  }
}

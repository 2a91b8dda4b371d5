import { setTimeout as sleep } from 'node:timers/promises';
import { type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { sqlState, violates } from '../../persistence/faults.js';
import { Units } from '../../persistence/units.js';
import { type Caller, nameOf, type Owner } from '../../shared/caller.js';
import { type ErrorCode, paramError, Refusal, refusal } from '../../shared/errors.js';
import type { Unit, Work } from '../../shared/unit.js';
import {
  ErrorResponses,
  IDEMPOTENCY_KEY_IN_USE,
  IDEMPOTENCY_KEY_REUSED,
  type RequestFacts,
  statusOf,
} from '../errors.js';
import { idempotencyKeyOf, type Presence, requestOf } from '../request.js';
import { IdempotentResponse, type ResponseParts } from '../response.js';
import { type KeyState, nextStep } from './key-state.js';
import { type Claim, fingerprintOf, KEY_CONSTRAINT, StoredResponses } from './stored-responses.js';

/** A request for Idempotency.once(). Two requests with equal bodies are the same request. */
export interface KeyedRequest<Body = unknown> extends RequestFacts {
  /** Method and route. The same key on another operation is a different key. */
  readonly operation: string;
  /** Null if the key is optional and missing; undefined if the route takes none. */
  readonly key: string | null | undefined;
  readonly subject: string | undefined;
  readonly body: Body;
  /** Whether the use case has an effect that a rollback does not undo. Then a stored response is read first. */
  readonly hasEffect?: boolean;
}

/** The handler must return what Idempotency makes, because nothing else stores the response with its write. */
type KeyedRoute = <Route extends (...input: never[]) => Promise<IdempotentResponse>>(
  controller: object,
  name: string | symbol,
  route: TypedPropertyDescriptor<Route>,
) => void;

export const PRESENCES = new WeakMap<object, Presence>();

export function IdempotencyKey(presence: Presence): KeyedRoute {
  return (_controller, _name, { value }) => void PRESENCES.set(value as object, presence);
}

export function keyedRequestOf(context: ExecutionContext): KeyedRequest {
  const request = requestOf<FastifyRequest<{ Params: { id?: string } }>>(context);
  const { id, method, url, params, body, routeOptions } = request;
  const presence = PRESENCES.get(context.getHandler());
  const key = presence && idempotencyKeyOf(request, presence);
  return {
    id,
    method,
    url,
    operation: `${method} ${routeOptions.url}`,
    key,
    subject: params.id,
    body,
  };
}

/** How long a request waits for another request with the same key before it is refused with 409. */
const WAIT_MS = 2_000;

type KeyedClaim = KeyedRequest & Claim;

type Answer = (unit: Unit) => Promise<IdempotentResponse>;

/**
 * Runs a write once for each idempotency key. The response is stored by the same statement or transaction as the write,
 * so the primary key in PostgreSQL decides between processes and after crashes. Within a process, requests with the same
 * key wait here for the first one instead of each holding a connection.
 */
@Injectable()
export class Idempotency {
  private readonly running = new Map<string, Promise<IdempotentResponse>>();

  constructor(
    private readonly responses: StoredResponses,
    private readonly units: Units,
    private readonly errors: ErrorResponses,
  ) {}

  /** Commits the use case together with its response, or returns the stored response of the key. Without a key, only commits. */
  async once<Result>(
    caller: Caller,
    request: KeyedRequest,
    use: (unit: Unit) => Promise<Result>,
    respond: (result: Result) => ResponseParts,
  ): Promise<IdempotentResponse> {
    const { operation, key } = request;
    if (key === undefined) throw new Error(`${operation} needs the decorator IdempotencyKey.`);
    if (key === null) return this.withoutKey(caller, use, respond);
    const claim = {
      fingerprint: fingerprintOf(request.subject, request.body),
      ...request,
    } as KeyedClaim;
    return this.answered(caller, claim, async (unit) => {
      const response = new IdempotentResponse(respond(await use(unit)), claim.fingerprint);
      this.responses.add(unit, claim, response);
      return response;
    });
  }

  /** Like `once`, of an effect outside of the database: it happens once, however often its response is written again. */
  async onceWithEffect<Result>(
    caller: Caller,
    request: KeyedRequest,
    effect: () => Promise<Result>,
    respond: (result: Result) => ResponseParts,
  ): Promise<IdempotentResponse> {
    let begun: Promise<Result> | undefined;
    const use = () => {
      begun ??= effect();
      return begun;
    };
    return this.once(caller, { ...request, hasEffect: true }, use, respond);
  }

  /** Commits the use case of a request without a key, or of a route that takes none because each call is a new request. */
  async withoutKey<Of extends Owner, Result>(
    owner: Of,
    use: (unit: Of & Work) => Promise<Result>,
    respond: (result: Result) => ResponseParts,
  ): Promise<IdempotentResponse> {
    return new IdempotentResponse(respond(await this.units.commit(owner, use)), undefined);
  }

  private async answered(
    caller: Caller,
    claim: KeyedClaim,
    answer: Answer,
  ): Promise<IdempotentResponse> {
    const name = `${nameOf(caller)} ${claim.operation} ${claim.key}`;
    for (;;) {
      const running = this.running.get(name);
      if (running === undefined) return this.first(name, this.asked(caller, claim, answer));
      const state = await outcomeOf(running);
      if (state.is === 'stored') return responseOf(state, claim);
      if (state.is === 'running') throw inUse();
    }
  }

  /** Others under the key wait for this request. */
  private async first(
    name: string,
    asked: Promise<IdempotentResponse>,
  ): Promise<IdempotentResponse> {
    this.running.set(name, asked);
    try {
      return await asked;
    } finally {
      this.running.delete(name);
    }
  }

  private async asked(
    caller: Caller,
    claim: KeyedClaim,
    answer: Answer,
  ): Promise<IdempotentResponse> {
    let state = await this.lookedUp(caller, claim);
    for (let expired = 0; ; ) {
      switch (nextStep(state, claim)) {
        case 'write':
          state = await this.written(caller, claim, answer, expired);
          break;
        case 'forget':
          await this.responses.forget(caller, claim);
          expired += 1;
          state = { is: 'free' };
          break;
        default:
          return responseOf(state, claim);
      }
    }
  }

  /** Looks first where a stored response is likely, or where the use case has an effect that no rollback undoes. */
  private async lookedUp(caller: Caller, claim: KeyedClaim): Promise<KeyState> {
    const { hasEffect } = claim;
    if (!hasEffect && !this.responses.isRepeating(caller)) return { is: 'free' };
    const response = await this.responses.find(caller, claim);
    // Another request under the key may be refused for its own faults first, as it is without this look-up.
    return response && (hasEffect || isOf(response, claim))
      ? { is: 'stored', response }
      : { is: 'free' };
  }

  private async written(
    caller: Caller,
    claim: KeyedClaim,
    answer: Answer,
    before: number,
  ): Promise<KeyState> {
    try {
      return { is: 'stored', response: await this.respond(caller, claim, answer) };
    } catch (error) {
      if (isKeyLocked(error)) return { is: 'locked' };
      if (!violates(error, KEY_CONSTRAINT)) throw error;
    }
    const response = await this.responses.find(caller, claim);
    return response ? { is: 'stored', response } : { is: 'expired', before };
  }

  /** A refusal with 404 or 422 depends on the state at the time, so it is stored for the key, like a success. That of a person is not. */
  private async respond(
    caller: Caller,
    claim: KeyedClaim,
    answer: Answer,
  ): Promise<IdempotentResponse> {
    try {
      return await this.units.commit(caller, answer);
    } catch (error) {
      const status = error instanceof Refusal ? statusOf(error) : 500;
      // A value that was valid at first, such as an expiry ten minutes ahead, can be invalid when the request is retried.
      const stored = status === 400 ? await this.responses.find(caller, claim) : undefined;
      if (stored && isOf(stored, claim)) return stored;
      if ((status !== 404 && status !== 422) || (error as Refusal).kind === 'person') throw error;
      const { parts } = this.errors.answerTo(error as Refusal, {
        ...claim,
        organization: caller.organization,
      });
      const response = new IdempotentResponse(parts, claim.fingerprint);
      await this.units.commit(caller, async (unit) => this.responses.add(unit, claim, response));
      return response;
    }
  }
}

const isOf = ({ fingerprint }: IdempotentResponse, claim: Claim) =>
  fingerprint?.equals(claim.fingerprint) === true;

/** The response to a request whose key is in this state. Refuses if there is none for it. */
function responseOf(state: KeyState, claim: Claim): IdempotentResponse {
  switch (nextStep(state, claim)) {
    case 'answer':
      return (state as { response: IdempotentResponse }).response;
    case 'replay':
      return new IdempotentResponse(
        (state as { response: IdempotentResponse }).response.parts,
        claim.fingerprint,
        true,
      );
    case 'refuse_reused':
      throw keyReused();
    default:
      throw inUse();
  }
}

/** After the first request: its response, nothing if it failed without one, or `running` if it takes longer than WAIT_MS. */
function outcomeOf(outcome: Promise<IdempotentResponse>): Promise<KeyState> {
  const stored = ({ parts, fingerprint }: IdempotentResponse): KeyState => {
    return { is: 'stored', response: new IdempotentResponse(parts, fingerprint, true) };
  };
  const ended = outcome.then(stored, (): KeyState => ({ is: 'free' }));
  return Promise.race([ended, sleep(WAIT_MS, { is: 'running', outcome } as const, { ref: false })]);
}

/** Whether the lock timeout was on the idempotency key, not on a payment. */
function isKeyLocked(error: unknown): boolean {
  return (
    sqlState(error) === '55P03' &&
    String((error as { where?: unknown }).where).includes(KEY_CONSTRAINT)
  );
}

export const inUse = () =>
  refusedKey(IDEMPOTENCY_KEY_IN_USE, 'A request with this idempotency key is still running.');

export const keyReused = () =>
  refusedKey(IDEMPOTENCY_KEY_REUSED, 'This idempotency key was used for another request.');

const refusedKey = (code: ErrorCode, message: string): Refusal =>
  refusal(code, paramError('Idempotency-Key', 'invalid_value', message));

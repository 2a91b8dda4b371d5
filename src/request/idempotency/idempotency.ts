import { setTimeout as sleep } from 'node:timers/promises';
import { type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Database } from '../../persistence/database.js';
import { sqlState, violates } from '../../platform/faults.js';
import { type Caller, nameOf } from '../../shared/caller.js';
import { type Decided, type Decision, decided, inTransaction } from '../../shared/decision.js';
import { type ErrorCode, paramError, Refusal, refusal } from '../../shared/errors.js';
import {
  ErrorResponses,
  IDEMPOTENCY_KEY_IN_USE,
  IDEMPOTENCY_KEY_REUSED,
  type RequestFacts,
  statusOf,
} from '../errors.js';
import { idempotencyKeyOf, type Presence, requestOf } from '../request.js';
import { IdempotentResponse, type ResponseParts } from '../response.js';
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
  return { id, method, url, operation: `${method} ${routeOptions.url}`, key, subject: params.id, body };
}

/** How long a request waits for another request with the same key before it is refused with 409. */
const WAIT_MS = 2_000;

type KeyedClaim = KeyedRequest & Claim;

type Decide<Result> = () => Promise<Decision<Result>>;

interface Running {
  outcome: Promise<IdempotentResponse> | undefined;
}

/**
 * Runs a write once for each idempotency key. The response is stored by the same statement or transaction as the write,
 * so the primary key in PostgreSQL decides between processes and after crashes. Within a process, requests with the same
 * key wait here for the first one instead of each holding a connection.
 */
@Injectable()
export class Idempotency {
  private readonly running = new Map<string, Running>();

  constructor(
    private readonly responses: StoredResponses,
    private readonly database: Database,
    private readonly errors: ErrorResponses,
  ) {}

  /** Commits the decision together with its response, or returns the stored response of the key. Without a key, only commits. */
  async once<Result>(
    caller: Caller,
    request: KeyedRequest,
    decide: Decide<Result>,
    respond: (result: Result) => ResponseParts,
  ): Promise<IdempotentResponse> {
    const { operation, key } = request;
    if (key === undefined) throw new Error(`${operation} needs the decorator IdempotencyKey.`);
    if (key === null) return this.withoutKey(decide, respond);
    const claim = { fingerprint: fingerprintOf(request.subject, request.body), ...request } as KeyedClaim;
    const answer = ({ result, writes }: Decided<Result>) => {
      const response = new IdempotentResponse(respond(result), claim.fingerprint);
      return decided(response, this.responses.add(caller, claim, response), ...writes);
    };
    return this.alone(caller, claim, async () => {
      const decision = await decide();
      return 'decide' in decision
        ? inTransaction(decision.owner, async () => answer(await decision.decide()))
        : answer(decision);
    });
  }

  /** Commits the decision of a request without a key, or of a route that takes none because each call is a new request. */
  async withoutKey<Result>(
    decide: Decide<Result>,
    respond: (result: Result) => ResponseParts,
  ): Promise<IdempotentResponse> {
    return new IdempotentResponse(respond(await this.database.commit(decide)), undefined);
  }

  private async alone(caller: Caller, claim: KeyedClaim, decide: Decide<IdempotentResponse>) {
    const name = `${nameOf(caller)} ${claim.operation} ${claim.key}`;
    for (let first = this.running.get(name); first; first = this.running.get(name)) {
      const response = await withinPatience(first.outcome);
      if (response) return replay(response, claim);
    }
    const first: Running = { outcome: this.found(caller, claim, decide) };
    this.running.set(name, first);
    try {
      return (await first.outcome) as IdempotentResponse;
    } finally {
      this.running.delete(name);
      // A growing Map keeps its old tables, and what they refer to, until the next full garbage collection.
      first.outcome = undefined;
    }
  }

  /** Looks for a stored response first where one is likely, or where the use case has an effect that no rollback undoes. */
  private async found(caller: Caller, claim: KeyedClaim, decide: Decide<IdempotentResponse>) {
    const { hasEffect } = claim;
    if (hasEffect || this.responses.isRepeating(caller)) {
      const stored = await this.responses.find(caller, claim);
      // Another request under the key may be refused for its own faults first, as it is without this look-up.
      if (stored && (hasEffect || isOf(stored, claim))) return replay(stored, claim);
    }
    // Once more, because a response under the key may have expired. That one expires meanwhile does not happen twice in a row.
    const response = (await this.attempt(caller, claim, decide)) ?? (await this.attempt(caller, claim, decide));
    if (response) return response;
    throw inUse();
  }

  /** The response to the decision, or the one that is stored under the key. Undefined if the key was taken by an expired one. */
  private async attempt(caller: Caller, claim: KeyedClaim, decide: Decide<IdempotentResponse>) {
    try {
      return await this.respond(caller, claim, decide);
    } catch (error) {
      if (isKeyLocked(error)) throw inUse();
      if (!violates(error, KEY_CONSTRAINT)) throw error;
    }
    const stored = await this.responses.find(caller, claim);
    if (stored) return replay(stored, claim);
    await this.responses.forget(caller, claim);
    return undefined;
  }

  /** A refusal with 404 or 422 depends on the state at the time, so it is stored for the key, like a success. That of a person is not. */
  private async respond(caller: Caller, claim: KeyedClaim, decide: Decide<IdempotentResponse>) {
    try {
      return await this.database.commit(decide);
    } catch (error) {
      const status = error instanceof Refusal ? statusOf(error) : 500;
      // A value that was valid at first, such as an expiry ten minutes ahead, can be invalid when the request is retried.
      const stored = status === 400 ? await this.responses.find(caller, claim) : undefined;
      if (stored && isOf(stored, claim)) return stored;
      if ((status !== 404 && status !== 422) || (error as Refusal).kind === 'person') throw error;
      const { parts } = this.errors.answerTo(error as Refusal, { ...claim, organization: caller.organization });
      const response = new IdempotentResponse(parts, claim.fingerprint);
      return this.database.commit(async () => decided(response, this.responses.add(caller, claim, response)));
    }
  }
}

const isOf = ({ fingerprint }: IdempotentResponse, claim: Claim) => fingerprint?.equals(claim.fingerprint) === true;

function replay(response: IdempotentResponse, claim: Claim): IdempotentResponse {
  if (!isOf(response, claim)) throw keyReused();
  return new IdempotentResponse(response.parts, claim.fingerprint, true);
}

/** The response of the first request, or undefined if it failed without one. Refuses after WAIT_MS. */
function withinPatience(outcome: Running['outcome']): Promise<IdempotentResponse | undefined> {
  const impatience = sleep(WAIT_MS, undefined, { ref: false }).then(() => Promise.reject(inUse()));
  return Promise.race([outcome?.catch(() => undefined), impatience]);
}

/** Whether the lock timeout was on the idempotency key, not on a payment. */
function isKeyLocked(error: unknown): boolean {
  return sqlState(error) === '55P03' && String((error as { where?: unknown }).where).includes(KEY_CONSTRAINT);
}

export const inUse = () => refusedKey(IDEMPOTENCY_KEY_IN_USE, 'A request with this idempotency key is still running.');

export const keyReused = () => refusedKey(IDEMPOTENCY_KEY_REUSED, 'This idempotency key was used for another request.');

const refusedKey = (code: ErrorCode, message: string): Refusal =>
  refusal(code, paramError('Idempotency-Key', 'invalid_value', message));

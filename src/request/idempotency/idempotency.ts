import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Database } from '../../persistence/database.js';
import { sqlState, violates } from '../../platform/faults.js';
import { type Caller, nameOf } from '../../shared/caller.js';
import { type Decided, type Decision, decided, inTransaction } from '../../shared/decision.js';
import { type ErrorCode, paramError, Refusal, refusal } from '../../shared/errors.js';
import { ErrorResponses, IDEMPOTENCY_KEY_IN_USE, IDEMPOTENCY_KEY_REUSED, statusOf } from '../errors.js';
import { IdempotentResponse, type ResponseParts } from '../response.js';
import type { KeyedRequest } from './idempotency-key.js';
import { type Claim, KEY_CONSTRAINT, type StoredResponse, StoredResponses } from './stored-responses.js';

/** How long a request waits for another request with the same key before it is refused with 409. */
const WAIT_MS = 2_000;

type Decide<Result> = () => Promise<Decision<Result>>;

interface Running {
  readonly fingerprint: Buffer;
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
    const { operation, key, subject } = request;
    if (key === undefined) throw new Error(`${operation} needs the decorator IdempotencyKey.`);
    if (key === null) return this.withoutKey(decide, respond);
    const claim = { operation, key, subject, fingerprint: fingerprintOf(request), request };
    const answer = ({ result, writes }: Decided<Result>) => {
      const response = new IdempotentResponse(respond(result));
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
    return new IdempotentResponse(respond(await this.database.commit(decide)));
  }

  /** Runs one request for each key at a time. The others get its response. */
  private async alone(caller: Caller, claim: Claim, decide: Decide<IdempotentResponse>): Promise<IdempotentResponse> {
    const { operation, key, fingerprint } = claim;
    const name = `${nameOf(caller)} ${operation} ${key}`;
    for (let first = this.running.get(name); first; first = this.running.get(name)) {
      const response = await withinPatience(first.outcome);
      if (response) return replay({ response, fingerprint: first.fingerprint }, fingerprint);
    }
    const first: Running = { fingerprint, outcome: this.found(caller, claim, decide) };
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
  private async found(caller: Caller, claim: Claim, decide: Decide<IdempotentResponse>): Promise<IdempotentResponse> {
    const { hasEffect } = claim.request;
    if (hasEffect || this.responses.isRepeating(caller)) {
      const stored = await this.responses.find(caller, claim);
      // Another request under the key may be refused for its own faults first, as it is without this look-up.
      const isSame = stored?.fingerprint.equals(claim.fingerprint);
      if (stored && (isSame || hasEffect)) return replay(stored, claim.fingerprint);
    }
    const response = await this.attempt(caller, claim, decide);
    if (response) return response;
    // The response under the key had expired. That one expires meanwhile does not happen twice in a row.
    await this.responses.forget(caller, claim);
    const again = await this.attempt(caller, claim, decide);
    if (again) return again;
    throw inUse();
  }

  /** The response to the decision, or the one that is stored under the key. Undefined if the key is taken without one. */
  private async attempt(caller: Caller, claim: Claim, decide: Decide<IdempotentResponse>) {
    try {
      return await this.respond(caller, claim, decide);
    } catch (error) {
      if (isKeyLocked(error)) throw inUse();
      if (!violates(error, KEY_CONSTRAINT)) throw error;
    }
    const stored = await this.responses.find(caller, claim);
    return stored && replay(stored, claim.fingerprint);
  }

  /** A refusal with 404 or 422 depends on the state at the time, so it is stored for the key, like a success. That of a person is not. */
  private async respond(caller: Caller, claim: Claim, decide: Decide<IdempotentResponse>) {
    try {
      return await this.database.commit(decide);
    } catch (error) {
      const status = error instanceof Refusal ? statusOf(error) : 500;
      // A value that was valid at first, such as an expiry ten minutes ahead, can be invalid when the request is retried.
      const stored = status === 400 ? await this.responses.find(caller, claim) : undefined;
      if (stored?.fingerprint.equals(claim.fingerprint)) return stored.response;
      if ((status !== 404 && status !== 422) || (error as Refusal).kind === 'person') throw error;
      const { parts } = this.errors.answerTo(error as Refusal, { ...claim.request, organization: caller.organization });
      const response = new IdempotentResponse(parts);
      return this.database.commit(async () => decided(response, this.responses.add(caller, claim, response)));
    }
  }
}

/** SHA-256 of the body's JSON, whatever the order of its members, and of the path's id where the operation has one. */
function fingerprintOf({ subject, body }: KeyedRequest): Buffer {
  const text = JSON.stringify(inOrder(body)) ?? '';
  return hash('sha256', subject === undefined ? text : `${subject} ${text}`, 'buffer');
}

/** The value with the members of each object sorted by name. Libraries for RFC 8785 take five times as long. */
function inOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(inOrder);
  const ordered: Record<string, unknown> = {};
  for (const name of Object.keys(value).sort()) ordered[name] = inOrder((value as Record<string, unknown>)[name]);
  return ordered;
}

function replay({ response, fingerprint }: StoredResponse, expected: Buffer): IdempotentResponse {
  if (!fingerprint.equals(expected)) throw keyReused();
  return new IdempotentResponse(response.parts, true);
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

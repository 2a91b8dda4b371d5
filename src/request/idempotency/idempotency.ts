import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { isLockTimeout, violates } from '../../persistence/faults.js';
import { Units } from '../../persistence/units.js';
import { type Caller, nameOf, type Owner } from '../../shared/caller.js';
import { type ErrorCode, paramError, Refusal, refusal } from '../../shared/errors.js';
import type { Author, Unit, Work } from '../../shared/unit.js';
import {
  ErrorResponses,
  IDEMPOTENCY_KEY_IN_USE,
  IDEMPOTENCY_KEY_REUSED,
  statusOf,
} from '../errors.js';
import { type HttpResponse, IdempotentResponse } from '../response.js';
import { type KeyState, nextStep } from './key-state.js';
import type { KeyedRequest } from './keyed-request.js';
import {
  type Claim,
  fingerprintOf,
  KEY_CONSTRAINT,
  resourceOf,
  StoredResponses,
} from './stored-responses.js';

/** A request waits this long for another one of this process with the same key. */
const WAIT_MS = 2_000;

type KeyedClaim = KeyedRequest & Claim;

/** Runs the use case and adds its response to the unit. */
type Write = (unit: Unit) => Promise<IdempotentResponse>;

/**
 * The entry of a running request is emptied when the request ends. A Map that grew keeps its old
 * tables, and all that they hold, for a while.
 */
interface Running {
  outcome: Promise<IdempotentResponse> | undefined;
}

/**
 * Runs a write once for each idempotency key, however often a client repeats the request. The
 * response is stored by the same statement or transaction as the write, so neither exists alone,
 * and the primary key in PostgreSQL decides which of two processes was first, also after a crash.
 * Requests of one process with the same key wait in memory for the first one, so that an impatient
 * client does not hold a connection for each of them.
 */
@Injectable()
export class Idempotency {
  private readonly running = new Map<string, Running>();

  constructor(
    private readonly responses: StoredResponses,
    private readonly units: Units,
    private readonly errors: ErrorResponses,
  ) {}

  /**
   * Commits the use case together with its response, or returns the stored response of the key. A
   * request without a key is only committed.
   */
  async once<Result>(
    caller: Caller,
    request: KeyedRequest,
    use: (unit: Unit) => Promise<Result>,
    respond: (result: Result) => HttpResponse,
  ): Promise<IdempotentResponse> {
    const { operation, key } = request;
    if (key === undefined) throw new Error(`${operation} needs the decorator IdempotencyKey.`);
    if (key === null) return this.withoutKey(caller, use, respond, request.by);
    const claim = {
      fingerprint: fingerprintOf(request.subject, request.body),
      ...request,
    } as KeyedClaim;
    return this.answered(caller, claim, async (unit) => {
      const response = responseTo(claim, respond(await use(unit)));
      this.responses.add(unit, claim, response);
      return response;
    });
  }

  /**
   * Works like `once` for an effect outside of the database. The effect happens once, however often
   * its response is written again.
   */
  async onceWithEffect<Result>(
    caller: Caller,
    request: KeyedRequest,
    effect: () => Promise<Result>,
    respond: (result: Result) => HttpResponse,
  ): Promise<IdempotentResponse> {
    let begun: Promise<Result> | undefined;
    const use = () => {
      begun ??= effect();
      return begun;
    };
    return this.once(caller, { ...request, hasEffect: true }, use, respond);
  }

  /** Commits the use case of a request without a key, or of a route that takes none. */
  async withoutKey<Of extends Owner, Result>(
    owner: Of,
    use: (unit: Of & Work) => Promise<Result>,
    respond: (result: Result) => HttpResponse,
    by?: Author,
  ): Promise<IdempotentResponse> {
    return new IdempotentResponse(respond(await this.units.commit(owner, use, by)), undefined);
  }

  /**
   * Waits for the request of this process that has the key. If there is none, this request becomes
   * the one that others wait for.
   */
  private async answered(
    caller: Caller,
    claim: KeyedClaim,
    write: Write,
  ): Promise<IdempotentResponse> {
    const name = `${nameOf(caller)} ${claim.operation} ${claim.key}`;
    let state = this.stateHere(name);
    while (state.is === 'running') {
      state = await outcomeOf(state.outcome);
      if (state.is === 'free') state = this.stateHere(name);
    }
    if (state.is !== 'free') return responseOf(state, claim);
    return this.first(name, this.decided(caller, claim, write));
  }

  private stateHere(name: string): KeyState {
    const outcome = this.running.get(name)?.outcome;
    return outcome ? { is: 'running', outcome } : { is: 'free' };
  }

  private async first(
    name: string,
    outcome: Promise<IdempotentResponse>,
  ): Promise<IdempotentResponse> {
    const running: Running = { outcome };
    this.running.set(name, running);
    try {
      return await outcome;
    } finally {
      this.running.delete(name);
      running.outcome = undefined;
    }
  }

  /** Lets PostgreSQL decide: the request is written, or gets the response under its key. */
  private async decided(
    caller: Caller,
    claim: KeyedClaim,
    write: Write,
  ): Promise<IdempotentResponse> {
    let state = await this.lookedUp(caller, claim);
    for (let expired = 0; ; ) {
      switch (nextStep(state, claim)) {
        case 'write':
          state = await this.written(caller, claim, write, expired);
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

  /**
   * Looks for a stored response before the write where one is likely, or where the use case has an
   * effect that no rollback undoes. Other requests save the round trip.
   */
  private async lookedUp(caller: Caller, claim: KeyedClaim): Promise<KeyState> {
    const { hasEffect } = claim;
    if (!hasEffect && !this.responses.isRepeating(caller)) return { is: 'free' };
    const response = await this.responses.find(caller, claim);
    // A different request under a used key may be refused for its own faults first. It must get the
    // same answer with this look-up as without it.
    const isKnown = response && (hasEffect || isOf(response, claim));
    return isKnown ? { is: 'stored', response } : { is: 'free' };
  }

  private async written(
    caller: Caller,
    claim: KeyedClaim,
    write: Write,
    before: number,
  ): Promise<KeyState> {
    try {
      return { is: 'stored', response: await this.committed(caller, claim, write) };
    } catch (error) {
      if (isKeyLocked(error)) return { is: 'locked' };
      if (!violates(error, KEY_CONSTRAINT)) throw error;
    }
    const response = await this.responses.find(caller, claim);
    return response ? { is: 'stored', response } : { is: 'expired', before };
  }

  private async committed(
    caller: Caller,
    claim: KeyedClaim,
    write: Write,
  ): Promise<IdempotentResponse> {
    try {
      return await this.units.commit(caller, write, claim.by);
    } catch (error) {
      const refusal = error instanceof Refusal ? error : undefined;
      const earlier = refusal && (await this.earlierThan(refusal, caller, claim));
      if (earlier) return earlier;
      if (!refusal || !isKept(refusal)) throw error;
      return this.refused(refusal, caller, claim);
    }
  }

  /**
   * Returns the stored response of a request that now seems invalid: an expiry that was ten minutes
   * ahead at first may have passed when the request is retried.
   */
  private async earlierThan(
    refusal: Refusal,
    caller: Caller,
    claim: KeyedClaim,
  ): Promise<IdempotentResponse | undefined> {
    const stored = statusOf(refusal) === 400 ? await this.responses.find(caller, claim) : undefined;
    return stored && isOf(stored, claim) ? stored : undefined;
  }

  private async refused(
    refusal: Refusal,
    caller: Caller,
    claim: KeyedClaim,
  ): Promise<IdempotentResponse> {
    const { organization } = caller;
    const answer = this.errors.answerTo(refusal, { ...claim, organization });
    const response = responseTo(claim, answer);
    await this.units.commit(caller, async (unit) => this.responses.add(unit, claim, response));
    return response;
  }
}

/**
 * Tells whether a refusal is stored for the key, like a success. One with 404 or 422 is, because it
 * depends on the state at the time. One that concerns the person who asks is not, because it would
 * keep out a second person with the same key (docs/explain/decisions/money.md).
 */
function isKept(refusal: Refusal): boolean {
  return [404, 422].includes(statusOf(refusal)) && refusal.kind !== 'person';
}

function responseTo(claim: Claim, response: HttpResponse): IdempotentResponse {
  const resourceId = resourceOf(claim, response);
  return new IdempotentResponse({ ...response, resourceId }, claim.fingerprint);
}

const isOf = ({ fingerprint }: IdempotentResponse, claim: Claim) =>
  fingerprint?.equals(claim.fingerprint) === true;

/** Returns the response to a request whose key is in this state, or throws a refusal. */
function responseOf(state: KeyState, claim: Claim): IdempotentResponse {
  if (nextStep(state, claim) === 'refuse_reused') throw keyReused();
  if (state.is !== 'stored') throw inUse();
  return state.response;
}

/**
 * Returns the state after the first request: stored, free if it failed without a response, or
 * locked if it takes longer than WAIT_MS.
 */
function outcomeOf(outcome: Promise<IdempotentResponse>): Promise<KeyState> {
  const stored = (response: IdempotentResponse): KeyState => {
    const replay = new IdempotentResponse(
      { ...response, headers: undefined, replayed: true },
      response.fingerprint,
    );
    return { is: 'stored', response: replay };
  };
  const ended = outcome.then(stored, (): KeyState => ({ is: 'free' }));
  return Promise.race([ended, sleep(WAIT_MS, { is: 'locked' } as const, { ref: false })]);
}

/** Tells whether the lock timeout was on the idempotency key, not on a payment. */
function isKeyLocked(error: unknown): boolean {
  if (!isLockTimeout(error)) return false;
  const { where } = error as { where?: unknown };
  return String(where).includes(KEY_CONSTRAINT);
}

export const inUse = () =>
  refusedKey(IDEMPOTENCY_KEY_IN_USE, 'A request with this idempotency key is still running.');

export const keyReused = () =>
  refusedKey(IDEMPOTENCY_KEY_REUSED, 'This idempotency key was used for another request.');

const refusedKey = (code: ErrorCode, message: string): Refusal =>
  refusal(code, paramError('Idempotency-Key', 'invalid_value', message));

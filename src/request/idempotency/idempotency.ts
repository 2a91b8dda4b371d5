import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database } from '../../persistence/database.js';
import { Config } from '../../platform/config.js';
import { sqlState, violates } from '../../platform/faults.js';
import { KeyExpired, retried } from '../../platform/retries.js';
import { type Caller, nameOf } from '../../shared/caller.js';
import { type Decided, type Decision, decided, inTransaction } from '../../shared/decision.js';
import { Refusal } from '../../shared/errors.js';
import { ErrorResponses, statusOf } from '../errors.js';
import type { ResponseParts } from '../response.js';
import { inUse, keyReused } from './error.codes.js';
import type { KeyedRequest } from './idempotency-key.guard.js';
import { IdempotentResponse } from './idempotent-response.js';
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
    private readonly config: Config,
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
    const retentionSeconds = this.config.idempotencyRetentionHours * 3600;
    const claim = { operation, key, fingerprint: fingerprintOf(request), retentionSeconds, subject: request.subject };
    const answer = ({ result, writes }: Decided<Result>) => {
      const response = new IdempotentResponse(respond(result));
      return decided(response, this.responses.add(caller, claim, response), ...writes);
    };
    return this.alone(caller, claim, () =>
      this.attempt(caller, claim, request, async () => {
        const decision = await decide();
        return 'decide' in decision
          ? inTransaction(decision.owner, async () => answer(await decision.decide()))
          : answer(decision);
      }),
    );
  }

  /** Commits the decision of a request without a key, or of a route that takes none because each call is a new request. */
  async withoutKey<Result>(
    decide: Decide<Result>,
    respond: (result: Result) => ResponseParts,
  ): Promise<IdempotentResponse> {
    return new IdempotentResponse(respond(await this.database.commit(decide)));
  }

  /** Runs one request for each key at a time. The others get its response. */
  private async alone(caller: Caller, { operation, key, fingerprint }: Claim, run: () => Promise<IdempotentResponse>) {
    const name = `${nameOf(caller)} ${operation} ${key}`;
    for (let first = this.running.get(name); first; first = this.running.get(name)) {
      const response = await withinPatience(first.outcome);
      if (response) return replay({ response, fingerprint: first.fingerprint }, fingerprint);
    }
    const first: Running = { fingerprint, outcome: run() };
    this.running.set(name, first);
    try {
      return (await first.outcome) as IdempotentResponse;
    } finally {
      this.running.delete(name);
      // A growing Map keeps its old tables, and what they refer to, until the next full garbage collection.
      first.outcome = undefined;
    }
  }

  private async attempt(
    caller: Caller,
    claim: Claim,
    request: KeyedRequest,
    decide: Decide<IdempotentResponse>,
  ): Promise<IdempotentResponse> {
    if (request.hasEffect || this.responses.isRepeating(caller)) {
      const found = await this.responses.find(caller, claim);
      const stored = found === 'expired' ? undefined : found;
      // Another request under the key may be refused for its own faults first, as it is without this look-up.
      const isSame = stored?.fingerprint.equals(claim.fingerprint);
      if (stored && (isSame || request.hasEffect)) return replay(stored, claim.fingerprint);
    }
    return retried('expiredKey', async () => {
      try {
        return await this.respond(caller, claim, request, decide);
      } catch (error) {
        if (isKeyLocked(error)) throw inUse();
        if (!violates(error, KEY_CONSTRAINT)) throw error;
      }
      const found = await this.responses.find(caller, claim);
      if (found && found !== 'expired') return replay(found, claim.fingerprint);
      if (found) await this.database.commit(async () => decided(null, this.responses.forget(caller, claim)));
      throw inUse(KeyExpired);
    });
  }

  /** A refusal with 404 or 422 depends on the state at the time, so it is stored for the key, like a success. That of a person is not. */
  private async respond(
    caller: Caller,
    claim: Claim,
    request: KeyedRequest,
    decide: Decide<IdempotentResponse>,
  ): Promise<IdempotentResponse> {
    try {
      return await this.database.commit(decide);
    } catch (error) {
      const status = error instanceof Refusal ? statusOf(error) : 500;
      if (status === 400) return this.answeredBefore(caller, claim, error);
      if ((status !== 404 && status !== 422) || (error as Refusal).kind === 'person') throw error;
      const envelope = this.errors.answerTo(error as Refusal, { ...request, organization: caller.organization });
      const response = new IdempotentResponse(envelope);
      return this.database.commit(async () => decided(response, this.responses.add(caller, claim, response)));
    }
  }

  /** A value that was valid at first, such as an expiry ten minutes ahead, can be invalid when the request is retried. */
  private async answeredBefore(caller: Caller, claim: Claim, error: unknown): Promise<IdempotentResponse> {
    const found = await this.responses.find(caller, claim);
    if (!found || found === 'expired' || !found.fingerprint.equals(claim.fingerprint)) throw error;
    return found.response;
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
  return new IdempotentResponse(response, true);
}

/** The response of the first request, or undefined if it failed without one. Refuses after WAIT_MS. */
async function withinPatience(outcome: Running['outcome']): Promise<IdempotentResponse | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const impatience = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(inUse()), WAIT_MS);
  });
  try {
    return await Promise.race([outcome?.catch(() => undefined), impatience]);
  } finally {
    clearTimeout(timer);
  }
}

/** Whether the lock timeout was on the idempotency key, not on a payment. */
function isKeyLocked(error: unknown): boolean {
  return sqlState(error) === '55P03' && String((error as { where?: unknown }).where).includes(KEY_CONSTRAINT);
}

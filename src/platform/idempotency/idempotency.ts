import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import canonicalize from 'canonicalize';
import { Answer, type KeptAnswer } from '../../shared/answer.js';
import type { Caller } from '../../shared/caller.js';
import { type Decided, type Decision, decided, inTransaction } from '../../shared/decision.js';
import { paramError, Refusal } from '../../shared/errors.js';
import { Transaction } from '../../shared/transaction.js';
import { Config } from '../config.js';
import { sqlState, violates } from '../database/faults.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import { answerTo, statusOf } from '../http/errors.js';
import { IDEMPOTENCY_KEY_IN_USE, IDEMPOTENCY_KEY_REUSED } from './error.codes.js';
import type { IdempotentRequest } from './idempotency-key.guard.js';
import { KEY_CONSTRAINT, KeptAnswers } from './kept-answers.js';

/** How long a request waits for another with its key before it is told to come back. */
const WAIT_MS = 2_000;
/** A key can expire between the insert it refuses and the look at it; twice in a row cannot happen. */
const ATTEMPTS = 3;

/** Makes an answer the one that retries with the same key will get. */
type KeepAnswer = (answer: Answer) => KeptAnswer;

type Claim = Omit<KeptAnswer, 'answer'>;
type Work = (keep: KeepAnswer) => Promise<Answer>;

/** A request together with its body, which is what makes two requests the same. */
type Write = IdempotentRequest & { readonly body: unknown };

interface Running {
  readonly fingerprint: Buffer;
  outcome: Promise<Answer> | undefined;
}

/**
 * Runs a write once for each idempotency key. The work stores its answer in its own statement or transaction, so the
 * unique key in PostgreSQL decides between processes and across crashes; within a process, requests with the same key
 * wait for the first one here instead of each holding a connection.
 */
@Injectable()
export class Idempotency {
  private readonly running = new Map<string, Running>();

  constructor(
    private readonly kept: KeptAnswers,
    private readonly unit: UnitOfWork,
    private readonly transaction: Transaction,
    private readonly config: Config,
  ) {}

  async once<Result>(
    caller: Caller,
    request: Write,
    decide: () => Promise<Decision<Result>>,
    respond: (result: Result) => Answer,
  ): Promise<Answer> {
    if (request.key === undefined) return respond(await this.unit.commit(decide));
    return this.onceKept(caller, request, (keep) => {
      const withResponse = ({ result, writes }: Decided<Result>) => {
        const answer = respond(result);
        return decided(answer, this.kept.store(caller, keep(answer)), ...writes);
      };
      return this.unit.commit(async () => {
        const decision = await decide();
        if ('decide' in decision) return inTransaction(async () => withResponse(await decision.decide()));
        return withResponse(decision);
      });
    });
  }

  async onceKept(caller: Caller, request: Write, work: Work): Promise<Answer> {
    const { operation, key } = request;
    if (key === undefined) throw new Error(`${operation} needs RequireIdempotencyKey.`);
    const fingerprint = fingerprintOf(request);
    const name = `${caller.organization} ${caller.mode} ${operation} ${key}`;
    for (let first = this.running.get(name); first; first = this.running.get(name)) {
      const answer = await withinPatience(first.outcome);
      if (answer) return replay({ answer, fingerprint: first.fingerprint }, fingerprint);
    }
    const claim = { operation, key, fingerprint, retentionSeconds: this.config.idempotencyRetentionHours * 3600 };
    const first: Running = { fingerprint, outcome: this.attempt(caller, request, claim, work) };
    this.running.set(name, first);
    try {
      return (await first.outcome) as Answer;
    } finally {
      this.running.delete(name);
      // A Map grows by new tables, and its old ones keep what they held until the next full garbage collection.
      first.outcome = undefined;
    }
  }

  /**
   * The same for work of several statements: it runs in a transaction that also keeps its answer. Without a key it just
   * runs in one.
   */
  async transact(caller: Caller, request: Write, work: () => Promise<Answer>): Promise<Answer> {
    if (request.key === undefined) return this.transaction.run(work);
    return this.onceKept(caller, request, (keep) =>
      this.transaction.run(async () => {
        const answer = await work();
        await this.kept.add(caller, keep(answer));
        return answer;
      }),
    );
  }

  private async attempt(caller: Caller, request: Write, claim: Claim, work: Work): Promise<Answer> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      try {
        return await this.answerOf(caller, request, claim, work);
      } catch (error) {
        if (isKeyLocked(error)) throw inUse();
        if (!violates(error, KEY_CONSTRAINT)) throw error;
      }
      const found = await this.kept.find(caller, claim);
      if (found === 'expired') await this.kept.forget(caller, claim);
      else if (found) return replay(found, claim.fingerprint);
    }
    throw inUse();
  }

  /**
   * What the work answers. What it did not store itself is kept here: an answer that wrote nothing new, and a refusal
   * decided against state, which is as final for its key.
   */
  private async answerOf(caller: Caller, request: Write, claim: Claim, work: Work): Promise<Answer> {
    let stored: Answer | undefined;
    const keep: KeepAnswer = (answer) => {
      stored = answer;
      return { ...claim, answer };
    };
    let answer: Answer;
    try {
      answer = await work(keep);
    } catch (error) {
      const status = error instanceof Refusal ? statusOf(error) : 500;
      if (status === 400) return this.answeredBefore(caller, claim, error);
      if (status !== 404 && status !== 422) throw error;
      answer = answerTo(error as Refusal, { ...request, organization: caller.organization });
    }
    if (!stored || !isSame(answer, stored)) await this.kept.add(caller, { ...claim, answer });
    return answer;
  }

  /** What was right when it was first sent, like an expiry ten minutes ahead, may be wrong by the time of the retry. */
  private async answeredBefore(caller: Caller, claim: Claim, error: unknown): Promise<Answer> {
    const found = await this.kept.find(caller, claim);
    if (!found || found === 'expired' || !found.fingerprint.equals(claim.fingerprint)) throw error;
    return found.answer;
  }
}

/** SHA-256 of the body's canonical JSON (RFC 8785), and of the path's id where the operation has one. */
function fingerprintOf({ subject, body }: Write): Buffer {
  const canonical = canonicalize(body) ?? '';
  return hash('sha256', subject === undefined ? canonical : `${subject} ${canonical}`, 'buffer');
}

function replay({ answer, fingerprint }: { answer: Answer; fingerprint: Buffer }, expected: Buffer): Answer {
  if (!fingerprint.equals(expected)) throw keyReused();
  return new Answer(answer.status, answer.body, answer.location, true);
}

function isSame(one: Answer, other: Answer): boolean {
  return one.status === other.status && one.body === other.body;
}

/** The first request's answer, or undefined when it failed without one. Throws when it takes too long. */
async function withinPatience(outcome: Promise<Answer> | undefined): Promise<Answer | undefined> {
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

/** Whether a lock was waited for too long because another request holds the key, not the money. */
function isKeyLocked(error: unknown): boolean {
  return sqlState(error) === '55P03' && String((error as { where?: unknown }).where).includes(KEY_CONSTRAINT);
}

export function keyReused(): Refusal {
  const message = 'This idempotency key was used for another request.';
  return new Refusal(IDEMPOTENCY_KEY_REUSED, message, [paramError('Idempotency-Key', 'invalid_value', message)]);
}

export function inUse(): Refusal {
  const message = 'A request with this idempotency key is still running.';
  return new Refusal(IDEMPOTENCY_KEY_IN_USE, message, [paramError('Idempotency-Key', 'invalid_value', message)]);
}

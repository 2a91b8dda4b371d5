import { Injectable } from '@nestjs/common';
import { RATE_LIMITED, Refusal } from '../../../shared/errors.js';
import { type DueReceiver, nameOf } from '../domain/receiver.js';
import type { AttemptResult } from '../domain/schedule.js';
import { type Message, Receivers } from './receivers.js';

const MOST_AT_ONCE = 512;
const MOST_FAILING = 64;
const MOST_TESTS_OF_OWNER = 4;
const MOST_TESTS_OF_ENDPOINT = 2;
const FAILING = 'failing';
/**
 * A receiver gets many concurrent attempts if it responds, a few if it is unknown, and one if it
 * fails.
 */
const RESPONDING_AT_ONCE = 16;
const UNKNOWN_AT_ONCE = 4;
const FAILING_AT_ONCE = 1;
const MAX_REMEMBERED = 10_000;
/**
 * If all MOST_AT_ONCE attempts are under way and deliveries wait, attempts that are older than this
 * are ended.
 */
const MIN_ATTEMPT_MS = 2_500;

export type Send = (message: Message) => Promise<AttemptResult>;

interface UnderWay {
  readonly owner: string;
  readonly since: number;
  readonly abort: AbortController;
  readonly done: Promise<unknown>;
}

/**
 * Holds all attempts of this process, counted by owner and receiver. It is the only way to a
 * receiver, because no other class has the sender.
 */
@Injectable()
export class OutgoingAttempts {
  private readonly all = new Set<UnderWay>();
  private readonly counts = new Map<string, number>();
  /**
   * The values tell if receivers responded to their last attempt, in its order. The map is bounded:
   * a dropped receiver counts as unknown.
   */
  private readonly responds = new Map<string, boolean>();
  private endedAll: Error | undefined;

  constructor(private readonly receivers: Receivers) {}

  get size(): number {
    return this.all.size;
  }

  /** Returns how many attempts may still be started, and how many of them to failing receivers. */
  get room(): number {
    return MOST_AT_ONCE - this.size;
  }

  get failingRoom(): number {
    return MOST_FAILING - this.underWay(FAILING);
  }

  underWay(ownerOrName: string): number {
    return this.counts.get(ownerOrName) ?? 0;
  }

  isFailing(to: DueReceiver): boolean {
    return this.responds.get(nameOf(to)) === false;
  }

  atOnce(to: DueReceiver): number {
    const responds = this.responds.get(nameOf(to));
    if (responds === undefined) return UNKNOWN_AT_ONCE;
    return responds ? RESPONDING_AT_ONCE : FAILING_AT_ONCE;
  }

  deliver(to: DueReceiver, work: (send: Send) => Promise<void>): Promise<void> {
    return this.start(to, this.isFailing(to) ? [FAILING] : [], work);
  }

  /**
   * Sends a test. Refuses with rate_limited if too many attempts are under way in all, or too many
   * tests of this endpoint or its owner.
   */
  async test(to: DueReceiver, endpoint: string, message: Message): Promise<AttemptResult> {
    const [ofOwner, ofEndpoint] = [`tests of ${to.owner}`, `tests of ${endpoint}`] as const;
    const isTooMuch =
      this.underWay(ofOwner) >= MOST_TESTS_OF_OWNER ||
      this.underWay(ofEndpoint) >= MOST_TESTS_OF_ENDPOINT;
    if (isTooMuch || this.room <= 0)
      throw new Refusal(
        RATE_LIMITED,
        'Too many attempts are under way. Repeat the test when one has ended.',
      );
    return this.start(to, [ofOwner, ofEndpoint], (send) => send(message));
  }

  /**
   * Ends up to `count` attempts for deliveries that wait: the oldest ones of the owner with the
   * most attempts.
   */
  endLongest(count: number): void {
    const longest = performance.now() - MIN_ATTEMPT_MS;
    const old = [...this.all].filter(
      ({ since, abort }) => since <= longest && !abort.signal.aborted,
    );
    old.sort((one, other) => this.underWay(other.owner) - this.underWay(one.owner));
    const reason = new Error(
      `No response within ${MIN_ATTEMPT_MS} ms, while other deliveries waited.`,
    );
    for (const { abort } of old.slice(0, count)) abort.abort(reason);
  }

  endAll(reason: Error): void {
    this.endedAll = reason;
    for (const { abort } of this.all) abort.abort(reason);
  }

  async idle(): Promise<void> {
    while (this.all.size > 0) await Promise.allSettled([...this.all].map(({ done }) => done));
  }

  private start<Result>(
    to: DueReceiver,
    names: readonly string[],
    work: (send: Send) => Promise<Result>,
  ): Promise<Result> {
    const abort = new AbortController();
    const name = nameOf(to);
    const counted = [to.owner, name, ...names];
    this.add(counted, 1);
    const send = async (message: Message) => {
      const result = await this.receivers.send(message, abort.signal);
      this.remember(name, result.statusCode !== null);
      return result;
    };
    const done = work(send).finally(() => {
      this.all.delete(one);
      this.add(counted, -1);
    });
    const one: UnderWay = { owner: to.owner, since: performance.now(), abort, done };
    this.all.add(one);
    if (this.endedAll) abort.abort(this.endedAll);
    return done;
  }

  private remember(name: string, responds: boolean): void {
    this.responds.delete(name);
    this.responds.set(name, responds);
    const [oldest = ''] = this.responds.keys();
    if (this.responds.size > MAX_REMEMBERED) this.responds.delete(oldest);
  }

  private add(names: readonly string[], by: 1 | -1): void {
    for (const name of names) {
      const left = this.underWay(name) + by;
      if (left === 0) this.counts.delete(name);
      else this.counts.set(name, left);
    }
  }
}

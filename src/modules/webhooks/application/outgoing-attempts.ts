import { Injectable } from '@nestjs/common';
import { RATE_LIMITED, Refusal } from '../../../shared/errors.js';
import { type DueReceiver, nameOf } from '../domain/receiver.js';
import type { AttemptResult } from '../domain/schedule.js';
import { type Message, Receivers } from './receivers.js';

export const MOST_AT_ONCE = 512;
const MOST_TESTS_OF_OWNER = 4;
const MOST_TESTS_OF_ENDPOINT = 2;
const FAILING = 'failing';

export type Send = (message: Message) => Promise<AttemptResult>;

interface UnderWay {
  readonly owner: string;
  readonly since: number;
  readonly abort: AbortController;
  readonly done: Promise<unknown>;
}

/** All attempts of this process, counted by owner and receiver. The only way to a receiver: no other class has the sender. */
@Injectable()
export class OutgoingAttempts {
  private readonly all = new Set<UnderWay>();
  private readonly counts = new Map<string, number>();
  private endedAll: Error | undefined;

  constructor(private readonly receivers: Receivers) {}

  get size(): number {
    return this.all.size;
  }

  get failing(): number {
    return this.count(FAILING);
  }

  count(ownerOrName: string): number {
    return this.counts.get(ownerOrName) ?? 0;
  }

  deliver(to: DueReceiver, isFailing: boolean, work: (send: Send) => Promise<void>): Promise<void> {
    return this.start(to, isFailing ? [FAILING] : [], work);
  }

  /** Sends a test. Refuses with rate_limited if too many attempts are under way: tests of its endpoint or its owner, or all. */
  async test(to: DueReceiver, endpoint: string, message: Message): Promise<AttemptResult> {
    const [ofOwner, ofEndpoint] = [`tests of ${to.owner}`, `tests of ${endpoint}`] as const;
    const isTooMuch = this.count(ofOwner) >= MOST_TESTS_OF_OWNER || this.count(ofEndpoint) >= MOST_TESTS_OF_ENDPOINT;
    if (isTooMuch || this.size >= MOST_AT_ONCE)
      throw new Refusal(RATE_LIMITED, 'Too many attempts are under way. Repeat the test when one has ended.');
    return this.start(to, [ofOwner, ofEndpoint], (send) => send(message));
  }

  /**
   * Ends up to `count` attempts that are older than `minAgeMs`, so that waiting deliveries need not wait for receivers that do
   * not respond. It takes the oldest attempts of the owner with the most attempts.
   */
  endLongest(count: number, minAgeMs: number, reason: Error): void {
    const longest = performance.now() - minAgeMs;
    const old = [...this.all].filter(({ since, abort }) => since <= longest && !abort.signal.aborted);
    old.sort((one, other) => this.count(other.owner) - this.count(one.owner));
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
    const counted = [to.owner, nameOf(to), ...names];
    this.add(counted, 1);
    const done = work((message) => this.receivers.send(message, abort.signal)).finally(() => {
      this.all.delete(one);
      this.add(counted, -1);
    });
    const one: UnderWay = { owner: to.owner, since: performance.now(), abort, done };
    this.all.add(one);
    if (this.endedAll) abort.abort(this.endedAll);
    return done;
  }

  private add(names: readonly string[], by: 1 | -1): void {
    for (const name of names) {
      const left = this.count(name) + by;
      if (left === 0) this.counts.delete(name);
      else this.counts.set(name, left);
    }
  }
}

import { Injectable } from '@nestjs/common';
import { RATE_LIMITED, Refusal } from '../../../shared/errors.js';
import { type DueReceiver, RESPONDING_AT_ONCE } from '../domain/receiver.js';
import type { AttemptResult } from '../domain/schedule.js';
import { type Message, Receivers } from './receivers.js';

export const MOST_AT_ONCE = 512;
const MOST_TESTS = 32;
const MOST_TESTS_OF_OWNER = 4;
const MOST_TESTS_OF_ENDPOINT = 2;

export type Send = (message: Message) => Promise<AttemptResult>;
export type Destination = Pick<DueReceiver, 'owner' | 'receiver'>;

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

  get failingSize(): number {
    return this.count('failing');
  }

  ofOwner(owner: string): number {
    return this.count(owner);
  }

  ofReceiver({ owner, receiver }: Destination): number {
    return this.count(`${owner} ${receiver}`);
  }

  deliver(to: Destination, isFailing: boolean, work: (send: Send) => Promise<void>): Promise<void> {
    return this.start(to, isFailing ? ['failing'] : [], work);
  }

  /** Sends a test. Refuses with rate_limited if too much is under way to its endpoint or receiver, of its owner, or in all. */
  async test(to: Destination, endpoint: string, message: Message): Promise<AttemptResult> {
    const names = ['tests', `tests of ${to.owner}`, `tests of ${endpoint}`];
    const [inAll = 0, ofOwner = 0, ofEndpoint = 0] = names.map((name) => this.count(name));
    const isTooMuch = inAll >= MOST_TESTS || ofOwner >= MOST_TESTS_OF_OWNER || ofEndpoint >= MOST_TESTS_OF_ENDPOINT;
    if (isTooMuch || this.size >= MOST_AT_ONCE || this.ofReceiver(to) >= RESPONDING_AT_ONCE)
      throw new Refusal(RATE_LIMITED, 'Too many attempts are under way. Repeat the test when one has ended.');
    return this.start(to, names, (send) => send(message));
  }

  /**
   * Ends up to `count` attempts that are older than `minAgeMs`, so that waiting deliveries need not wait for receivers that do
   * not respond. It takes the oldest attempt of the owner with the most attempts, one at a time.
   */
  endLongest(count: number, minAgeMs: number, reason: Error): void {
    const longest = performance.now() - minAgeMs;
    const most = new Map<string, number>();
    for (const { owner } of this.all) most.set(owner, this.ofOwner(owner));
    for (let ended = 0; ended < count; ended++) {
      const candidates = [...this.all].filter(({ since, abort }) => since <= longest && !abort.signal.aborted);
      const left = (one: UnderWay) => most.get(one.owner) ?? 0;
      const [first, ...others] = candidates;
      if (!first) return;
      const victim = others.reduce((best, one) => (left(one) > left(best) ? one : best), first);
      most.set(victim.owner, left(victim) - 1);
      victim.abort.abort(reason);
    }
  }

  /** Ends all attempts, and any that are started later. */
  endAll(reason: Error): void {
    this.endedAll = reason;
    for (const { abort } of this.all) abort.abort(reason);
  }

  async idle(): Promise<void> {
    while (this.all.size > 0) await Promise.allSettled([...this.all].map(({ done }) => done));
  }

  private start<Result>(
    { owner, receiver }: Destination,
    names: readonly string[],
    work: (send: Send) => Promise<Result>,
  ): Promise<Result> {
    const abort = new AbortController();
    const counted = [owner, `${owner} ${receiver}`, ...names];
    this.add(counted, 1);
    const done = work((message) => this.receivers.send(message, abort.signal)).finally(() => {
      this.all.delete(one);
      this.add(counted, -1);
    });
    const one: UnderWay = { owner, since: performance.now(), abort, done };
    this.all.add(one);
    if (this.endedAll) abort.abort(this.endedAll);
    return done;
  }

  private count(name: string): number {
    return this.counts.get(name) ?? 0;
  }

  private add(names: readonly string[], by: 1 | -1): void {
    for (const name of names) {
      const left = this.count(name) + by;
      if (left === 0) this.counts.delete(name);
      else this.counts.set(name, left);
    }
  }
}

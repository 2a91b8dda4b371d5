/** A pretend payment provider and its book. */
import type { Answer } from './api.js';
import { type Clock, DAY } from './clock.js';
import type { Course } from './plan.js';

/** How long the provider remembers an idempotency key. */
const KEY_LIFETIME = DAY;
const SETTLES_AFTER = 2 * DAY;
const BOUNCES_AFTER = 2 * DAY;

export interface Payout {
  readonly id: string;
  readonly refund: string;
  readonly amount: number;
  readonly currency: string;
  readonly key: string;
  readonly status: 'succeeded' | 'pending' | 'failed' | 'returned';
}

interface Booked extends Omit<Payout, 'status'> {
  readonly course: Course;
  readonly at: number;
}

export class Provider {
  isDown = false;
  private readonly booked: Booked[] = [];

  constructor(
    private readonly clock: Clock,
    private readonly courseOf: (refund: string) => Course | undefined,
  ) {}

  /** Every payout that was made, oldest first. */
  get book(): readonly Payout[] {
    return this.booked.map((payout) => ({ ...payout, status: this.statusOf(payout) }));
  }

  /** Whether time changes no payout any more. */
  get isFinal(): boolean {
    return this.book.every(({ status }, place) => {
      const bounces = this.booked[place]?.course === 'pays, and it bounces';
      return status === 'returned' || status === 'failed' || (status === 'succeeded' && !bounces);
    });
  }

  answer(method: string, path: string, key: string, body: Record<string, unknown> | undefined): Answer {
    const { pathname, searchParams } = new URL(path, 'http://provider');
    if (this.isDown) return { status: 503, body: { error: 'unavailable' } };
    if (method === 'POST' && pathname === '/refunds') return this.pay(key, body ?? {});
    const shown = this.booked.map((payout) => this.shown(payout));
    if (pathname === '/refunds') {
      const wanted = [...searchParams] as [keyof (typeof shown)[number], string][];
      return {
        status: 200,
        body: { data: shown.filter((one) => wanted.every(([name, value]) => one[name] === value)) },
      };
    }
    const one = shown.find(({ id }) => pathname === `/refunds/${id}`);
    return one ? { status: 200, body: one } : { status: 404, body: { error: 'not_found' } };
  }

  /** The same key gives the same answer for a day. Any other key pays. */
  private pay(key: string, { refund, amount, currency }: Record<string, unknown>): Answer {
    const course = typeof refund === 'string' ? this.courseOf(refund) : undefined;
    const isSound = Number.isInteger(amount) && typeof currency === 'string' && key !== '';
    if (typeof refund !== 'string' || !course || !isSound) return { status: 400, body: { error: 'invalid' } };
    const known = this.booked.findLast((payout) => payout.key === key);
    if (known && this.clock.now() - known.at < KEY_LIFETIME) return { status: 200, body: this.shown(known) };
    if (course === 'declines') return { status: 402, body: { error: 'declined' } };
    const id = `pr_${this.booked.length + 1}`;
    const payout = { id, refund, amount: amount as number, currency, key, course, at: this.clock.now() };
    this.booked.push(payout);
    return { status: 200, body: this.shown(payout) };
  }

  private shown(payout: Booked) {
    const { id, refund, amount, currency } = payout;
    const status = this.statusOf(payout);
    return { id, refund, amount, currency, status, failure_reason: status === 'failed' ? 'account closed' : null };
  }

  private statusOf({ course, at }: Booked): Payout['status'] {
    const age = this.clock.now() - at;
    if (course === 'fails') return 'failed';
    if (course === 'pays, and it bounces') return age < BOUNCES_AFTER ? 'succeeded' : 'returned';
    if (course.endsWith('days later') && age < SETTLES_AFTER) return 'pending';
    return course === 'fails days later' ? 'failed' : 'succeeded';
  }
}

/** Pretends to be a payment provider, and keeps its book. */
import { isDeepStrictEqual } from 'node:util';
import type { Answer } from './api.js';
import { type Clock, DAY } from './clock.js';
import type { Course } from './scenes.js';

/** The provider remembers an idempotency key for so long. */
const KEY_LIFETIME = DAY;
const SETTLES_AFTER = 2 * DAY;
const BOUNCES_AFTER = 2 * DAY;
/** A new payout is missing in lists for so many seconds. */
const LIST_LAG = 5;
const LEAST_ON_PAGE = 10;
/**
 * A page of a list shows this part of all payouts. The first page has all payouts that have come
 * back.
 */
const PAGE = 0.1;
const FILTERS = ['id', 'refund', 'amount', 'currency', 'status'];

export interface Payout {
  readonly id: string;
  /** The refund is null if the payout was made in the dashboard, which knows no ID of Tillgate. */
  readonly refund: string | null;
  readonly amount: number;
  readonly currency: string;
  readonly key: string;
  readonly status: 'succeeded' | 'pending' | 'failed' | 'returned';
}

interface Booked extends Omit<Payout, 'status'> {
  readonly course: Course;
  readonly order: unknown;
  readonly at: number;
}

const invalid: Answer = { status: 400, body: { error: 'invalid' } };

export class Provider {
  isDown = false;
  /** These refunds have a request that arrives later. */
  readonly onTheWay = new Set<string>();
  /** The provider has refused these refunds for good. */
  readonly declined = new Set<string>();
  /** Holds what the provider has done with refunds so far. */
  readonly courses = new Set<Course>();
  private readonly booked: Booked[] = [];
  private readonly pageSize: number;
  private readonly refundOfKey = new Map<string, string>();

  constructor(
    private readonly clock: Clock,
    private readonly courseOf: (refund: string) => Course | undefined,
    /** So many payouts may be made in all. */
    expected: number,
  ) {
    this.pageSize = Math.max(LEAST_ON_PAGE, Math.ceil(expected * PAGE));
  }

  /** Returns every payout that was made, the oldest first. */
  get book(): readonly Payout[] {
    return this.booked.map((payout) => ({ ...payout, status: this.statusOf(payout) }));
  }

  payoutsOf(refund: string): readonly Payout[] {
    return this.book.filter((payout) => payout.refund === refund);
  }

  /**
   * Tells whether the provider has, or is about to have, a request for a payout. Such a refund is
   * not refused, because that would be untrue.
   */
  knows(refund: string): boolean {
    return this.onTheWay.has(refund) || this.booked.some((payout) => payout.refund === refund);
  }

  /** Returns the refund for which a key was used first. */
  firstRefundOf(key: string): string | undefined {
    return this.refundOfKey.get(key);
  }

  /** Tells whether time changes no payout any more. */
  get isFinal(): boolean {
    return this.book.every(({ status }, place) => {
      const bounces = this.booked[place]?.course === 'pays, and it bounces';
      return status === 'returned' || status === 'failed' || (status === 'succeeded' && !bounces);
    });
  }

  /** Pays without any request of a worker, and returns the ID of the payout. */
  payInDashboard(amount: number, currency: string): string {
    const order = { refund: null, amount, currency };
    const id = this.nextId();
    this.booked.push({ ...order, id, key: id, course: 'pays', order, at: this.clock.now() });
    return id;
  }

  isOfDashboard(payout: unknown): boolean {
    return this.booked.some(({ id, refund }) => refund === null && id === payout);
  }

  answer(
    method: string,
    path: string,
    key: string,
    body: Record<string, unknown> | undefined,
  ): Answer {
    const { pathname, searchParams } = new URL(path, 'http://provider');
    if (method === 'POST' && pathname === '/refunds') return this.pay(key, body ?? {});
    if (this.isDown) return { status: 503, body: { error: 'unavailable' } };
    if (pathname === '/refunds') return this.list(searchParams);
    const one = this.booked.find(({ id }) => pathname === `/refunds/${id}`);
    return one
      ? { status: 200, body: this.shown(one) }
      : { status: 404, body: { error: 'not_found' } };
  }

  /** The same key gives the same answer for a day. Any other key pays. */
  private pay(key: string, order: Record<string, unknown>): Answer {
    const { refund, amount, currency } = order;
    const course = typeof refund === 'string' ? this.courseOf(refund) : undefined;
    const isSound = Number.isInteger(amount) && typeof currency === 'string' && key !== '';
    if (typeof refund !== 'string' || !course || !isSound) return invalid;
    if (!this.refundOfKey.has(key)) this.refundOfKey.set(key, refund);
    const known = this.booked.findLast((payout) => payout.key === key);
    if (known && this.clock.now() - known.at < KEY_LIFETIME) {
      return isDeepStrictEqual(known.order, order)
        ? { status: 200, body: this.shown(known) }
        : { status: 409, body: { error: 'key_reused' } };
    }
    if (this.isDown && !this.knows(refund)) return { status: 503, body: { error: 'unavailable' } };
    this.courses.add(course);
    if (course === 'declines') {
      this.declined.add(refund);
      return { status: 402, body: { error: 'declined' } };
    }
    const terms = { refund, amount: amount as number, currency };
    const payout = { id: this.nextId(), ...terms, key, course, order, at: this.clock.now() };
    this.booked.push(payout);
    return { status: 200, body: this.shown(payout) };
  }

  /**
   * Lists payouts in pages, the oldest first. A page begins after the payout that `cursor` names.
   * Filters are members of a payout.
   */
  private list(query: URLSearchParams): Answer {
    const { cursor = '', limit, ...filters } = Object.fromEntries(query);
    if (Object.keys(filters).some((name) => !FILTERS.includes(name))) return invalid;
    const found = this.booked
      .slice(Number(cursor.replace('pr_', '')))
      .filter(({ at }) => this.clock.now() - at >= LIST_LAG)
      .map((payout) => this.shown(payout))
      .filter((one) =>
        Object.entries(filters).every(
          ([name, value]) => String(one[name as keyof typeof one]) === value,
        ),
      );
    const data = found.slice(0, Math.min(Number(limit) || this.pageSize, this.pageSize));
    const has_more = found.length > data.length;
    return {
      status: 200,
      body: { data, has_more, next_cursor: has_more ? data.at(-1)?.id : null },
    };
  }

  private shown(payout: Booked) {
    const { id, refund, amount, currency } = payout;
    const status = this.statusOf(payout);
    return {
      id,
      refund,
      amount,
      currency,
      status,
      failure_reason: status === 'failed' ? 'account closed' : null,
    };
  }

  private nextId(): string {
    return `pr_${this.booked.length + 1}`;
  }

  private statusOf({ course, at }: Booked): Payout['status'] {
    const age = this.clock.now() - at;
    if (course === 'fails') return 'failed';
    if (course === 'pays, and it bounces') return age < BOUNCES_AFTER ? 'succeeded' : 'returned';
    if (course.endsWith('days later') && age < SETTLES_AFTER) return 'pending';
    return course === 'fails days later' ? 'failed' : 'succeeded';
  }
}

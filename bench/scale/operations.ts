/**
 * These operations are measured through HTTP: every read, every list with every filter, and the two
 * writes.
 */
import type { Shop } from '../servers.js';
import type { Request } from './client.js';
import type { Step, Tenants } from './drawn.js';
import { NEW_SESSION } from './models.js';
import { PAGE_SIZE, type Samples } from './samples.js';

export interface Operation {
  readonly name: string;
  /** Each call returns a request for another resource. */
  readonly next: () => Request;
}

const DAY = 86_400;
const HOUR = 3_600;

/**
 * So many resources are requested, first in the warm-up, because the service is measured and not
 * the disk. A resource that nobody has requested lately comes from the disk, and more slowly the
 * more data there is.
 */
export const ASKED_FOR = 50;

/**
 * These ranges are seconds before the end of the load. A range with rows fills a page even in the
 * smallest step.
 */
const RANGES = {
  'a month, half a year ago': { from: 210 * DAY, to: 180 * DAY },
  'since a week': { from: 7 * DAY },
  'until a year ago, nearly': { to: 340 * DAY },
  'the last six hours': { from: 6 * HOUR },
} as const;
const MOST_OF_THE_YEAR = { from: 350 * DAY, to: 20 * DAY };
const THREE_DAYS = { from: 33 * DAY, to: 30 * DAY };

/** Makes requests of one shop. Ranges end at the end of the load. */
class Requests {
  constructor(
    private readonly key: string,
    private readonly end: number,
  ) {}

  get(name: string, path: string): Operation {
    const { key } = this;
    return { name, next: () => ({ path, key }) };
  }

  getEach(name: string, path: (id: string) => string, ids: readonly string[]): Operation {
    const { key } = this;
    const id = cycle(ids);
    return { name, next: () => ({ path: path(id()), key }) };
  }

  list(name: string, resource: string, query: Record<string, string | number> = {}): Operation {
    const parameters = new URLSearchParams({ limit: `${PAGE_SIZE}`, ...texts(query) });
    return this.get(`list ${name}`, `/v1/${resource}?${parameters}`);
  }

  sessionLists(status?: string): Operation[] {
    const query: Record<string, string> = status === undefined ? {} : { status };
    const name = `sessions${status === undefined ? '' : ` ${status}`}`;
    const inRange = Object.entries(RANGES).map(([when, range]) => {
      const filter = { ...query, ...rangeQuery(range, this.end) };
      return this.list(`${name}, ${when}`, 'checkout_sessions', filter);
    });
    return [this.list(name, 'checkout_sessions', query), ...inRange];
  }

  refundLists(status?: string): Operation[] {
    const query: Record<string, string> = status === undefined ? {} : { status };
    const name = `refunds${status === undefined ? '' : ` ${status}`}`;
    const range = { ...query, ...rangeQuery(MOST_OF_THE_YEAR, this.end) };
    return [
      this.list(name, 'refunds', query),
      this.list(`${name}, most of the year`, 'refunds', range),
    ];
  }

  eventLists(order: 'desc' | 'asc', sessions: readonly string[]): Operation[] {
    const inRange = { order, ...rangeQuery(THREE_DAYS, this.end) };
    return [
      this.list(`events ${order}`, 'events', { order }),
      this.list(`events created ${order}`, 'events', { order, type: 'checkout.session.created' }),
      this.list(`events refund.failed ${order}`, 'events', { order, type: 'refund.failed' }),
      this.getEach(
        `list events of one session ${order}`,
        (id) => `/v1/events?object=${id}&order=${order}`,
        sessions,
      ),
      this.list(`events ${order}, three days, a month ago`, 'events', inRange),
    ];
  }
}

export function operationsFor(shop: Shop, samples: Samples, step: Step): Operation[] {
  const requests = new Requests(shop.key, Math.floor(step.end / 1000));
  return [
    ...reads(requests, samples),
    ...sessionPages(requests, samples),
    ...refundPages(requests, samples),
    ...eventPages(requests, samples),
    ...writes(shop, samples),
  ];
}

const reads = (requests: Requests, { sessions, refunds, refundedPayments }: Samples) => [
  requests.getEach('read a session', (id) => `/v1/checkout_sessions/${id}`, sessions),
  requests.getEach('read a refund', (id) => `/v1/refunds/${id}`, refunds),
  requests.getEach('read a payment', (id) => `/v1/payments/${id}`, refundedPayments),
];

const sessionPages = (requests: Requests, { references, deepSession, deepExpired }: Samples) => [
  ...[undefined, 'open', 'complete', 'expired'].flatMap((status) => requests.sessionLists(status)),
  requests.getEach(
    'list sessions of a reference',
    (it) => `/v1/checkout_sessions?reference=${it}`,
    references,
  ),
  requests.list('sessions, page 1,000', 'checkout_sessions', { cursor: deepSession }),
  requests.list('sessions expired, page 1,000', 'checkout_sessions', {
    status: 'expired',
    cursor: deepExpired,
  }),
];

const refundPages = (requests: Requests, { payments, refundedPayments }: Samples) => [
  ...[undefined, 'pending', 'succeeded', 'failed'].flatMap((status) =>
    requests.refundLists(status),
  ),
  requests.getEach(
    'list refunds of a payment',
    (id) => `/v1/refunds?payment=${id}`,
    refundedPayments,
  ),
  requests.getEach(
    'list refunds of a payment, pending',
    (id) => `/v1/refunds?status=pending&payment=${id}`,
    payments,
  ),
];

const eventPages = (requests: Requests, { sessions, deepEvent }: Samples) => [
  ...(['desc', 'asc'] as const).flatMap((order) => requests.eventLists(order, sessions)),
  requests.list('events desc, page 1,000', 'events', { cursor: deepEvent }),
];

function writes({ key }: Shop, { payments }: Samples): Operation[] {
  const payment = cycle(payments);
  return [
    {
      name: 'create a session',
      next: () => ({ path: '/v1/checkout_sessions', key, body: NEW_SESSION }),
    },
    {
      name: 'refund',
      next: () => ({ path: '/v1/refunds', key, body: { payment: payment(), amount: 1 } }),
    },
  ];
}

/** The ledger sees every organization at once. */
export function ledgerOperations({ ledgerKey: key, big, small }: Tenants): Operation[] {
  const list = (name: string, query: string): Operation => {
    return {
      name: `ledger: refunds ${name}`,
      next: () => ({ path: `/ledger/v1/refunds?limit=25${query}`, key }),
    };
  };
  return [
    list('pending', ''),
    list('pending of big', `&organization=${big.organization}`),
    list('pending of small', `&organization=${small.organization}`),
    list('succeeded of small', `&status=succeeded&organization=${small.organization}`),
  ];
}

/** The operator reads the trail of keys and settings. */
export function operatorOperations(
  { operatorKey: key, big, small }: Tenants,
  { end }: Step,
): Operation[] {
  const threeDays = rangeQuery(THREE_DAYS, Math.floor(end / 1000));
  return (['desc', 'asc'] as const).flatMap((order) => {
    const list = (name: string, query: Record<string, string | number> = {}): Operation => {
      const wanted = new URLSearchParams({ limit: `${PAGE_SIZE}`, order, ...texts(query) });
      return {
        name: `operator: trail ${order}${name}`,
        next: () => ({ path: `/operator/v1/events?${wanted}`, key }),
      };
    };
    return [
      list(''),
      list(' of big', { organization: big.organization }),
      list(' of small', { organization: small.organization }),
      list(' of a type', { type: 'api_key.revoked' }),
      list(', three days, a month ago', threeDays),
    ];
  });
}

interface Range {
  readonly from?: number;
  readonly to?: number;
}

function rangeQuery({ from, to }: Range, now: number): Record<string, number> {
  return {
    ...(from === undefined ? {} : { from: now - from }),
    ...(to === undefined ? {} : { to: now - to }),
  };
}

function texts(query: Record<string, string | number>): Record<string, string> {
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [name, `${value}`]));
}

function cycle(ids: readonly string[]): () => string {
  if (ids.length === 0) throw new Error('There is nothing to ask for.');
  const asked = ids.slice(0, ASKED_FOR);
  let place = 0;
  return () => asked[place++ % asked.length] as string;
}

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

export function operationsFor({ key }: Shop, samples: Samples, step: Step): Operation[] {
  const now = Math.floor(step.end / 1000);
  const get = (name: string, path: string): Operation => ({ name, next: () => ({ path, key }) });
  const getEach = (
    name: string,
    path: (id: string) => string,
    ids: readonly string[],
  ): Operation => {
    const id = cycle(ids);
    return { name, next: () => ({ path: path(id()), key }) };
  };
  const list = (name: string, resource: string, query: Record<string, string | number> = {}) =>
    get(
      `list ${name}`,
      `/v1/${resource}?${new URLSearchParams({ limit: `${PAGE_SIZE}`, ...texts(query) })}`,
    );
  const sessionLists = [undefined, 'open', 'complete', 'expired'].flatMap((status) => {
    const query: Record<string, string> = status === undefined ? {} : { status };
    const name = `sessions${status === undefined ? '' : ` ${status}`}`;
    const inRange = Object.entries(RANGES).map(([when, range]) =>
      list(`${name}, ${when}`, 'checkout_sessions', { ...query, ...rangeQuery(range, now) }),
    );
    return [list(name, 'checkout_sessions', query), ...inRange];
  });
  const refundLists = [undefined, 'pending', 'succeeded', 'failed'].flatMap((status) => {
    const query: Record<string, string> = status === undefined ? {} : { status };
    const name = `refunds${status === undefined ? '' : ` ${status}`}`;
    const range = { ...query, ...rangeQuery(MOST_OF_THE_YEAR, now) };
    return [list(name, 'refunds', query), list(`${name}, most of the year`, 'refunds', range)];
  });
  const eventLists = (['desc', 'asc'] as const).flatMap((order) => [
    list(`events ${order}`, 'events', { order }),
    list(`events created ${order}`, 'events', { order, type: 'checkout.session.created' }),
    list(`events refund.failed ${order}`, 'events', { order, type: 'refund.failed' }),
    getEach(
      `list events of one session ${order}`,
      (id) => `/v1/events?object=${id}&order=${order}`,
      samples.sessions,
    ),
    list(`events ${order}, three days, a month ago`, 'events', {
      order,
      ...rangeQuery(THREE_DAYS, now),
    }),
  ]);
  const payment = cycle(samples.payments);

  return [
    getEach('read a session', (id) => `/v1/checkout_sessions/${id}`, samples.sessions),
    getEach('read a refund', (id) => `/v1/refunds/${id}`, samples.refunds),
    getEach('read a payment', (id) => `/v1/payments/${id}`, samples.refundedPayments),
    ...sessionLists,
    getEach(
      'list sessions of a reference',
      (it) => `/v1/checkout_sessions?reference=${it}`,
      samples.references,
    ),
    list('sessions, page 1,000', 'checkout_sessions', { cursor: samples.deepSession }),
    list('sessions expired, page 1,000', 'checkout_sessions', {
      status: 'expired',
      cursor: samples.deepExpired,
    }),
    ...refundLists,
    getEach(
      'list refunds of a payment',
      (id) => `/v1/refunds?payment=${id}`,
      samples.refundedPayments,
    ),
    getEach(
      'list refunds of a payment, pending',
      (id) => `/v1/refunds?status=pending&payment=${id}`,
      samples.payments,
    ),
    ...eventLists,
    list('events desc, page 1,000', 'events', { cursor: samples.deepEvent }),
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

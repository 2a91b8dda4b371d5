/**
 * A shop is a tenant together with its ledger. It sends the requests that move its sessions,
 * payments and refunds.
 */
import { randomUUID } from 'node:crypto';
import type { Mode } from '../../src/shared/caller.js';
import type { Service } from '../kit/service.js';
import { get, post, type Reply, SMALLEST, send } from './client.js';
import { createLedgerKey, createTenant, type Tenant } from './tenants.js';

export interface ShopOptions {
  readonly mode?: Mode;
  /** Many shops share this ledger key, because it works for all organizations. */
  readonly ledgerKey?: string;
}

export class Shop {
  private constructor(
    readonly url: string,
    readonly tenant: Tenant,
    readonly mode: Mode,
    readonly ledgerKey: string,
  ) {}

  static async open(
    service: Service,
    { mode = 'test', ledgerKey }: ShopOptions = {},
  ): Promise<Shop> {
    const tenant = await createTenant(service);
    return new Shop(service.url, tenant, mode, ledgerKey ?? (await createLedgerKey(service, mode)));
  }

  /** Returns the same shop at another instance of the service. */
  at({ url }: { url: string }): Shop {
    return new Shop(url, this.tenant, this.mode, this.ledgerKey);
  }

  /** Opens one organization in both modes. A write in one of them must leave the other as it is. */
  static async openTwin(service: Service): Promise<Twin> {
    const test = await Shop.open(service);
    return { test, live: await test.in('live', service) };
  }

  /** Returns the same organization in another mode. */
  async in(mode: Mode, service: Service): Promise<Shop> {
    return new Shop(this.url, this.tenant, mode, await createLedgerKey(service, mode));
  }

  get organization(): string {
    return this.tenant.organization;
  }

  get key(): string {
    return this.tenant[this.mode];
  }

  /** Returns the same shop with another key of its own. */
  as(key: string): Shop {
    return new Shop(this.url, { ...this.tenant, [this.mode]: key }, this.mode, this.ledgerKey);
  }

  /** Sends a read of the merchant. */
  get(path: string): Promise<Reply> {
    return get(`${this.url}${path}`, { key: this.key });
  }

  /**
   * Returns the identifiers in all pages of a list, in the order in which they come. The path
   * decides whether the merchant or the ledger reads it.
   */
  async idsOf(path: string): Promise<string[]> {
    const ids: string[] = [];
    const cursors = new Set<string>();
    for (let cursor = ''; ; ) {
      const { status, body } = await (path.startsWith('/ledger/')
        ? this.ledgerGet(path + cursor)
        : this.get(path + cursor));
      if (status !== 200) throw new Error(`${path} was answered with ${status}.`);
      ids.push(...body.data.map(({ id }: { id: string }) => id));
      if (!body.has_more) return ids;
      // Without this, a list that comes back to an earlier page would be read for ever.
      if (cursors.has(body.next_cursor)) throw new Error(`${path} has a page twice.`);
      cursors.add(body.next_cursor);
      cursor = `${path.includes('?') ? '&' : '?'}cursor=${body.next_cursor}`;
    }
  }

  /** Returns the events of a resource, oldest first. */
  async eventsOf(object: string): Promise<Reply['body'][]> {
    return (await this.get(`/v1/events?object=${object}&order=asc`)).body.data;
  }

  /** Sends a write of the merchant, under a new idempotency key unless one is given. */
  post(path: string, body?: unknown, idempotencyKey: string = randomUUID()): Promise<Reply> {
    return post(`${this.url}${path}`, { key: this.key, body, idempotencyKey });
  }

  /** Sends a read of the ledger. */
  ledgerGet(path: string): Promise<Reply> {
    return get(`${this.url}${path}`, { key: this.ledgerKey });
  }

  ledgerPost(path: string, body?: unknown, idempotencyKey: string = randomUUID()): Promise<Reply> {
    return post(`${this.url}${path}`, { key: this.ledgerKey, body, idempotencyKey });
  }

  /** Sends a write without an idempotency key, where none is required. */
  bare(path: string, body?: unknown): Promise<Reply> {
    const key = path.startsWith('/ledger/') ? this.ledgerKey : this.key;
    return send('POST', `${this.url}${path}`, { key, body });
  }

  createSession(body: unknown = SMALLEST): Promise<Reply> {
    return this.post('/v1/checkout_sessions', body);
  }

  /** Makes a session with this notify_url, and returns it with the event of its creation. */
  async notified(
    notify_url: string,
  ): Promise<{ readonly session: string; readonly event: string }> {
    const { id: session } = (await this.createSession({ ...SMALLEST, notify_url })).body;
    const [{ id: event }] = await this.eventsOf(session);
    return { session, event };
  }

  async deliveriesOf(event: string) {
    return (await this.get(`/v1/events/${event}`)).body.deliveries;
  }

  expire(session: string): Promise<Reply> {
    return this.post(`/v1/checkout_sessions/${session}/expire`);
  }

  /** Records a captured payment for this shop, by default 50.00 USD. */
  record(facts: Readonly<Record<string, unknown>> = {}, idempotencyKey?: string): Promise<Reply> {
    const body = { organization: this.organization, amount: 5000, currency: 'usd', ...facts };
    return this.ledgerPost('/ledger/v1/payments', body, idempotencyKey);
  }

  /** Records a captured payment, and returns its ID. */
  async capture(facts: Readonly<Record<string, unknown>> = {}): Promise<string> {
    return (await this.record(facts)).body.id;
  }

  propose(payment: string, amount: number): Promise<Reply> {
    return this.post('/v1/refunds', { payment, amount });
  }

  /** Records a refund of 5.00 that was made elsewhere. */
  recordRefund(
    payment: string,
    facts: Readonly<Record<string, unknown>> = {},
    idempotencyKey?: string,
  ): Promise<Reply> {
    const { organization } = this;
    const body = { organization, payment, amount: 500, provider_reference: 'payout_1', ...facts };
    return this.ledgerPost('/ledger/v1/refunds', body, idempotencyKey);
  }

  approve(refund: string, amount: number): Promise<Reply> {
    return this.post(`/v1/refunds/${refund}/approve`, { amount });
  }

  reject(refund: string): Promise<Reply> {
    return this.post(`/v1/refunds/${refund}/reject`, {});
  }

  cancel(refund: string): Promise<Reply> {
    return this.post(`/v1/refunds/${refund}/cancel`);
  }

  succeed(refund: string, body?: unknown): Promise<Reply> {
    return this.ledgerPost(`/ledger/v1/refunds/${refund}/succeed`, body);
  }

  fail(refund: string, body?: unknown): Promise<Reply> {
    return this.ledgerPost(`/ledger/v1/refunds/${refund}/fail`, body);
  }

  hold(payment: string, body: object = {}): Promise<Reply> {
    return this.ledgerPost(`/ledger/v1/payments/${payment}/holds`, body);
  }

  releaseHold(hold: string): Promise<Reply> {
    return this.ledgerPost(`/ledger/v1/holds/${hold}/release`);
  }

  /** Claims refunds of this shop as a worker of the ledger. */
  async claim(body: object = {}): Promise<Reply> {
    return this.bare('/ledger/v1/refunds/claim', { organization: this.organization, ...body });
  }

  return(refund: string, body?: unknown): Promise<Reply> {
    return this.ledgerPost(`/ledger/v1/refunds/${refund}/return`, body);
  }

  /** Returns the captured, refunded, pending and refundable amounts of a payment. */
  async amountsOf(payment: string): Promise<Amounts> {
    const { body } = await this.get(`/v1/payments/${payment}`);
    return {
      captured: body.amount,
      refunded: body.amount_refunded,
      pending: body.amount_pending_refund,
      left: body.amount_refundable,
    };
  }
}

export type Twin = Readonly<Record<Mode, Shop>>;

export interface Amounts {
  readonly captured: number;
  readonly refunded: number;
  readonly pending: number;
  readonly left: number;
}

/** Returns the refund as the ledger sees it, with the worker who has it. */
export function ownedRefund<Resource extends { id: string; object: string }>(
  organization: string,
  refund: Resource,
  claim: object | null = null,
) {
  const unset = { reference: null, description: null, provider_reference: null, reason: null };
  return { ...owned(organization, refund), claim, ...unset, approval: 'not_needed' };
}

/** Returns the resource as the ledger sees it, with its organization right after `object`. */
export function owned<Resource extends { id: string; object: string }>(
  organization: string,
  resource: Resource,
) {
  const { id, object, ...rest } = resource;
  return { id, object, organization, ...rest };
}

/** Returns a well-formed identifier that no resource has. */
export const unknownId = (prefix: string): string => `${prefix}_01k0000000fzzvzzvzzvzzvzzv`;

/**
 * These clients are merchants and their ledger. They write under idempotency keys, some at once
 * under one key, repeat each request until it is answered, and note every answer.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../drill/random.js';
import {
  type Acknowledged,
  attempt,
  type Json,
  type OperationLog,
  type Tenant,
} from './operation-log.js';

const PAUSE_MS = 50;
/**
 * A client waits so long between two operations: the load is enough to meet the faults, and leaves
 * room for everything else.
 */
const STEADY_MS = 20;
const PRICE = 1000;

export class Client {
  private readonly sessions: string[] = [];
  private readonly payments: string[] = [];
  private readonly refunds: string[] = [];
  private readonly own: Acknowledged[] = [];
  private writes = 0;

  constructor(
    private readonly url: string,
    private readonly tenant: Tenant,
    /** The prefix of its keys, which is the same for a client in the other mode. */
    private readonly name: string,
    private readonly notifyUrl: string | null,
    private readonly log: OperationLog,
    private readonly random: Random,
  ) {}

  async work(stop: AbortSignal): Promise<void> {
    const steps = [
      ...[this.create, this.create, this.record, this.propose, this.propose, this.propose],
      ...[
        this.decide,
        this.decide,
        this.cancel,
        this.expire,
        this.replay,
        this.read,
        this.read,
        this.list,
      ],
    ];
    while (!stop.aborted) {
      await this.random.of(steps)?.call(this);
      await sleep(STEADY_MS);
    }
  }

  private async create(): Promise<void> {
    const price = { currency: 'usd', unit_amount: PRICE, product_data: { name: 'Book' } };
    const body = {
      currency: 'usd',
      line_items: [{ price_data: price }],
      notify_url: this.notifyUrl,
    };
    const session = await this.write('/v1/checkout_sessions', body);
    if (session) this.sessions.push(session.id);
  }

  /** Records a payment for a session, which may have ended, or for none. */
  private async record(): Promise<void> {
    const { organization } = this.tenant;
    const session = this.random.below(3) > 0 ? this.random.of(this.sessions) : undefined;
    const facts = {
      organization,
      amount: PRICE,
      currency: 'usd',
      ...(session && { checkout_session: session }),
    };
    const payment = await this.write('/ledger/v1/payments', facts);
    if (payment) this.payments.push(payment.id);
  }

  /** Refunds one of the last payments, which are soon spent and then refused. */
  private async propose(): Promise<void> {
    const payment = this.random.of(this.payments.slice(-10));
    const refund =
      payment && (await this.write('/v1/refunds', { payment, amount: 1 + this.random.below(400) }));
    if (refund) this.refunds.push(refund.id);
  }

  private async decide(): Promise<void> {
    const outcome = this.random.below(2) === 0 ? 'succeed' : 'fail';
    await this.move(`/ledger/v1/refunds/${this.random.of(this.refunds.slice(-20))}/${outcome}`);
  }

  private async cancel(): Promise<void> {
    await this.move(`/v1/refunds/${this.random.of(this.refunds.slice(-20))}/cancel`);
  }

  private async expire(): Promise<void> {
    if (this.random.below(4) === 0)
      await this.move(`/v1/checkout_sessions/${this.random.of(this.sessions)}/expire`);
  }

  private async move(path: string): Promise<void> {
    if (!path.includes('undefined')) await this.write(path);
  }

  private async replay(): Promise<void> {
    const earlier = this.random.of(this.own);
    if (earlier)
      this.compare(
        earlier,
        await this.untilDecided(earlier.path, earlier.body, earlier.idempotencyKey),
      );
  }

  /**
   * Every process shows an acknowledged resource at once, and a payment never holds more than was
   * captured.
   */
  private async read(): Promise<void> {
    const payment = this.random.of(this.payments);
    const session = this.random.of(this.sessions);
    if (payment) await this.see(`/v1/payments/${payment}`);
    if (session) await this.see(`/v1/checkout_sessions/${session}`);
  }

  private async list(): Promise<void> {
    await this.see('/v1/refunds?limit=20');
  }

  private async see(path: string): Promise<void> {
    const answer = await attempt(this.log, this.url + path, this.tenant);
    if (!answer) return;
    this.log.reads += 1;
    this.log.answered();
    const body = JSON.parse(answer.text) as Json;
    if (answer.status !== 200)
      this.log.violations.push(`GET ${path} was answered ${answer.status}: ${answer.text}`);
    if (body.amount < body.amount_refunded + body.amount_pending_refund)
      this.log.violations.push(`${path} holds more than was captured: ${answer.text}`);
  }

  private async write(path: string, facts?: object): Promise<Json> {
    const request = [path, JSON.stringify(facts) ?? '', `${this.name} ${++this.writes}`] as const;
    const twin = this.random.below(4) === 0 ? this.untilDecided(...request) : undefined;
    const answer = await this.untilDecided(...request);
    const { status, text } = answer;
    this.log.acknowledged.push(answer);
    this.own.push(answer);
    if (twin) this.compare(answer, await twin);
    if (![200, 201, 422].includes(status))
      this.log.violations.push(`POST ${path} was answered ${status}: ${text}`);
    return status === 201 ? JSON.parse(text) : undefined;
  }

  /** Repeats the same request until its answer is final. */
  private async untilDecided(
    path: string,
    body: string,
    idempotencyKey: string,
  ): Promise<Acknowledged> {
    const { tenant } = this;
    const key = path.startsWith('/ledger/') ? tenant.ledgerKey : tenant.key;
    for (;;) {
      const answer = await attempt(this.log, this.url + path, { key, body, idempotencyKey });
      if (answer) {
        this.log.answered();
        return { tenant, path, body, idempotencyKey, ...answer };
      }
      await sleep(PAUSE_MS);
    }
  }

  private compare(earlier: Acknowledged, again: Acknowledged): void {
    this.log.replays += 1;
    if (earlier.status === again.status && earlier.text === again.text) return;
    this.log.violations.push(
      `the replay of ${earlier.path} differs: ${earlier.text} and ${again.text}`,
    );
  }
}

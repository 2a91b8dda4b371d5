/**
 * Compares the final state of the service and its database with the log of what was acknowledged.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client as Sql } from 'pg';
import { unpaired } from '../support/invariants.js';
import { commandLine } from '../support/processes.js';
import {
  type Acknowledged,
  attempt,
  type Json,
  type OperationLog,
  type Tenant,
} from './operation-log.js';

const AT_ONCE = 8;
const DELIVERY_PATIENCE_MS = 300_000;

export class Checker {
  constructor(
    private readonly url: string,
    private readonly databaseUrl: string,
    private readonly log: OperationLog,
  ) {}

  async check(sql: Sql, tenants: readonly Tenant[], received: readonly { id: string }[]) {
    const resources = await this.resources();
    await this.counts(sql);
    await this.replays();
    const events = (await Promise.all(tenants.map((tenant) => this.events(tenant)))).flat();
    this.sequences(events);
    const webhooks = await this.webhooks(sql, events, received);
    this.violations(
      (await unpaired(sql)).map((id) => `${id} does not stand in exactly one stored response`),
    );
    const { status, stdout } = await commandLine(['reconcile'], { DATABASE_URL: this.databaseUrl });
    if (status !== 0) this.violations([`the books do not balance: ${stdout}`]);
    return { resources, replays: this.log.acknowledged.length, events: events.length, webhooks };
  }

  /** No acknowledged resource is lost: each is there, as the last answer showed it. */
  private async resources(): Promise<number> {
    const last = new Map<string, { tenant: Tenant; answered: Json }>();
    for (const { tenant, status, text } of this.log.acknowledged) {
      if (status >= 400) continue;
      const answered = JSON.parse(text) as Json;
      const known = last.get(answered.id)?.answered;
      // Answers are noted in the order in which they came, which may differ from the order of the
      // changes: a final state stays.
      if (!known || ['open', 'pending'].includes(known.status))
        last.set(answered.id, { tenant, answered });
    }
    await eachOf([...last.values()], async ({ tenant, answered }) => {
      const path =
        { payment: 'payments', refund: 'refunds' }[answered.object as string] ??
        'checkout_sessions';
      const { status, text } = await this.untilDecided(`/v1/${path}/${answered.id}`, tenant.key);
      if (status !== 200) this.violations([`${answered.id} is lost: ${status} ${text}`]);
      else this.violations(differences(answered, JSON.parse(text)));
    });
    return last.size;
  }

  /** No resource is doubled: there are as many rows as were acknowledged, each under one key. */
  private async counts(sql: Sql): Promise<void> {
    const created = this.log.acknowledged
      .filter(({ status }) => status === 201)
      .map(({ text }) => JSON.parse(text).id);
    const tables = ['checkout_sessions', 'payments', 'refunds'].map(
      (table) => `(SELECT count(*) FROM ${table})`,
    );
    const { rows } = await sql.query(`SELECT ${tables.join(' + ')} AS count`);
    const found = [new Set(created).size, Number(rows[0].count)];
    if (found.some((count) => count !== created.length))
      this.violations([
        `${created.length} were created, ${found[0]} of them different, and ${found[1]} are there`,
      ]);
  }

  private async replays(): Promise<void> {
    await eachOf(this.log.acknowledged, async (answered) => {
      const again = await this.again(answered);
      if (again.status !== answered.status || again.text !== answered.text)
        this.violations([
          `the replay of ${answered.path} differs: ${answered.text} and ${again.text}`,
        ]);
    });
  }

  private async events({ key }: Tenant): Promise<Json[]> {
    const events: Json[] = [];
    for (let cursor = ''; ; ) {
      const { text } = await this.untilDecided(`/v1/events?order=asc&limit=100${cursor}`, key);
      const page = JSON.parse(text) as Json;
      events.push(...page.data);
      if (!page.has_more) return events;
      cursor = `&cursor=${page.next_cursor}`;
    }
  }

  /**
   * Each resource has one event for its beginning and at most one for its end, numbered without a
   * gap.
   */
  private sequences(events: readonly Json[]): void {
    const sequences = new Map<string, number[]>();
    for (const { data, sequence } of events)
      sequences.set(data.object.id, [...(sequences.get(data.object.id) ?? []), sequence]);
    for (const [id, numbers] of sequences)
      if (
        numbers.toSorted((one, other) => one - other).some((number, place) => number !== place + 1)
      )
        this.violations([`the events of ${id} are numbered ${numbers}`]);
    const silent = this.log.acknowledged.filter(
      ({ status, path, text }) =>
        status === 201 && !path.includes('/payments') && !sequences.has(JSON.parse(text).id),
    );
    this.violations(silent.map(({ text }) => `there is no event of ${text}`));
  }

  /**
   * Each event of a session that names a receiver has arrived, some of them only after their next
   * attempt is due.
   */
  private async webhooks(
    sql: Sql,
    events: readonly Json[],
    received: readonly { id: string }[],
  ): Promise<number> {
    const expected = events
      .filter(
        ({ data }) => data.object.object === 'checkout.session' && data.object.notify_url !== null,
      )
      .map(({ id }) => id as string);
    const missing = () => {
      const arrived = new Set(received.map(({ id }) => id));
      return expected.filter((id) => !arrived.has(id));
    };
    const deadline = performance.now() + DELIVERY_PATIENCE_MS;
    while (missing().length > 0 && performance.now() < deadline) {
      // The check waits neither for the pauses of the schedule nor for the leases of killed
      // workers: a repeated delivery is accepted.
      await sql.query(
        'UPDATE webhook_deliveries SET next_attempt_at = now() WHERE outcome IS NULL',
      );
      await sleep(5_000);
    }
    this.violations(missing().map((id) => `the event ${id} was never delivered`));
    return expected.length;
  }

  private async again({ tenant, path, body, idempotencyKey }: Acknowledged) {
    const key = path.startsWith('/ledger/') ? tenant.ledgerKey : tenant.key;
    return this.untilDecided(path, key, { body, idempotencyKey });
  }

  private async untilDecided(
    path: string,
    key: string,
    write: { body?: string; idempotencyKey?: string } = {},
  ) {
    for (;;) {
      const answer = await attempt(this.log, this.url + path, { key, ...write });
      if (answer) return answer;
      await sleep(100);
    }
  }

  private violations(found: readonly string[]): void {
    this.log.violations.push(...found);
  }
}

/**
 * The state may change until it is final. The amounts of a payment change with its refunds, and the
 * ledger sees more fields.
 */
function differences(answered: Json, found: Json): string[] {
  const isFinal = !['open', 'pending', undefined].includes(answered.status);
  const kept = Object.keys(answered).filter(
    (name) => name in found && !/^amount_(refund|pending)/.test(name),
  );
  const compared = isFinal ? kept : kept.filter((name) => !/status$/.test(name));
  return compared
    .filter((name) => JSON.stringify(answered[name]) !== JSON.stringify(found[name]))
    .map(
      (name) =>
        `${name} of ${answered.id} was answered as ${JSON.stringify(answered[name])} and is ${JSON.stringify(found[name])}`,
    );
}

async function eachOf<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = [...items];
  const lane = async () => {
    for (let item = left.pop(); item !== undefined; item = left.pop()) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}

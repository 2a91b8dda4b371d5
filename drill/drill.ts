/** Tests a worker of the ledger: two of it pay out refunds while everything goes wrong, and then the books are compared. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Clock, DAY, HOUR } from './clock.js';
import { Complaint } from './complaint.js';
import { Journal } from './journal.js';
import { Line } from './line.js';
import { Merchants } from './merchants.js';
import { DAYS, type PlannedRefund, planOf } from './plan.js';
import { Provider } from './provider.js';
import { Pushes } from './pushes.js';
import { reportOn } from './report.js';
import { openStage, type Stage } from './stage.js';
import { nameOf, Traffic } from './traffic.js';
import { type Violation, violations } from './verdict.js';
import { Workers } from './workers.js';

export interface Options {
  readonly command: readonly string[];
  readonly seed: number;
  readonly refunds: number;
  readonly seconds: number;
  readonly say: (line: string) => void;
  readonly stop: AbortSignal;
}

const POLL_MS = 20;
const QUIET_MS = 300;
/** How long a worker may wait before it asks again for work, and how long its work may take. */
const [PATIENCE_MS, WORK_MS] = [8_000, 32_000];
const HOURS_OF_DAY = { least: 4, most: 16 };
const OUTAGE_DAY = 1;
/** A claim may last 60 days. */
const NIGHTS_AT_THE_END = [DAY, DAY, DAY, 8 * DAY, 61 * DAY];

export async function drill(options: Options) {
  options.say('Tillgate is starting on a database of its own …');
  const stage = await openStage();
  try {
    const drill = new Drill(stage, options);
    return await drill.run().finally(() => drill.close());
  } finally {
    await stage.close();
  }
}

class Drill {
  private readonly clock: Clock;
  private readonly journal: Journal;
  private readonly merchants: Merchants;
  private readonly provider: Provider;
  private readonly traffic: Traffic;
  private readonly pushes: Pushes;
  private readonly lines: Line[] = [];
  private readonly over = new AbortController();
  private readonly courseOf = (refund: string) => this.merchants.plan(refund)?.course;
  private workers = new Workers([], [], () => undefined);
  private canceling = Promise.resolve();
  private movedAt = 0;

  constructor(
    private readonly stage: Stage,
    private readonly options: Options,
  ) {
    this.clock = new Clock(stage);
    this.journal = new Journal(this.clock);
    this.merchants = new Merchants(stage, this.journal);
    this.provider = new Provider(this.clock, this.courseOf);
    this.traffic = new Traffic(this.merchants, this.provider, this.journal, stage.url);
    this.pushes = new Pushes(stage);
  }

  async run() {
    const { seed, refunds, seconds, say, command } = this.options;
    const killed = (worker: number) => this.journal.note(undefined, nameOf(worker), 'kill -9');
    this.workers = new Workers(command, [await this.environment(0), await this.environment(1)], killed);
    this.canceling = this.merchants.cancel(this.over.signal);
    this.workers.start();
    const days = planOf(seed, refunds);
    for (const [day, planned] of days.entries()) {
      say(`Day ${day + 1} of ${DAYS}: ${planned.length} refunds.`);
      await this.day(planned, day, performance.now() + (seconds * 1_000) / DAYS);
    }
    say('No more faults: what is left can be decided.');
    await this.end();
    const { faults } = this.traffic;
    return reportOn(await this.books(), this.journal, { seed, refunds, faults, kills: this.workers.kills });
  }

  async close(): Promise<void> {
    this.over.abort();
    await this.canceling;
    await this.workers.stop();
    await Promise.all(this.lines.map((line) => line.close()));
  }

  private async environment(worker: number) {
    const { clock, traffic } = this;
    const events = {
      moved: () => clock.moved(),
      overtaken: traffic.overtaken.bind(traffic),
      kill: (worker: number) => this.workers.kill(worker),
    };
    const open = async (side: Traffic['tillgate']) => {
      const line = new Line(worker, side, events);
      this.lines.push(line);
      return line.open();
    };
    const [TILLGATE_URL, PROVIDER_URL] = [await open(traffic.tillgate), await open(traffic.payouts)];
    const WEBHOOK_PORT = String(await this.pushes.freePort());
    return { TILLGATE_URL, TILLGATE_LEDGER_KEY: this.stage.ledgerKey, PROVIDER_URL, WEBHOOK_PORT };
  }

  private async day(planned: readonly PlannedRefund[], day: number, deadline: number): Promise<void> {
    const [evening = [], morning = []] = [true, false].map((is) => planned.filter(({ isEvening }) => isEvening === is));
    await this.merchants.propose(morning);
    for (let hour = 0; hour < HOURS_OF_DAY.most && performance.now() < deadline; hour++) {
      this.provider.isDown = day === OUTAGE_DAY && hour === 1;
      await this.settled();
      await this.advance(HOUR);
      if (hour >= HOURS_OF_DAY.least && !this.isHolding()) break;
    }
    this.provider.isDown = false;
    if (!(await this.until(() => this.traffic.askedAt.some(Boolean))))
      throw new Complaint('The command has not asked Tillgate for anything.');
    await this.merchants.propose(evening);
    await this.until(() => this.isHolding());
    await this.night(DAY + HOUR);
  }

  /** No process lives through it: between a look at the provider and a payout, no worker can lose a day. */
  private async night(seconds: number): Promise<void> {
    await this.workers.stop();
    await Promise.all(this.lines.map((line) => line.drain()));
    await this.advance(seconds);
    this.workers.start();
  }

  private async end(): Promise<void> {
    this.traffic.isCalm = true;
    for (const night of NIGHTS_AT_THE_END) {
      for (let left = Number.POSITIVE_INFINITY; ; ) {
        if (await this.settled()) await this.advance(6 * HOUR);
        await this.settled();
        const found = (await this.violations()).length;
        if (found === 0 && this.provider.isFinal) return;
        if (found >= left) break;
        left = found;
      }
      await this.night(night);
    }
    await this.settled();
    await this.until(async () => (await this.violations()).length === 0);
  }

  private async advance(seconds: number): Promise<void> {
    await this.pushes.offer();
    await this.clock.advance(seconds);
    this.movedAt = performance.now();
  }

  private isHolding(): boolean {
    return this.lines.some(({ held }) => held > 0);
  }

  /** Until both workers have asked for work since the clock moved, and are done with it; or an answer waits for the clock. */
  private settled(): Promise<boolean> {
    const { traffic } = this;
    return this.until(() => {
      const since = Math.max(this.movedAt, traffic.workedAt);
      return (
        performance.now() - since > QUIET_MS &&
        (this.isHolding() || traffic.askedAt.every((asked) => asked > this.movedAt))
      );
    }, WORK_MS);
  }

  private async until(condition: () => boolean | Promise<boolean>, patience = PATIENCE_MS): Promise<boolean> {
    const deadline = performance.now() + patience;
    while (!(await condition())) {
      if (performance.now() > deadline) return false;
      this.workers.check();
      this.options.stop.throwIfAborted();
      await sleep(POLL_MS);
    }
    return true;
  }

  private async books() {
    const { misused } = this.traffic;
    return { refunds: await this.merchants.refunds(), payouts: this.provider.book, misused, courseOf: this.courseOf };
  }

  private async violations(): Promise<Violation[]> {
    return violations(await this.books());
  }
}

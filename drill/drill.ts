/** Tests a worker of the ledger: two of it pay out refunds while everything goes wrong, and then the books are compared. */
import { Clock, DAY, HOUR } from './clock.js';
import { Complaint, Halt } from './complaint.js';
import { Journal } from './journal.js';
import { Line } from './line.js';
import { Merchants } from './merchants.js';
import { DAYS, FAST_DAY, NIGHTS_AT_THE_END, OUTAGE_DAY, planOf } from './plan.js';
import { Provider } from './provider.js';
import { Pushes } from './pushes.js';
import { openIn, type Report, reportOn, unmetOf } from './report.js';
import type { PlannedRefund } from './scenes.js';
import type { Stage } from './stage.js';
import { Traffic } from './traffic.js';
import { type Books, lasting, violations } from './verdict.js';
import { Waits } from './waits.js';
import { nameOf, Witness } from './witness.js';
import { type Command, Workers } from './workers.js';

export interface Options extends Command {
  readonly seed: number;
  readonly refunds: number;
  /** How long there are faults, at most. */
  readonly seconds: number;
  /** Whether it ends when the first rule is broken. */
  readonly bail: boolean;
  readonly say: (line: string) => void;
  /** Its reason is a Halt. */
  readonly stop: AbortSignal;
}

const HOURS_OF_DAY = { least: 4, most: 16 };

export async function drill(stage: Stage, options: Options): Promise<Report> {
  const drill = new Drill(stage, options);
  return await drill.run().finally(() => drill.close());
}

class Drill {
  private readonly clock: Clock;
  private readonly journal: Journal;
  private readonly merchants: Merchants;
  private readonly provider: Provider;
  private readonly witness: Witness;
  private readonly traffic: Traffic;
  private readonly pushes: Pushes;
  private readonly lines: Line[] = [];
  private readonly waits: Waits;
  private readonly over = new AbortController();
  private readonly isHolding = () => this.lines.some(({ held }) => held > 0);
  private readonly courseOf = (refund: string) => this.merchants.plan(refund)?.course;
  private workers = new Workers({ command: [], restart: false }, [], () => undefined);
  private canceling = Promise.resolve();
  private nights = 0;

  constructor(
    private readonly stage: Stage,
    private readonly options: Options,
  ) {
    this.clock = new Clock(stage);
    this.journal = new Journal(this.clock);
    this.merchants = new Merchants(stage, this.journal);
    this.provider = new Provider(this.clock, this.courseOf, options.refunds);
    this.witness = new Witness(this.merchants, this.provider, this.journal);
    this.traffic = new Traffic(this.merchants, this.provider, this.witness, stage.url);
    this.pushes = new Pushes(stage);
    this.waits = new Waits(this.witness, () => {
      this.workers.check(this.witness.wasAsked);
      options.stop.throwIfAborted();
    });
  }

  async run(): Promise<Report> {
    const { seed, refunds } = this.options;
    const plan = planOf(seed, refunds);
    const stopped = await this.play(plan);
    if (stopped !== null) await this.stopWorkers();
    const { faults } = this.traffic;
    const unmet = unmetOf(plan.flat(), faults, this.provider.courses);
    const played = { seed, refunds, faults, kills: this.workers.kills, unmet, stopped };
    return reportOn(await this.books(), this.journal, played);
  }

  async close(): Promise<void> {
    this.over.abort();
    await this.canceling;
    await this.workers.stop();
    await Promise.all(this.lines.map((line) => line.close()));
  }

  /** Returns why it ended before its end, or null. */
  private async play(plan: readonly (readonly PlannedRefund[])[]): Promise<string | null> {
    const killed = (worker: number) => this.journal.note(undefined, nameOf(worker), 'kill -9');
    this.workers = new Workers(
      this.options,
      [await this.environment(0), await this.environment(1)],
      killed,
    );
    this.canceling = this.merchants.keepCanceling(this.over.signal);
    this.workers.start();
    try {
      for (const [day, planned] of plan.entries()) {
        this.options.say(`Day ${day + 1} of ${DAYS}: ${planned.length} refunds.`);
        await this.day(planned, day, performance.now() + (this.options.seconds * 1_000) / DAYS);
      }
      this.options.say('No more faults: what is left can be decided.');
      await this.end();
      return null;
    } catch (error) {
      if (error instanceof Halt) return error.message;
      throw error;
    }
  }

  private async environment(worker: number) {
    const { clock, traffic } = this;
    const events = {
      moved: () => clock.moved(),
      overtaken: traffic.overtaken.bind(traffic),
      kill: (worker: number) => this.workers.kill(worker),
      told: clock.told.bind(clock),
    };
    const open = async (side: Traffic['tillgate']) => {
      const line = new Line(worker, side, events);
      this.lines.push(line);
      return line.open();
    };
    const [TILLGATE_URL, PROVIDER_URL] = [
      await open(traffic.tillgate),
      await open(traffic.payouts),
    ];
    const WEBHOOK_PORT = String(await this.pushes.freePort());
    return { TILLGATE_URL, TILLGATE_LEDGER_KEY: this.stage.ledgerKey, PROVIDER_URL, WEBHOOK_PORT };
  }

  private async day(
    planned: readonly PlannedRefund[],
    day: number,
    deadline: number,
  ): Promise<void> {
    const [evening = [], morning = []] = [true, false].map((is) =>
      planned.filter(({ isEvening }) => isEvening === is),
    );
    if (day === FAST_DAY) this.clock.fast = HOUR;
    await this.merchants.propose(morning);
    for (let hour = 0; hour < HOURS_OF_DAY.most && performance.now() < deadline; hour++) {
      this.provider.isDown = day === OUTAGE_DAY && hour === 1;
      await this.waits.settled(this.isHolding);
      if (this.options.bail && this.witness.seen.size > 0) throw new Halt('A rule was broken.');
      await this.advance(HOUR);
      if (hour >= HOURS_OF_DAY.least && !this.isHolding()) break;
    }
    this.provider.isDown = false;
    if (!(await this.waits.until(() => this.witness.wasAsked)))
      throw new Complaint('The command has not asked Tillgate for anything.');
    await this.merchants.propose(evening);
    this.witness.countAnew();
    await this.waits.settled(this.isHolding);
    await this.night(DAY);
  }

  /** No process lives through it: between a look at the provider and a payout, no worker can lose a day. */
  private async night(seconds: number): Promise<void> {
    await this.stopWorkers();
    // What is late arrives an hour later, before the provider has forgotten a key.
    await this.advance(HOUR);
    await this.advance(seconds);
    const books = await this.books();
    this.nights += 1;
    this.options.say(
      `Night ${this.nights}: ${openIn(books)} of ${books.refunds.length} refunds are open.`,
    );
    if (this.options.bail && lasting(violations(books)).length > 0)
      throw new Halt('A rule was broken.');
    this.workers.start();
  }

  private async stopWorkers(): Promise<void> {
    await this.workers.stop();
    await Promise.all(this.lines.map((line) => line.drain()));
  }

  private async end(): Promise<void> {
    this.traffic.isCalm = true;
    let left = Number.POSITIVE_INFINITY;
    for (const night of NIGHTS_AT_THE_END) {
      for (let isLess = true; isLess; ) {
        const isAsking = await this.waits.settled(this.isHolding);
        if (isAsking) await this.advance(6 * HOUR);
        if (isAsking) await this.waits.settled(this.isHolding);
        const found = violations(await this.books()).length;
        if (found === 0 && this.provider.isFinal) return;
        isLess = isAsking && found < left;
        left = found;
      }
      await this.night(night);
    }
    for (let work = -1; work !== this.witness.work; ) {
      work = this.witness.work;
      if (violations(await this.books()).length === 0) return;
      await this.waits.until(() => this.witness.work !== work);
    }
  }

  private async advance(seconds: number): Promise<void> {
    await Promise.all([this.pushes.offer(), this.merchants.decide()]);
    this.witness.countAnew();
    await this.clock.advance(seconds, async () => {
      for (const line of this.lines) await line.deliver();
    });
  }

  private async books(): Promise<Books> {
    const [refunds, payouts] = [await this.merchants.refunds(), this.provider.book];
    return { refunds, payouts, seen: this.witness.seen, courseOf: this.courseOf };
  }
}

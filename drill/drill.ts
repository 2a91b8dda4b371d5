/**
 * Tests a worker of the ledger: first alone and never killed, then two of it pay out refunds while everything goes wrong, and
 * then the books are compared.
 */
import type { Progress } from '../src/platform/progress.js';
import { Clock, DAY, HOUR } from './clock.js';
import { Complaint, Halt } from './complaint.js';
import { Dashboard } from './dashboard.js';
import { FirstDay } from './first-day.js';
import { Journal } from './journal.js';
import { Line, type Request } from './line.js';
import { Merchants } from './merchants.js';
import { DAYS, FAST_DAY, firstDayOf, NIGHTS_AT_THE_END, OUTAGE_DAY, planOf } from './plan.js';
import { Provider } from './provider.js';
import { Pushes } from './pushes.js';
import { openIn, openOf, type Report, reportOn, unmetOf } from './report.js';
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
  readonly progress: Progress;
  /** Its reason is a Halt. */
  readonly stop: AbortSignal;
}

const WORKERS = 2;
const NEVER_ASKED = 'The command has not asked Tillgate for anything.';
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
  private readonly dashboard: Dashboard;
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
    this.merchants = new Merchants(stage, this.journal, (payment) => this.dashboard.want(payment));
    this.provider = new Provider(this.clock, this.courseOf, options.refunds);
    this.dashboard = new Dashboard(stage, this.provider, this.journal);
    this.witness = new Witness(this.merchants, this.provider, this.journal, () =>
      options.progress.add(),
    );
    this.traffic = new Traffic(this.merchants, this.provider, this.witness, stage.url);
    this.pushes = new Pushes(stage);
    const check = () => {
      this.workers.check(this.witness.wasAsked);
      options.stop.throwIfAborted();
    };
    this.waits = new Waits(this.witness, check, () => this.workers.count);
  }

  async run(): Promise<Report> {
    const { seed, refunds } = this.options;
    const [firstDay, plan] = [firstDayOf(seed), planOf(seed, refunds)];
    const stopped = await this.play(firstDay, plan);
    if (stopped !== null) await this.stopWorkers();
    const { faults, met } = this.traffic;
    const unmet = unmetOf([...firstDay, ...plan.flat()], faults, this.provider.courses);
    const faulty = this.merchants.countWithFault();
    const { kills } = this.workers;
    const played = { seed, refunds, faults, kills, unmet, met: met.size, faulty, stopped };
    return reportOn(await this.books(), this.journal, played);
  }

  async close(): Promise<void> {
    this.over.abort();
    await this.canceling;
    await this.workers.stop();
    await Promise.all(this.lines.map((line) => line.close()));
  }

  /** Returns why it ended before its end, or null. */
  private async play(
    firstDay: readonly PlannedRefund[],
    plan: readonly (readonly PlannedRefund[])[],
  ): Promise<string | null> {
    const killed = (worker: number) => this.journal.note(undefined, nameOf(worker), 'kill -9');
    this.workers = new Workers(
      this.options,
      [await this.environment(0), await this.environment(1)],
      killed,
    );
    this.canceling = this.merchants.keepCanceling(this.over.signal);
    const { progress } = this.options;
    progress.begin('Requests of the workers');
    try {
      progress.name('first day');
      await this.firstDay(firstDay);
      this.workers.start(WORKERS);
      for (const [day, planned] of plan.entries()) {
        progress.name(`day ${day + 1} of ${DAYS}`);
        this.options.progress.say(`Day ${day + 1} of ${DAYS}: ${planned.length} refunds.`);
        await this.day(planned, day, performance.now() + (this.options.seconds * 1_000) / DAYS);
      }
      this.options.progress.say('No more faults: what is left can be decided.');
      progress.name('end');
      await this.end();
      return null;
    } catch (error) {
      if (error instanceof Halt) return error.message;
      throw error;
    } finally {
      progress.end();
    }
  }

  private async firstDay(planned: readonly PlannedRefund[]): Promise<void> {
    this.options.progress.say(
      `The first day: one worker that nobody kills, ${planned.length} refunds.`,
    );
    this.workers.start(1);
    await this.merchants.propose(planned);
    const day = new FirstDay(this.waits, {
      advance: (seconds) => this.advance(seconds),
      isHolding: this.isHolding,
      isUnanswered: () => this.lines.some(({ unanswered }) => unanswered > 0),
      isOver: async () => {
        if (this.options.bail && this.witness.seen.size > 0) throw new Halt('A rule was broken.');
        const broken = violations(await this.books());
        return this.provider.isFinal && broken.length === lasting(broken).length;
      },
    });
    const end = await day.play();
    if (end === 'all are decided') return;
    if (!this.witness.wasAsked) throw new Complaint(NEVER_ASKED);
    const books = await this.books();
    const open = new Set(openOf(books).map(({ id }) => id));
    const left = violations(books).filter(({ refund }) => open.has(refund));
    // A kill or a second worker may mend it later, so it is remembered.
    for (const { refund, rule } of left)
      this.witness.see(refund, end === 'it stands still' ? 'stuck' : rule);
    if (this.options.bail && left.length > 0) throw new Halt('A rule was broken.');
  }

  private async environment(worker: number) {
    const { clock, traffic } = this;
    const events = {
      moved: () => clock.moved(),
      overtaken: traffic.overtaken.bind(traffic),
      waitedTooLong: (request: Request) => this.witness.seeNoTimeout(request),
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
    if (!(await this.waits.until(() => this.witness.wasAsked))) throw new Complaint(NEVER_ASKED);
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
    this.options.progress.say(
      `Night ${this.nights}: ${openIn(books)} of ${books.refunds.length} refunds are open.`,
    );
    if (this.options.bail && lasting(violations(books)).length > 0)
      throw new Halt('A rule was broken.');
    this.workers.start(WORKERS);
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
    await Promise.all([this.pushes.offer(), this.merchants.decide(), this.dashboard.work()]);
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

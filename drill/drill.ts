/**
 * Tests a worker of the ledger: first alone and never killed, then two of it pay out refunds while
 * everything goes wrong, and then the books are compared.
 */

import type { Progress } from '../src/platform/progress.js';

import { Activity } from './activity.js';

import { Clock, DAY, HOUR } from './clock.js';
import { Complaint, Halt } from './complaint.js';
import { Dashboard } from './dashboard.js';
import { FirstDay, type Left } from './first-day.js';
import { Journal } from './journal.js';
import { Lines } from './lines.js';
import { Merchants } from './merchants.js';
import { DAYS, FAST_DAY, firstDayOf, NIGHTS_AT_THE_END, OUTAGE_DAY, planOf } from './plan.js';
import { Provider } from './provider.js';
import { Pushes } from './pushes.js';
import { openIn, openOf, type Report, reportOn, unmetOf, urgentOf } from './report.js';
import type { PlannedRefund } from './scenes.js';
import type { Stage } from './stage.js';
import { Traffic } from './traffic.js';
import { type Books, lasting, type Rule, violations } from './verdict.js';
import { Waits } from './waits.js';
import { nameOf, Witness } from './witness.js';
import { type Command, type Environment, Workers } from './workers.js';

export interface Options extends Command {
  readonly seed: number;
  readonly refunds: number;
  /** Faults happen for so long at most, in seconds. */
  readonly seconds: number;
  /** A call may stay open, and a worker may do nothing, for so many seconds of a calm machine. */
  readonly patience: number;
  /** Tells whether the drill ends after these rules were broken. */
  readonly bail: (broken: readonly Rule[]) => boolean;
  readonly progress: Progress;
  /** The reason of this signal is a Halt. */
  readonly stop: AbortSignal;
}

const WORKERS = 2;
const NEVER_ASKED = 'The command has not asked Tillgate for anything.';
const HOURS_OF_DAY = { least: 2, usual: 4, most: 16 };

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
  private readonly lines: Lines;
  private readonly waits: Waits;
  private readonly over = new AbortController();
  private readonly activity: Activity;
  private readonly isHeld = (worker: number) => this.lines.isHeld(worker);
  private readonly courseOf = (refund: string) => this.merchants.plan(refund)?.course;
  private workers = new Workers({ command: [], restart: false }, [], () => undefined);
  private canceling = Promise.resolve();
  private nights = 0;

  constructor(
    private readonly stage: Stage,
    private readonly options: Options,
  ) {
    this.activity = new Activity(() => options.progress.add());
    this.clock = new Clock(stage);
    this.journal = new Journal(this.clock);
    this.merchants = new Merchants(stage, this.journal, (payment) => this.dashboard.want(payment));
    this.provider = new Provider(this.clock, this.courseOf, options.refunds);
    this.dashboard = new Dashboard(stage, this.provider, this.journal);
    this.witness = new Witness(this.merchants, this.provider, this.journal, this.activity);
    const { merchants, provider, witness, activity } = this;
    const traffic = new Traffic(merchants, provider, witness, activity, stage.url);
    this.traffic = traffic;
    this.pushes = new Pushes(stage);
    this.lines = new Lines({
      moved: () => this.clock.moved(),
      overtaken: (request) => traffic.overtaken(request, this.over.signal),
      tooLong: () => this.waits.tooLong(),
      waitedTooLong: (request) => witness.seeNoTimeout(request),
      kill: (place) => this.workers.kill(place),
      told: (member, time) => this.clock.told(member, time),
    });
    const check = () => {
      this.workers.check(this.activity.wasAsked);
      options.stop.throwIfAborted();
      this.bail([...this.witness.seen.values()].flatMap((rules) => [...rules]));
    };
    this.waits = new Waits(this.activity, check, () => this.workers.count, options.patience);
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
    await this.lines.close();
  }

  /** Plays the days. Returns why the drill ended early, or null. */
  private async play(
    firstDay: readonly PlannedRefund[],
    plan: readonly (readonly PlannedRefund[])[],
  ): Promise<string | null> {
    const killed = (worker: number) => {
      this.activity.killed(worker);
      this.journal.note(undefined, nameOf(worker), 'kill -9');
    };
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
      isHeld: () => this.isHeld(0),
      isUnanswered: () => this.lines.isUnanswered,
      calm: () => {
        this.traffic.isCalm = true;
      },
      left: () => this.left(),
    });
    const end = await day.play();
    this.traffic.isCalm = false;
    if (end === 'it stands still' && !this.activity.wasAsked) throw new Complaint(NEVER_ASKED);
    if (end === 'it stands still' || end === 'some are left') await this.seeOpen(end);
  }

  /** Remembers undecided refunds, because a kill or a second worker may decide them later. */
  private async seeOpen(end: 'it stands still' | 'some are left'): Promise<void> {
    const books = await this.books();
    const open = new Set(openOf(books).map(({ id }) => id));
    const left = violations(books).filter(({ refund }) => open.has(refund));
    const seen = left.map(
      ({ refund, rule }) =>
        ({
          refund,
          rule: end === 'it stands still' ? 'stuck' : rule,
        }) as const,
    );
    for (const { refund, rule } of seen) this.witness.see(refund, rule);
    this.bail(seen.map(({ rule }) => rule));
  }

  private async left(): Promise<Left> {
    const books = await this.books();
    const broken = violations(books);
    const lastingOnes = lasting(broken);
    this.bail(lastingOnes.map(({ rule }) => rule));
    const undecided = broken.length - lastingOnes.length;
    const count = this.provider.isFinal ? undecided : undecided + 1;
    return { count, isUrgent: urgentOf(books).length > 0 };
  }

  private bail(broken: readonly Rule[]): void {
    if (this.options.bail(broken)) throw new Halt('A rule was broken.');
  }

  private async environment(worker: number): Promise<Environment> {
    const { tillgate, payouts } = this.traffic;
    const urls = await this.lines.open(worker, tillgate, payouts);
    const WEBHOOK_PORT = String(await this.pushes.freePort());
    return { ...urls, TILLGATE_LEDGER_KEY: this.stage.ledgerKey, WEBHOOK_PORT };
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
      await this.waits.settled(this.isHeld);
      await this.advance(HOUR);
      if (await this.isEvening(hour)) break;
    }
    this.provider.isDown = false;
    await this.merchants.propose(evening);
    this.activity.countAnew();
    await this.waits.settled(this.isHeld);
    await this.night(DAY);
  }

  private async isEvening(hour: number): Promise<boolean> {
    const { least, usual } = HOURS_OF_DAY;
    if (hour < least || this.lines.isAnyHeld) return false;
    return hour >= usual || urgentOf(await this.books()).length === 0;
  }

  /** Lets a night pass without a process: no worker loses a day between a look and a payout. */
  private async night(seconds: number): Promise<void> {
    await this.stopWorkers();
    // Late requests arrive an hour later, before the provider has forgotten a key.
    await this.advance(HOUR);
    await this.advance(seconds);
    const books = await this.books();
    this.nights += 1;
    this.options.progress.say(
      `Night ${this.nights}: ${openIn(books)} of ${books.refunds.length} refunds are open.`,
    );
    this.bail(lasting(violations(books)).map(({ rule }) => rule));
    this.workers.start(WORKERS);
  }

  private async stopWorkers(): Promise<void> {
    await this.workers.stop();
    await this.lines.drain();
  }

  private async end(): Promise<void> {
    this.traffic.isCalm = true;
    let left = Number.POSITIVE_INFINITY;
    for (const night of NIGHTS_AT_THE_END) {
      for (let isLess = true; isLess; ) {
        const isAsking = await this.waits.settled(this.isHeld);
        if (isAsking) await this.advance(6 * HOUR);
        if (isAsking) await this.waits.settled(this.isHeld);
        const found = violations(await this.books()).length;
        if (found === 0 && this.provider.isFinal) return;
        isLess = isAsking && found < left;
        left = found;
      }
      await this.night(night);
    }
    for (let work = -1; work !== this.activity.work; ) {
      work = this.activity.work;
      if (violations(await this.books()).length === 0) return;
      await this.waits.until(() => this.activity.work !== work);
    }
  }

  private async advance(seconds: number): Promise<void> {
    await Promise.all([this.pushes.offer(), this.merchants.decide(), this.dashboard.work()]);
    this.activity.countAnew();
    await this.clock.advance(seconds, () => this.lines.deliver());
  }

  private async books(): Promise<Books> {
    const [refunds, payouts] = [await this.merchants.refunds(), this.provider.book];
    return { refunds, payouts, seen: this.witness.seen, courseOf: this.courseOf };
  }
}

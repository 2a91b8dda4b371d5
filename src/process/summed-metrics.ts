import { setTimeout as sleep } from 'node:timers/promises';
import { AggregatorRegistry } from 'prom-client';
import type { MetricValues } from '../platform/telemetry/metrics.js';
import type { Channel } from './channel.js';

/** A process that is too busy to answer counts with what it said last. */
const ANSWER_MS = 1_000;
/** What only ever rises. */
const COUNTS: readonly unknown[] = ['counter', 'histogram'];

/**
 * The numbers of several processes as one: Prometheus reaches any of them. What a process has counted stays in the sum
 * when it ends; a sum that falls would look like a restart, after which everything left in it counts as new.
 */
export class SummedMetrics<Process extends { readonly channel: Channel }> {
  private readonly latest = new Map<Process, MetricValues>();
  private ofEnded: Promise<MetricValues> = Promise.resolve([]);

  async scrape(processes: Iterable<Process>): Promise<string> {
    await Promise.all([...processes].map((process) => this.ask(process)));
    return sum([await this.ofEnded, ...this.latest.values()]).metrics();
  }

  keep(process: Process, values: MetricValues): void {
    this.latest.set(process, values);
  }

  /** The process has ended: of what it said last only the counts stay true. */
  end(process: Process): void {
    const counts = this.latest.get(process)?.filter(({ type }) => COUNTS.includes(type)) ?? [];
    this.latest.delete(process);
    this.ofEnded = this.ofEnded.then((before) => sum([before, counts]).getMetricsAsJSON());
  }

  private async ask(process: Process): Promise<void> {
    const answer = process.channel.ask<MetricValues>('metrics').catch(() => undefined);
    const values = await Promise.race([answer, sleep(ANSWER_MS, undefined, { ref: false })]);
    if (values) this.keep(process, values);
  }
}

/** prom-client knows how each is summed up: an event loop's lag by its maximum or average, a start not at all. */
function sum(all: readonly MetricValues[]) {
  return AggregatorRegistry.aggregate<'text/plain; version=0.0.4; charset=utf-8'>([...all]);
}

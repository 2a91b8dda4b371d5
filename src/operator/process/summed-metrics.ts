import { setTimeout as sleep } from 'node:timers/promises';
import { Registry } from '@prometheus-io/client';
import type { MetricValues } from '../telemetry/metrics.js';
import type { Channel } from './channel.js';

/** A process that does not answer in time counts with its last values. */
const ANSWER_MS = 1_000;
const COUNTS: readonly unknown[] = ['counter', 'histogram'];

/**
 * Sums the metrics of several processes. The counters of an ended process stay in the sum, because
 * Prometheus takes a falling counter for a restart.
 */
export class SummedMetrics<Process extends { readonly channel: Channel }> {
  private readonly latest = new Map<Process, MetricValues>();
  private ofEnded: Promise<MetricValues> = Promise.resolve([]);

  async scrape(processes: Iterable<Process>): Promise<string> {
    await Promise.all([...processes].map((process, place) => this.ask(process, place === 0)));
    return sum([await this.ofEnded, ...this.latest.values()]).metrics();
  }

  keep(process: Process, values: MetricValues): void {
    this.latest.set(process, values);
  }

  /** Forgets the gauges of a process that has ended, and keeps its counters. */
  end(process: Process): void {
    const counts = this.latest.get(process)?.filter(({ type }) => COUNTS.includes(type)) ?? [];
    this.latest.delete(process);
    this.ofEnded = this.ofEnded.then((before) => sum([before, counts]).getMetricsAsJSON());
  }

  private async ask(process: Process, isMeasuring: boolean): Promise<void> {
    const answer = process.channel.ask<MetricValues>('metrics', isMeasuring).catch(() => undefined);
    const values = await Promise.race([answer, sleep(ANSWER_MS, undefined, { ref: false })]);
    if (values) this.keep(process, values);
  }
}

/**
 * The client knows how to aggregate each metric: for example, the event loop's lag by its maximum
 * or average.
 */
function sum(all: readonly MetricValues[]) {
  return Registry.aggregate<'text/plain; version=0.0.4; charset=utf-8'>([...all]);
}

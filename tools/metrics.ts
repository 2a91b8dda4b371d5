/**
 * Prints docs/reference/metrics.md: every metric with its meaning, its labels and their values. It
 * starts no part of the service.
 */

import { Histogram } from '@prometheus-io/client';
import { declarationsOf } from '../src/app.module.js';
import type { DeclaredMetric } from '../src/platform/metric.js';

const declarations = declarationsOf();

const INTRODUCTION = `# Metrics

\`GET /metrics\` answers in the Prometheus text format. With \`METRICS_TOKEN\` it asks for the token ([settings](settings.md)).

- The answer covers all processes of an instance, whichever of them is asked. Add up the counters of several instances.
- Measured gauges come from the database and are the same at every instance: take the \`max\` of several instances, not the \`sum\`.
  An instance measures at most every 15 seconds. While the database cannot be asked, they are missing.
- The label \`mode\` is \`test\` or \`live\`. Amounts are in the smallest unit of their currency.

\`docker/grafana/\` has a dashboard, and \`docker/prometheus/\` rules for the [alerts](../operate/alerts.md).
`;

const OF_NODE = `## Node.js

The default metrics of [@prometheus-io/client](https://github.com/prometheus/client_js), among them:

- \`process_cpu_seconds_total\` (counter): Total user and system CPU time spent in seconds.
- \`process_resident_memory_bytes\` (gauge): Resident memory size in bytes.
- \`nodejs_eventloop_lag_p99_seconds\` (gauge): The 99th percentile of the recorded event loop delays. They have the 0.2 seconds between two samples in them.
- \`nodejs_eventloop_utilization_histogram\` (histogram): The share of each five seconds in which the event loop was busy, from 0 to 1.
- \`nodejs_heap_size_used_bytes\` (gauge): Process heap size used from Node.js in bytes.
`;

function sectionOf(metric: DeclaredMetric): string {
  const isMeasured = declarations.measurements.some(({ gauges }) =>
    Object.values<DeclaredMetric>(gauges).includes(metric),
  );
  const { name, type, help, labelValues } = metric as DeclaredMetric & Shown;
  const own = Object.entries(labelValues).filter(([label]) => label !== 'mode');
  const labels = own.map(([label, values]) => {
    const known = typeof values === 'function' ? values(declarations) : values;
    const listed = typeof known === 'string' ? known : listOf(known);
    return `- \`${label}\`: ${listed}`;
  });
  const kind = `${isMeasured ? 'Measured gauge' : capitalized(type)}${'mode' in labelValues ? ' by `mode`' : ''}.`;
  const buckets =
    metric instanceof Histogram
      ? [`Buckets: ${(metric as unknown as Shown).buckets.join(', ')}.`]
      : [];
  const parts = [`## \`${name}\``, [kind, help, ...buckets].join(' '), labels.join('\n')];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

interface Shown {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly buckets: readonly number[];
}

function listOf(values: readonly string[]): string {
  return values.length > 20
    ? `one of ${values.length}, listed at /docs`
    : values.map((value) => `\`${value}\``).join(', ');
}

function capitalized(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

process.stdout.write([INTRODUCTION, ...declarations.metrics.map(sectionOf), OF_NODE].join('\n'));

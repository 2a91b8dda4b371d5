import {
  Counter,
  Gauge,
  type GaugeConfiguration,
  Histogram,
  type HistogramConfiguration,
  type Metric,
} from 'prom-client';

interface Declared {
  readonly errorCodes: readonly string[];
  readonly eventTypes: readonly string[];
  readonly jobs: readonly string[];
  readonly promises: readonly string[];
}

/** All values of a label, or a description if they cannot be listed. */
type LabelValues = readonly string[] | string | ((declared: Declared) => readonly string[]);

interface About<Label extends string> {
  readonly name: string;
  readonly help: string;
  readonly labels?: Readonly<Record<Label, LabelValues>>;
}

interface Labelled {
  readonly labelValues: Readonly<Record<string, LabelValues>>;
}

/** A metric of prom-client without a registry. A module declares it in its facts, and telemetry registers it. */
export type DeclaredMetric = Metric & Labelled;

export type DeclaredGauge = Gauge & Labelled;

export function counter<Label extends string = never>({ labels, ...about }: About<Label>): Counter<Label> & Labelled {
  return labelled(new Counter({ ...about, ...namesOf(labels) }), labels);
}

/** The `aggregator` combines the values of several processes. Without one, they are added up. */
export function gauge<Label extends string = never>({
  labels,
  ...about
}: About<Label> & Pick<GaugeConfiguration<Label>, 'aggregator'>): Gauge<Label> & Labelled {
  return labelled(new Gauge({ ...about, ...namesOf(labels) }), labels);
}

export function histogram<Label extends string = never>({
  labels,
  ...about
}: About<Label> & Pick<HistogramConfiguration<Label>, 'buckets'>): Histogram<Label> & Labelled {
  return labelled(new Histogram({ ...about, ...namesOf(labels) }), labels);
}

/** Sets a counter to 0 for all values of its labels, because Prometheus sees no increase in the first value of a series. */
export function startAtZero(metric: DeclaredMetric, declared: Declared): void {
  if (!(metric instanceof Counter)) return;
  let all: Record<string, string>[] = [{}];
  for (const [label, values] of Object.entries(metric.labelValues)) {
    if (typeof values === 'string') return;
    const listed = typeof values === 'function' ? values(declared) : values;
    all = all.flatMap((labels) => listed.map((value) => ({ ...labels, [label]: value })));
  }
  for (const labels of all) metric.inc(labels, 0);
}

function namesOf<Label extends string>(labels: About<Label>['labels']) {
  return { labelNames: Object.keys(labels ?? {}) as Label[], registers: [] };
}

function labelled<Made extends Metric>(metric: Made, labels: Labelled['labelValues'] = {}): Made & Labelled {
  return Object.assign(metric, { labelValues: labels });
}

import {
  Counter,
  Gauge,
  type GaugeConfiguration,
  Histogram,
  type HistogramConfiguration,
  type Metric,
} from 'prom-client';

/** All that a label can hold or, where that cannot be listed, what it is. */
type LabelValues = readonly string[] | string;

interface About<Label extends string> {
  readonly name: string;
  readonly help: string;
  readonly labels?: Readonly<Record<Label, LabelValues>>;
}

interface Labelled {
  readonly labelValues: Readonly<Record<string, LabelValues>>;
}

/** A metric of prom-client in no registry yet: a module declares it among its facts, and telemetry registers those. */
export type DeclaredMetric = Metric & Labelled;

export type DeclaredGauge = Gauge & Labelled;

export function counter<Label extends string = never>({ labels, ...about }: About<Label>): Counter<Label> & Labelled {
  return labelled(new Counter({ ...about, ...namesOf(labels) }), labels);
}

/** The `aggregator` makes one value of those of several processes; without it, they are added up. */
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

/** Counts from 0 for each label that is known: a first count that appears out of nothing is no increase to Prometheus. */
export function startAtZero(metric: DeclaredMetric): void {
  if (!(metric instanceof Counter)) return;
  let all: Record<string, string>[] = [{}];
  for (const [label, values] of Object.entries(metric.labelValues)) {
    if (typeof values === 'string') return;
    all = all.flatMap((labels) => values.map((value) => ({ ...labels, [label]: value })));
  }
  for (const labels of all) metric.inc(labels, 0);
}

function namesOf<Label extends string>(labels: About<Label>['labels']) {
  return { labelNames: Object.keys(labels ?? {}) as Label[], registers: [] };
}

function labelled<Made extends Metric>(metric: Made, labels: Labelled['labelValues'] = {}): Made & Labelled {
  return Object.assign(metric, { labelValues: labels });
}

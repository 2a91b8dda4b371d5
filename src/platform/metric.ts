import { type Aggregator, Counter, Gauge, Histogram, type Metric } from '@prometheus-io/client';

interface Declared {
  readonly errorCodes: readonly string[];
  readonly eventTypes: readonly string[];
  readonly invariantNames: readonly string[];
}

/** The label has these values, or this description if they cannot be listed. */
type LabelValues = readonly string[] | string | ((declared: Declared) => readonly string[]);

interface About<Label extends string> {
  readonly name: string;
  readonly help: string;
  readonly labels?: Readonly<Record<Label, LabelValues>>;
  /**
   * A gauge combines the values of several processes in this way. They are added up if it is
   * missing.
   */
  readonly aggregator?: Aggregator;
  readonly buckets?: number[];
}

interface Labelled {
  readonly labelValues: Readonly<Record<string, LabelValues>>;
}

/**
 * A declared metric is one of @prometheus-io/client without a registry. A module declares it in its
 * declaration, and telemetry registers it.
 */
export type DeclaredMetric = Metric<string> & Labelled;

export type DeclaredGauge = Gauge<string> & Labelled;

export const counter = <Label extends string = never>(about: About<Label>) =>
  declare(Counter<Label>, about);
export const gauge = <Label extends string = never>(about: About<Label>) =>
  declare(Gauge<Label>, about);
/** By the types of the client, only a histogram of `string` is a metric like the others. */
export const histogram = <Label extends string = string>(about: About<Label>) =>
  declare(Histogram<Label>, about);

/**
 * Sets a counter to 0 for all values of its labels, because Prometheus sees no increase in the
 * first value of a series.
 */
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

type Configuration<Label extends string> = Omit<About<Label>, 'labels'> & {
  labelNames: Label[];
  registers: [];
};

function declare<Label extends string, Made extends object>(
  Kind: new (configuration: Configuration<Label>) => Made,
  { labels, ...about }: About<Label>,
): Made & Labelled {
  const labelNames = Object.keys(labels ?? {}) as Label[];
  return Object.assign(new Kind({ ...about, labelNames, registers: [] }), {
    labelValues: labels ?? {},
  });
}

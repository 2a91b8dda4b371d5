/** What modules tell about themselves. The platform and the events know a module by nothing else. */
import type { Type } from '@nestjs/common';
import type { ErrorCode, Refusal } from '../shared/errors.js';
import { type IdKind, prefixOf } from '../shared/id.js';
import type { DeclaredGauge, DeclaredMetric } from './metric.js';

/** Where a surface reads a resource, at `path/id`, and where it lists them, at `path`, if it does. */
interface Place {
  readonly path: string;
  readonly isListed?: boolean;
  /** Whether the owner's `organization` must be given to read one. */
  readonly isOwned?: boolean;
}

export type Surface = 'secret' | 'ledger';

export interface Resource extends Readonly<Partial<Record<Surface, Place>>> {
  readonly id: IdKind;
  readonly schema: string;
  /** The type of each event that it goes through, with its meaning. */
  readonly events?: Readonly<Record<string, string>>;
  /** What the example of an event has that those of its schema have not, by type. */
  readonly examples?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** What is true of every row whenever nothing is under way, as SQL over the own tables and other modules' books. */
export interface Invariant {
  readonly promise: string;
  readonly id: IdKind;
  /** The rows that the promise is about: a table or a query in parentheses, with `id` and `mode`. */
  readonly book: string;
  readonly joined?: string;
  readonly broken: string;
}

/** What tables hold, as one statement that an index bounds. Each row is a value: of `gauge`, with `labels` (JSON). */
export interface Measurement {
  readonly name: string;
  readonly text: string;
  readonly gauges: Readonly<Record<string, DeclaredGauge>>;
}

export interface Facts {
  readonly errors: readonly ErrorCode[];
  readonly resources: readonly Resource[];
  /** What guards refuse a request with on every route behind a key, one example each. */
  readonly guardRefusals: readonly Refusal[];
  /** What reconciliation proves, the last module's first. */
  readonly invariants: readonly Invariant[];
  readonly metrics: readonly DeclaredMetric[];
  readonly measurements: readonly Measurement[];
  readonly jobs: readonly string[];
}

export const ALL_EVENTS = '*';

export const facts = {
  errors: [] as ErrorCode[],
  resources: [] as Resource[],
  guardRefusals: [] as Refusal[],
  invariants: [] as Invariant[],
  metrics: [] as DeclaredMetric[],
  measurements: [] as Measurement[],
  jobs: [] as string[],
  errorCodes: [] as string[],
  eventTypes: [] as string[],
  /** What a receiver may ask for: types, or all. */
  wantedEvents: [ALL_EVENTS] as string[],
} satisfies Facts & { errorCodes: readonly string[]; eventTypes: readonly string[]; wantedEvents: readonly string[] };

export interface ModuleFacts extends Partial<Facts> {
  readonly module: Type;
  readonly records: readonly Type[];
}

/** Called once, before anything is served. Throws when two modules claim the same. */
export function declareFacts(...modules: readonly Partial<Facts>[]): void {
  for (const { errors = [], resources = [], guardRefusals = [], invariants = [], ...observed } of modules) {
    const { metrics = [], measurements = [], jobs = [] } = observed;
    facts.errors.push(...errors);
    facts.errorCodes.push(...errors.map(({ code }) => code));
    facts.resources.push(...resources);
    facts.guardRefusals.push(...guardRefusals);
    facts.invariants.unshift(...invariants);
    facts.metrics.push(...metrics, ...measurements.flatMap(({ gauges }) => Object.values(gauges)));
    facts.measurements.push(...measurements);
    facts.jobs.push(...jobs);
    const types = resources.flatMap(({ events = {} }) => Object.keys(events));
    facts.eventTypes.push(...types);
    facts.wantedEvents.push(...types);
  }
  requireUnique('error code', facts.errorCodes);
  requireUnique(
    'identifier',
    facts.resources.map(({ id }) => id.prefix),
  );
  requireUnique(
    'path',
    facts.resources.flatMap(({ secret, ledger }) => [secret, ledger].flatMap((place) => place?.path ?? [])),
  );
  requireUnique('event type', facts.eventTypes);
  requireUnique('job', facts.jobs);
}

export function resourceOf(id: string): Resource | undefined {
  return facts.resources.find((resource) => resource.id.prefix === prefixOf(id));
}

function requireUnique(what: string, values: readonly string[]): void {
  const twice = values.find((value, place) => values.indexOf(value) !== place);
  if (twice !== undefined) throw new Error(`Two modules declare the ${what} ${twice}.`);
}

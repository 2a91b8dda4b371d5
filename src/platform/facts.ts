/** What modules declare about themselves. The platform and the events module know no other part of a module. */
import type { Type } from '@nestjs/common';
import type { ErrorCode, Refusal } from '../shared/errors.js';
import { type IdKind, prefixOf } from '../shared/id.js';
import type { DeclaredGauge, DeclaredMetric } from './metric.js';

/** Where a surface serves a resource: one at `path/id` and, if `isListed`, a list at `path`. */
interface Place {
  readonly path: string;
  readonly isListed?: boolean;
  /** Whether reading one requires the query parameter `organization`. */
  readonly isOwned?: boolean;
}

/** The API of secret keys, or the API of ledger keys. */
export type Surface = 'secret' | 'ledger';

export interface Resource extends Readonly<Partial<Record<Surface, Place>>> {
  readonly id: IdKind;
  readonly schema: string;
  /** The types of its events, with their meanings. */
  readonly events?: Readonly<Record<string, string>>;
  /** By event type, values that replace those of the schema's examples. */
  readonly examples?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** A promise about the rows of the module, as SQL over its own tables and over queries that other modules export. */
export interface Invariant {
  readonly promise: string;
  readonly id: IdKind;
  /** The rows that the promise is about: a table, or a query in parentheses, with `id` and `mode`. */
  readonly book: string;
  readonly joined?: string;
  readonly broken: string;
}

/** Measures tables by one statement, which an index must bound. A row is a `value` of a `gauge`, with `labels` (JSON). */
export interface Measurement {
  readonly name: string;
  readonly text: string;
  readonly gauges: Readonly<Record<string, DeclaredGauge>>;
}

export interface Facts {
  readonly errors: readonly ErrorCode[];
  readonly resources: readonly Resource[];
  /** An example of each refusal of a guard. It applies to all routes that require a key. */
  readonly guardRefusals: readonly Refusal[];
  /** What reconciliation checks, the last module's first. */
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
  /** The values of a webhook endpoint's `events`. */
  wantedEvents: [ALL_EVENTS] as string[],
} satisfies Facts & { errorCodes: readonly string[]; eventTypes: readonly string[]; wantedEvents: readonly string[] };

export interface ModuleFacts extends Partial<Facts> {
  readonly module: Type;
  readonly records: readonly Type[];
}

/** Called once, at start-up. Throws when two modules declare the same code, prefix, path, event type or job. */
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

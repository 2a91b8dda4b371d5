/** What modules declare about themselves. The platform and the events module know no other part of a module. */
import type { CanActivate, Type } from '@nestjs/common';
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

/** The API of secret keys, of ledger keys, or of operator keys. */
export const SURFACES = ['secret', 'ledger', 'operator'] as const;
export type Surface = (typeof SURFACES)[number];

export interface Resource extends Readonly<Partial<Record<Surface, Place>>> {
  readonly id: IdKind;
  readonly schema: string;
  /** Where its rows are, by which a ledger finds out whose one is. */
  readonly table?: string;
  /** SQL in parentheses: its rows, with the columns that invariants of other modules may read. */
  readonly balances?: string;
  readonly events?: Readonly<Record<string, string>>;
  /** Schemas of what the `data` of its events has besides the resource and the reason. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** Its events are listed for the resource `of`, too. `others` is SQL for the IDs of further objects whose events are. */
  readonly relatedEvents?: { readonly of: IdKind; readonly others: (of: OwnedId) => string };
}

/** What is always true of the rows of the module, as SQL over its own tables and over queries that other modules export. */
export interface Invariant {
  readonly name: string;
  readonly id: IdKind;
  /** The rows that it is about: a table, or the balances of another module's resource, with `id` and `mode`. */
  readonly balances: string;
  readonly joined?: string;
  /** The rows of `balances` that were changed last, first of all, in the mode `$1`. Without it, those that were made last. */
  readonly touched?: string;
  readonly broken: string;
}

/** Measures tables by one statement, which an index must bound. A row is a `value` of a `gauge`, with `labels` (JSON). */
export interface Measurement {
  readonly name: string;
  readonly text: string;
  readonly gauges: Readonly<Record<string, DeclaredGauge>>;
}

/** What `tillgate doctor` looks for in the tables of the module, by one statement. */
export interface Diagnosis<Row = never> {
  readonly name: string;
  readonly text: string;
  readonly well: string;
  readonly warnings: (
    rows: readonly Row[],
  ) => readonly { readonly found: string; readonly advice: string }[];
}

/** Where a part keeps what people said about sessions. In SQL, `$1` to `$3` are organization, mode, and IDs of sessions and what belongs to them. */
export interface Traces {
  /** Queries for the `id` of more that belongs to them, and of those that must not be removed. */
  readonly belonging?: readonly string[];
  readonly kept?: readonly string[];
  readonly clear?: readonly string[];
  readonly remove?: readonly string[];
  readonly json?: readonly { readonly find: string; readonly store: string }[];
  /** Members of any JSON that have what was said, each with what is kept of its value. */
  readonly said?: Readonly<Record<string, (value: never) => unknown>>;
}

export interface Declarations {
  readonly errors?: readonly ErrorCode[];
  readonly resources?: readonly Resource[];
  /** An example of each refusal of a guard. It applies to all routes that require a key. */
  readonly guardRefusals?: readonly Refusal[];
  readonly invariants?: readonly Invariant[];
  readonly metrics?: readonly DeclaredMetric[];
  readonly measurements?: readonly Measurement[];
  readonly diagnoses?: readonly Diagnosis[];
  readonly traces?: readonly Traces[];
  readonly eventTexts?: EventTexts;
}

/** The places of their values. */
type OwnedId = Readonly<Record<'organization' | 'mode' | 'id', string>>;

/** SQL in the statements that record and remove events. */
export interface EventTexts {
  /** `events` are rows of events, with the `url` and the `receiver` of their notify_url. */
  readonly recorded: readonly ((events: string) => string)[];
  /** `removed` are keys of events, all of this organization. */
  readonly removed: readonly ((removed: string, organization: string) => string)[];
}

export interface ModuleFacts extends Declarations {
  readonly module: Type;
  readonly records?: readonly Type[];
  /** What runs before every route, in this order. The module exports what they need. */
  readonly guards?: readonly Type<CanActivate>[];
}

export const ALL_EVENTS = '*';

/** What all parts of an application declare. Throws when two of them declare the same code, prefix, path, event type or invariant. */
export class Facts implements Required<Declarations> {
  readonly errors: readonly ErrorCode[];
  readonly resources: readonly Resource[];
  readonly guardRefusals: readonly Refusal[];
  readonly invariants: readonly Invariant[];
  readonly metrics: readonly DeclaredMetric[];
  readonly measurements: readonly Measurement[];
  readonly diagnoses: readonly Diagnosis[];
  readonly traces: readonly Traces[];
  readonly said: ReadonlyMap<string, (value: unknown) => unknown>;
  readonly eventTexts: EventTexts;
  readonly errorCodes: readonly string[];
  readonly eventTypes: readonly string[];
  readonly invariantNames: readonly string[];
  readonly resourcesWithEvents: readonly Resource[];

  constructor(parts: readonly Declarations[]) {
    this.errors = parts.flatMap(({ errors = [] }) => errors);
    this.resources = parts.flatMap(({ resources = [] }) => resources);
    this.guardRefusals = parts.flatMap(({ guardRefusals = [] }) => guardRefusals);
    this.invariants = parts.toReversed().flatMap(({ invariants = [] }) => invariants);
    this.invariantNames = this.invariants.map(({ name }) => name);
    this.diagnoses = parts.flatMap(({ diagnoses = [] }) => diagnoses);
    this.measurements = parts.flatMap(({ measurements = [] }) => measurements);
    this.metrics = parts.flatMap(({ metrics = [], measurements = [] }) => [
      ...metrics,
      ...measurements.flatMap(({ gauges }) => Object.values(gauges)),
    ]);
    // Rows of payments are changed before those of their refunds (change-refund.ts).
    this.traces = parts.flatMap(({ traces = [] }) => traces);
    this.said = new Map(
      this.traces.flatMap(({ said = {} }) => Object.entries(said as Record<string, () => unknown>)),
    );
    this.eventTexts = {
      recorded: parts.flatMap(({ eventTexts }) => eventTexts?.recorded ?? []),
      removed: parts.flatMap(({ eventTexts }) => eventTexts?.removed ?? []),
    };
    this.errorCodes = this.errors.map(({ code }) => code);
    this.resourcesWithEvents = this.resources.filter(({ events }) => events);
    this.eventTypes = this.resourcesWithEvents.flatMap(({ events = {} }) => Object.keys(events));
    const places = this.resources.flatMap((resource) =>
      SURFACES.flatMap((surface) => resource[surface]?.path ?? []),
    );
    const prefixes = this.resources.map(({ id }) => id.prefix);
    requireUnique('error code', this.errorCodes);
    requireUnique('identifier', prefixes);
    requireUnique('path', places);
    requireUnique('event type', this.eventTypes);
    requireUnique('invariant', this.invariantNames);
  }

  resourceOf(id: string): Resource | undefined {
    return this.resources.find((resource) => resource.id.prefix === prefixOf(id));
  }
}

function requireUnique(what: string, values: readonly string[]): void {
  const twice = values.find((value, place) => values.indexOf(value) !== place);
  if (twice !== undefined) throw new Error(`Two modules declare the ${what} ${twice}.`);
}

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

/** Of the resource itself, and of every other one. */
export const ANY_RESOURCE = '*';

/**
 * What a module keeps of people, for one kind of resource. Several modules may declare some of one kind, but no member twice. In
 * SQL, `$1` and `$2` are organization and mode, and `$3` has IDs: of resources of this kind or, in `belonging`, of those of `of`.
 */
export interface PersonalData {
  /** The kind, as `object` in its JSON. */
  readonly object: string;
  /** The kind of resource with which it is forgotten. */
  readonly of?: string;
  /** A query for the `id` of those that belong to others: at most `$5`, in their order, after `$4`. */
  readonly belonging?: string;
  /** A query for the `id` of those that must not be removed. */
  readonly kept?: string;
  readonly clear?: string;
  readonly remove?: string;
  /** Remembers that what belongs to them is not cleared yet. */
  readonly unfinished?: string;
  /** Columns of JSON that may be about any resource. */
  readonly json?: readonly JsonColumn[];
  /** Members of its JSON that tell of people, each with what is kept of its value. */
  readonly members?: Readonly<Record<string, (value: never) => unknown>>;
}

export interface JsonColumn {
  /** Finds the `place`, the `key` and the `json` of at most `$5` rows, in the order of their keys after `$4`. */
  readonly find: string;
  /** Stores what is left, `$4`, at the places `$3`. */
  readonly store: string;
  /** The kind of JSON that does not say its `object`. */
  readonly root: string;
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
  readonly personalData?: readonly PersonalData[];
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

/**
 * What all parts of an application declare. Throws when two of them declare the same code, prefix,
 * path, event type, invariant or personal data.
 */
export class Facts implements Required<Declarations> {
  readonly errors: readonly ErrorCode[];
  readonly resources: readonly Resource[];
  readonly guardRefusals: readonly Refusal[];
  readonly invariants: readonly Invariant[];
  readonly metrics: readonly DeclaredMetric[];
  readonly measurements: readonly Measurement[];
  readonly diagnoses: readonly Diagnosis[];
  readonly personalData: readonly PersonalData[];
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
    this.personalData = parts.flatMap(({ personalData = [] }) => personalData);
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
    requireUnique('personal data', this.personalData.flatMap(membersOf));
  }

  resourceOf(id: string): Resource | undefined {
    return this.resources.find((resource) => resource.id.prefix === prefixOf(id));
  }
}

const membersOf = ({ object, members = {} }: PersonalData) =>
  Object.keys(members).map((name) => `${object}.${name}`);

function requireUnique(what: string, values: readonly string[]): void {
  const twice = values.find((value, place) => values.indexOf(value) !== place);
  if (twice !== undefined) throw new Error(`Two modules declare the ${what} ${twice}.`);
}

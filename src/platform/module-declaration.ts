/**
 * Modules declare these facts about themselves. The platform and the events module know no other
 * part of a module.
 */
import type { CanActivate, Type } from '@nestjs/common';
import type { ErrorCode, Refusal } from '../shared/errors.js';
import { type IdKind, prefixOf } from '../shared/id.js';
import type { DeclaredGauge, DeclaredMetric } from './metric.js';

/**
 * A surface serves a resource at this place: one resource at `path/id` and, if `isListed`, a list
 * at `path`.
 */
interface Place {
  readonly path: string;
  readonly isListed?: boolean;
  /** Reading one resource requires the query parameter `organization` if this is true. */
  readonly isOwned?: boolean;
}

/** The surfaces are the API of secret keys, that of ledger keys, and that of operator keys. */
export const SURFACES = ['secret', 'ledger', 'operator'] as const;
export type Surface = (typeof SURFACES)[number];

export interface Resource extends Readonly<Partial<Record<Surface, Place>>> {
  readonly id: IdKind;
  readonly schema: string;
  /** The rows of the resource are in this table, where the ledger's requests find their owner. */
  readonly table?: string;
  /**
   * This SQL in parentheses selects its rows, with the columns that invariants of other modules may
   * read.
   */
  readonly balances?: string;
  readonly events?: Readonly<Record<string, string>>;
  /**
   * These are the schemas of the members that the `data` of its events has besides the resource and
   * the reason.
   */
  readonly details?: Readonly<Record<string, unknown>>;
  /**
   * Its events are listed for the resource `of`, too. `others` is SQL for the IDs of further
   * objects whose events are listed there.
   */
  readonly relatedEvents?: { readonly of: IdKind; readonly others: (of: OwnedId) => string };
}

/**
 * An invariant is always true of the rows of the module. It is SQL over the module's own tables and
 * over queries that other modules export.
 */
export interface Invariant {
  readonly name: string;
  readonly id: IdKind;
  /**
   * The invariant is about these rows: a table, or the balances of another module's resource, with
   * `id` and `mode`.
   */
  readonly balances: string;
  readonly joined?: string;
  /**
   * This SQL selects the rows of `balances` that were changed last in the mode, newest first. If it
   * is missing, the rows that were made last are checked.
   */
  readonly touched?: (mode: string) => string;
  readonly broken: string;
}

/**
 * Measures tables by one statement, which an index must bound. A row is a `value` of a `gauge`,
 * with `labels` (JSON).
 */
export interface Measurement {
  readonly name: string;
  readonly text: string;
  readonly gauges: Readonly<Record<string, DeclaredGauge>>;
}

/**
 * A diagnosis is what `tillgate doctor` looks for in the tables of the module, by one statement.
 */
export interface Diagnosis<Row = never> {
  readonly name: string;
  readonly text: string;
  readonly well: string;
  readonly warnings: (
    rows: readonly Row[],
  ) => readonly { readonly found: string; readonly advice: string }[];
}

/** The job has no work while `pending` selects no row, and is not run then. */
export interface JobWork {
  readonly job: string;
  /** This SQL selects at most one row, in the order of an index, so that it reads no more. */
  readonly pending: string;
}

/** The name stands for the resource itself and every other one. */
export const ANY_RESOURCE = '*';

/** SQL about resources of one owner has the places of these values. */
export type OwnedIds = Readonly<Record<'organization' | 'mode' | 'ids', string>>;

/**
 * Personal data are what a module keeps about people, for one kind of resource. Several modules may
 * declare some of one kind, but no member twice. The `ids` of their SQL are IDs of this kind.
 */
export interface PersonalData {
  /** This is the kind of resource, as `object` in its JSON. */
  readonly object: string;
  /** The resource is forgotten together with a resource of this kind. */
  readonly of?: string;
  /** The rows of this table are such resources, and this column has the ID of the kind `of`. */
  readonly belonging?: { readonly table: string; readonly column: string };
  /** This query selects the `id` of resources that must not be removed. */
  readonly kept?: (these: OwnedIds) => string;
  readonly clear?: (these: OwnedIds) => string;
  readonly remove?: (these: OwnedIds) => string;
  /** This statement stores that what belongs to the resources is not cleared yet. */
  readonly unfinished?: (these: OwnedIds) => string;
  readonly json?: readonly JsonColumn[];
  /**
   * These members of its JSON tell of people. Each has a function that returns the part of its
   * value to keep.
   */
  readonly members?: Readonly<Record<string, (value: never) => unknown>>;
}

/** A column of JSON, whose rows may be about any resource. */
export interface JsonColumn {
  readonly table: string;
  readonly column: string;
  /** This column has the ID of the resource that a row is about. */
  readonly about: string;
  /** This SQL makes a text that no other row of the owner has. */
  readonly key: string;
  /** This kind is assumed for JSON that does not say its `object`. */
  readonly root?: string;
}

export interface Declaration {
  readonly errors?: readonly ErrorCode[];
  readonly resources?: readonly Resource[];
  /**
   * There is an example of each refusal of a guard. It applies to all routes that require a key.
   */
  readonly guardRefusals?: readonly Refusal[];
  readonly invariants?: readonly Invariant[];
  readonly metrics?: readonly DeclaredMetric[];
  readonly measurements?: readonly Measurement[];
  readonly diagnoses?: readonly Diagnosis[];
  readonly jobWork?: readonly JobWork[];
  readonly personalData?: readonly PersonalData[];
  readonly eventTexts?: EventTexts;
}

/** The IDs are written as the places of their values. */
type OwnedId = Readonly<Record<'organization' | 'mode' | 'id', string>>;

/** This SQL is a part of the statements that record and remove events. */
export interface EventTexts {
  /** `events` are rows of events. */
  readonly recorded: readonly ((events: string) => string)[];
  /** `events` are rows of events with a notify_url, which is their `url`, and its `receiver`. */
  readonly notified: readonly ((events: string) => string)[];
  /** `removed` are keys of events, all of this organization. */
  readonly removed: readonly ((removed: string, organization: string) => string)[];
}

export interface ModuleDeclaration extends Declaration {
  readonly module: Type;
  readonly records?: readonly Type[];
  /** These guards run before every route, in this order. The module exports what they need. */
  readonly guards?: readonly Type<CanActivate>[];
}

export const ALL_EVENTS = '*';

/**
 * The facts are what all parts of an application declare. Throws when two of them declare the same
 * code, prefix, path, event type, invariant, work of a job or personal data.
 */
export class Declarations implements Required<Declaration> {
  readonly errors: readonly ErrorCode[];
  readonly resources: readonly Resource[];
  readonly guardRefusals: readonly Refusal[];
  readonly invariants: readonly Invariant[];
  readonly metrics: readonly DeclaredMetric[];
  readonly measurements: readonly Measurement[];
  readonly diagnoses: readonly Diagnosis[];
  readonly jobWork: readonly JobWork[];
  readonly personalData: readonly PersonalData[];
  readonly eventTexts: EventTexts;
  readonly errorCodes: readonly string[];
  readonly eventTypes: readonly string[];
  readonly invariantNames: readonly string[];
  readonly resourcesWithEvents: readonly Resource[];

  constructor(parts: readonly Declaration[]) {
    this.errors = parts.flatMap(({ errors = [] }) => errors);
    this.resources = parts.flatMap(({ resources = [] }) => resources);
    this.guardRefusals = parts.flatMap(({ guardRefusals = [] }) => guardRefusals);
    this.invariants = parts.toReversed().flatMap(({ invariants = [] }) => invariants);
    this.invariantNames = this.invariants.map(({ name }) => name);
    this.diagnoses = parts.flatMap(({ diagnoses = [] }) => diagnoses);
    this.jobWork = parts.flatMap(({ jobWork = [] }) => jobWork);
    this.measurements = parts.flatMap(({ measurements = [] }) => measurements);
    this.metrics = parts.flatMap(({ metrics = [], measurements = [] }) => [
      ...metrics,
      ...measurements.flatMap(({ gauges }) => Object.values(gauges)),
    ]);
    this.personalData = parts.flatMap(({ personalData = [] }) => personalData);
    this.eventTexts = {
      recorded: parts.flatMap(({ eventTexts }) => eventTexts?.recorded ?? []),
      notified: parts.flatMap(({ eventTexts }) => eventTexts?.notified ?? []),
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
    requireUnique(
      'work of the job',
      this.jobWork.map(({ job }) => job),
    );
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

import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { ANY_RESOURCE, Declarations } from '../platform/module-declaration.js';
import type { Caller } from '../shared/caller.js';
import { FIRST_UUID, uuidOf } from '../shared/id.js';
import { Database } from './database.js';
import {
  type ClearedColumn,
  type ForgottenKind,
  ofDeclarations,
  type Step,
} from './personal-data-statements.js';
import type { Transaction } from './transaction.js';
import { Units } from './units.js';

/**
 * One transaction clears at most this many resources in addition to the named ones and what belongs
 * to them at once.
 */
const TOGETHER = 300;
/** One transaction clears at most this many of the events of what belongs to the named ones. */
const RECORDS_TOGETHER = 2_000;
/** At most this many rows of JSON are in memory, because each may have 256 KiB. */
const ROWS_AT_ONCE = 100;
/** The most resources whose rows of JSON are found together. */
const IDS_AT_ONCE = 100;

/** These are resources of one kind, named by their UUIDs. */
interface Resources {
  readonly object: string;
  readonly ids: readonly string[];
}

interface Page {
  readonly of: readonly string[];
  readonly after: string;
  readonly limit: number | null;
}

interface Row {
  readonly place: string;
  readonly key: string;
  readonly json: string;
}

/**
 * Clears what was said about resources, or removes all their rows but stored responses, whose keys
 * stay taken. It takes a resource first, then what belongs to it, then its events, and its stored
 * responses at last. Everybody who locks the same rows does so in this order, so that nobody waits
 * in a circle.
 */
@Injectable()
export class StoredPersonalData {
  private readonly kinds: readonly ForgottenKind[];
  private readonly columns: readonly ClearedColumn[];
  private readonly objects: ReadonlySet<string>;
  private readonly members: ReadonlyMap<string, (value: unknown) => unknown>;

  constructor(
    private readonly database: Database,
    private readonly units: Units,
    declarations: Declarations,
  ) {
    const { kinds, columns } = ofDeclarations(declarations);
    this.kinds = kinds;
    this.columns = columns;
    const { personalData } = declarations;
    this.objects = new Set(personalData.map(({ object }) => object));
    this.members = new Map(
      personalData.flatMap(({ object, members = {} }) =>
        Object.entries(members as Record<string, (value: unknown) => unknown>).map(
          ([name, kept]) => [`${object}.${name}`, kept] as const,
        ),
      ),
    );
  }

  /**
   * Forgets the resources in the transaction, with all that belongs to them. If that is too much
   * for one transaction, it stores that something is left, and `forgetRest` forgets the rest.
   */
  async forget(
    within: Transaction,
    caller: Caller,
    resources: Resources,
    how: 'clear' | 'remove',
  ): Promise<void> {
    const found = [resources];
    let left = TOGETHER;
    await this.run(within, caller, resources, how);
    for (const parent of found) {
      const isFirst = parent === resources;
      for (const kind of this.belongingTo(parent.object)) {
        const page = { of: parent.ids, after: FIRST_UUID, limit: isFirst ? null : left + 1 };
        const children = await this.next(within, caller, kind, page);
        if (!isFirst) left -= children.ids.length;
        if (left < 0) break;
        await this.run(within, caller, children, how);
        found.push(children);
      }
      if (left < 0) break;
    }
    const belonging = found.slice(1).flatMap(({ ids }) => ids);
    const own = await this.recordsOf(within, caller, resources.ids, null);
    const most = RECORDS_TOGETHER;
    const others = left < 0 ? [] : await this.recordsOf(within, caller, belonging, most + 1);
    const isWhole = left >= 0 && others.every(({ ids }) => ids.length <= most);
    if (!isWhole) for (const some of found) await this.run(within, caller, some, 'unfinished');
    await this.forgetRecords(within, caller, found, [...own, ...others], how);
  }

  /**
   * Forgets what was recorded of the resources and all that belongs to them, some hundred at a
   * time, each in a unit of its own. The work can be interrupted and repeated: it throws between
   * two units if the signal is aborted.
   */
  async forgetRest(caller: Caller, resources: Resources, signal?: AbortSignal): Promise<void> {
    await this.committed(caller, (within) => this.clearColumns(within, caller, resources.ids));
    await this.forgetBelonging(caller, resources, signal);
    for (const kind of this.belongingTo(ANY_RESOURCE))
      await this.forgetPages(caller, kind, resources.ids, signal);
  }

  private async forgetBelonging(
    caller: Caller,
    { object, ids }: Resources,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    for (const kind of this.belongingTo(object)) await this.forgetPages(caller, kind, ids, signal);
  }

  private async forgetPages(
    caller: Caller,
    kind: ForgottenKind,
    of: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<void> {
    for (let after: string | undefined = FIRST_UUID; after !== undefined; ) {
      signal?.throwIfAborted();
      const started = performance.now();
      const page: Page = { of, after, limit: TOGETHER };
      const some: Resources = await this.committed(caller, (within) =>
        this.forgetPage(within, caller, kind, page),
      );
      if (some.ids.length > 0) await this.forgetBelonging(caller, some, signal);
      after = some.ids.at(-1);
      await sleep(performance.now() - started);
    }
  }

  private async forgetPage(
    within: Transaction,
    caller: Caller,
    kind: ForgottenKind,
    page: Page,
  ): Promise<Resources> {
    const some = await this.next(within, caller, kind, page);
    await this.run(within, caller, some, 'clear');
    const isRecord = kind.of === ANY_RESOURCE;
    const records = isRecord ? [] : await this.recordsOf(within, caller, some.ids, null);
    await this.forgetRecords(within, caller, [some], records, 'clear');
    return some;
  }

  /** Returns the resources that must not be removed. */
  kept(within: Transaction, caller: Caller, resources: Resources): Promise<readonly string[]> {
    return this.run(within, caller, resources, 'kept');
  }

  private committed<Result>(
    caller: Caller,
    work: (within: Transaction) => Promise<Result>,
  ): Promise<Result> {
    return this.units.commit(caller, (unit) => this.database.inTransaction(unit, work));
  }

  /** Returns what was recorded of the resources, up to a limit of each kind. */
  private async recordsOf(
    within: Transaction,
    caller: Caller,
    of: readonly string[],
    limit: number | null,
  ): Promise<readonly Resources[]> {
    const records: Resources[] = [];
    for (const kind of this.belongingTo(ANY_RESOURCE))
      records.push(await this.next(within, caller, kind, { of, after: FIRST_UUID, limit }));
    return records;
  }

  /** Forgets these records, and what was answered about them and about their resources. */
  private async forgetRecords(
    within: Transaction,
    caller: Caller,
    resources: readonly Resources[],
    records: readonly Resources[],
    how: 'clear' | 'remove',
  ): Promise<void> {
    for (const some of records) await this.run(within, caller, some, how);
    const all = [...resources, ...records].flatMap(({ ids }) => ids);
    await this.clearColumns(within, caller, all);
  }

  private async clearColumns(
    within: Transaction,
    caller: Caller,
    ids: readonly string[],
  ): Promise<void> {
    // A page finds and sorts all rows of the IDs that it is given.
    for (const column of this.columns)
      for (let start = 0; start < ids.length; start += IDS_AT_ONCE)
        await this.clearColumn(within, caller, column, ids.slice(start, start + IDS_AT_ONCE));
  }

  private async clearColumn(
    within: Transaction,
    caller: Caller,
    { find, store, root }: ClearedColumn,
    ids: readonly string[],
  ): Promise<void> {
    const owner = ownerOf(caller);
    for (let after: string | undefined = ''; after !== undefined; ) {
      const page = { ...owner, ids, after, limit: ROWS_AT_ONCE };
      const rows: readonly Row[] = await within.query<Row>(...find.of(page));
      const cleared = rows.map(({ place, json }) => {
        return { place, json, left: JSON.stringify(this.left(JSON.parse(json), root)) };
      });
      const changed = cleared.filter(({ json, left }) => json !== left);
      const [places, texts] = [changed.map(({ place }) => place), changed.map(({ left }) => left)];
      if (changed.length > 0) await within.query(...store.of({ ...owner, places, texts }));
      after = rows.length < ROWS_AT_ONCE ? undefined : rows.at(-1)?.key;
    }
  }

  private belongingTo(object: string): readonly ForgottenKind[] {
    return this.kinds.filter(({ of }) => of === object);
  }

  private async next(
    within: Transaction,
    caller: Caller,
    { object, belonging }: ForgottenKind,
    { of, after, limit }: Page,
  ): Promise<Resources> {
    if (of.length === 0 || belonging === undefined) return { object, ids: [] };
    const page = belonging.of({ ...ownerOf(caller), ids: of, after, limit });
    const rows = await within.query<{ id: string }>(...page);
    return { object, ids: rows.map(({ id }) => id) };
  }

  private async run(
    within: Transaction,
    caller: Caller,
    { object, ids }: Resources,
    step: Step,
  ): Promise<readonly string[]> {
    const found: string[] = [];
    if (ids.length === 0) return found;
    for (const { steps } of this.kinds.filter((kind) => kind.object === object)) {
      const made = steps[step]?.of({ ...ownerOf(caller), ids });
      const rows = made === undefined ? [] : await within.query<{ id: string }>(...made);
      found.push(...rows.map(({ id }) => id));
    }
    return found;
  }

  /**
   * Returns the JSON without the members that tell of people. A value that is no resource, such as
   * a line item, is a part of the resource around it.
   */
  private left(value: unknown, around: string): unknown {
    if (Array.isArray(value)) return value.map((item) => this.left(item, around));
    if (typeof value !== 'object' || value === null) return value;
    const { object } = value as { readonly object?: unknown };
    const own = typeof object === 'string' && this.objects.has(object) ? object : around;
    const members = Object.entries(value).map(([name, member]) => {
      const kept = this.members.get(`${own}.${name}`);
      return [name, kept ? kept(member) : this.left(member, own)] as const;
    });
    return Object.fromEntries(members);
  }
}

function ownerOf({ organization, mode }: Caller) {
  return { organization: uuidOf(organization), mode };
}

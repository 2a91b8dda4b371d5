import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import {
  ANY_RESOURCE,
  Declarations,
  type JsonColumn,
  type PersonalData,
} from '../platform/module-declaration.js';
import type { Caller } from '../shared/caller.js';
import { FIRST_UUID, uuidOf } from '../shared/id.js';
import { Database } from './database.js';
import type { Transaction } from './transaction.js';
import { Units } from './units.js';

/**
 * One transaction clears at most this many resources in addition to the named ones and what belongs
 * to them at once.
 */
const TOGETHER = 300;
/** At most this many rows of JSON are in memory, because each may have 256 KiB. */
const ROWS_AT_ONCE = 100;
/** The most resources whose rows of JSON are found together. */
const IDS_AT_ONCE = 100;

const OWN = 'organization_id = $1 AND mode = $2';

interface DeclaredColumn {
  readonly table: string;
  readonly column: string;
  /** This column has the ID of the resource that a row is about. */
  readonly about: string;
  /** This SQL makes a text that no other row of the owner has. */
  readonly key: string;
  readonly root?: string;
}

export function jsonColumn(declared: DeclaredColumn): JsonColumn {
  const { table, column, about, key, root = '' } = declared;
  const ordered = `(${key}) COLLATE "C"`;
  return {
    root,
    find: `SELECT ctid::text AS place, ${key} AS key, ${column} AS json FROM ${table}
      WHERE ${OWN} AND ${about} = ANY ($3::uuid[]) AND ${column} LIKE '{%' AND ${ordered} > $4
      ORDER BY ${ordered} LIMIT $5 FOR NO KEY UPDATE`,
    store: `UPDATE ${table} SET ${column} = cleared.json
      FROM unnest($3::tid[], $4::text[]) AS cleared (place, json)
      WHERE ${OWN} AND ctid = ANY ($3::tid[]) AND ctid = cleared.place`,
  };
}

/** These are resources of one kind, named by their UUIDs. */
interface Resources {
  readonly object: string;
  readonly ids: readonly string[];
}

/**
 * Clears what was said about resources, or removes all their rows but stored responses, whose keys
 * stay taken. It takes a resource first, then what belongs to it, then its events, and its stored
 * responses at last. Everybody who locks the same rows does so in this order, so that nobody waits
 * in a circle.
 */
@Injectable()
export class StoredPersonalData {
  private readonly declared: readonly PersonalData[];
  private readonly columns: readonly JsonColumn[];
  private readonly objects: ReadonlySet<string>;
  private readonly members: ReadonlyMap<string, (value: unknown) => unknown>;

  constructor(
    private readonly database: Database,
    private readonly units: Units,
    { personalData }: Declarations,
  ) {
    this.declared = personalData.toReversed();
    this.columns = this.declared.flatMap(({ json = [] }) => json);
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
    if (left < 0) for (const some of found) await this.run(within, caller, some, 'unfinished');
    await this.forgetRecords(
      within,
      caller,
      found.flatMap(({ ids }) => ids),
      how,
    );
  }

  /**
   * Forgets what was recorded of the resources and all that belongs to them, some hundred at a
   * time, each in a unit of its own. The work can be interrupted and repeated: it throws between two
   * units if the signal is aborted.
   */
  async forgetRest(caller: Caller, resources: Resources, signal?: AbortSignal): Promise<void> {
    await this.committed(caller, (within) =>
      this.forgetRecords(within, caller, resources.ids, 'clear'),
    );
    await this.forgetBelonging(caller, resources, signal);
  }

  private async forgetBelonging(
    caller: Caller,
    { object, ids: of }: Resources,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    for (const kind of this.belongingTo(object)) {
      for (let after: string | undefined = FIRST_UUID; after !== undefined; ) {
        signal?.throwIfAborted();
        const started = performance.now();
        const page: Children = { of, after, limit: TOGETHER };
        const some: Resources = await this.committed(caller, (within) =>
          this.forgetPage(within, caller, kind, page),
        );
        if (some.ids.length > 0) await this.forgetBelonging(caller, some, signal);
        after = some.ids.at(-1);
        await sleep(performance.now() - started);
      }
    }
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

  private async forgetPage(
    within: Transaction,
    caller: Caller,
    kind: PersonalData,
    page: Children,
  ) {
    const some = await this.next(within, caller, kind, page);
    await this.run(within, caller, some, 'clear');
    await this.forgetRecords(within, caller, some.ids, 'clear');
    return some;
  }

  /** Forgets what was recorded and answered about these resources. */
  private async forgetRecords(
    within: Transaction,
    caller: Caller,
    ids: readonly string[],
    how: 'clear' | 'remove',
  ): Promise<void> {
    const all = [...ids];
    for (const kind of this.belongingTo(ANY_RESOURCE)) {
      const page = { of: ids, after: FIRST_UUID, limit: null };
      const records = await this.next(within, caller, kind, page);
      await this.run(within, caller, records, how);
      all.push(...records.ids);
    }
    // A page finds and sorts all rows of the IDs that it is given.
    for (const column of this.columns)
      for (let start = 0; start < all.length; start += IDS_AT_ONCE)
        await this.clearColumn(within, caller, column, all.slice(start, start + IDS_AT_ONCE));
  }

  private async clearColumn(
    within: Transaction,
    caller: Caller,
    { find, store, root }: JsonColumn,
    ids: readonly string[],
  ): Promise<void> {
    for (let after: string | undefined = ''; after !== undefined; ) {
      const values = [ids, after, ROWS_AT_ONCE];
      const rows: readonly Row[] = await query<Row>(within, find, caller, values);
      const cleared = rows.map(({ place, json }) => {
        return { place, json, left: JSON.stringify(this.left(JSON.parse(json), root)) };
      });
      const changed = cleared.filter(({ json, left }) => json !== left);
      const [places, texts] = [changed.map(({ place }) => place), changed.map(({ left }) => left)];
      if (changed.length > 0) await query(within, store, caller, [places, texts]);
      after = rows.length < ROWS_AT_ONCE ? undefined : rows.at(-1)?.key;
    }
  }

  private belongingTo(object: string): readonly PersonalData[] {
    return this.declared.filter(({ of }) => of === object);
  }

  private async next(
    within: Transaction,
    caller: Caller,
    { object, belonging = '' }: PersonalData,
    { of, after, limit }: Children,
  ): Promise<Resources> {
    if (of.length === 0) return { object, ids: [] };
    const rows = await query<{ id: string }>(within, belonging, caller, [of, after, limit]);
    return { object, ids: rows.map(({ id }) => id) };
  }

  private async run(
    within: Transaction,
    caller: Caller,
    { object, ids }: Resources,
    step: 'kept' | 'clear' | 'remove' | 'unfinished',
  ): Promise<readonly string[]> {
    const found: string[] = [];
    const texts = this.declared.filter((data) => data.object === object).map((data) => data[step]);
    for (const text of ids.length === 0 ? [] : texts) {
      const rows =
        text === undefined ? [] : await query<{ id: string }>(within, text, caller, [ids]);
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

interface Children {
  readonly of: readonly string[];
  readonly after: string;
  /** A null limit stands for all of them. */
  readonly limit: number | null;
}

interface Row {
  readonly place: string;
  readonly key: string;
  readonly json: string;
}

function query<Row>(
  within: Transaction,
  text: string,
  { organization, mode }: Caller,
  values: readonly unknown[],
): Promise<Row[]> {
  const name = hash('sha256', text).slice(0, 32);
  return within.query<Row>({ name, text }, [uuidOf(organization), mode, ...values]);
}

import { Injectable } from '@nestjs/common';
import { Facts, type JsonColumn, type Traces } from '../platform/facts.js';
import type { Caller } from '../shared/caller.js';
import { uuidOf } from '../shared/id.js';
import { Database, type PlainStatement } from './database.js';

/** A column of JSON. `about` is the column with the ID of the resource that a row is about. */
export function jsonColumn(table: string, column: string, about: string): JsonColumn {
  const own = 'organization_id = $1 AND mode = $2';
  return {
    find: {
      name: `${table}.${column}_of`,
      text: `SELECT ctid::text AS place, ${column} AS json FROM ${table}
        WHERE ${own} AND ${about} = ANY ($3::uuid[]) AND ${column} LIKE '{%' FOR NO KEY UPDATE`,
    },
    store: {
      name: `${table}.store_${column}`,
      text: `UPDATE ${table} SET ${column} = ($4::text[])[array_position($3::tid[], ctid)]
        WHERE ${own} AND ctid = ANY ($3::tid[])`,
    },
  };
}

/** Removes the traces of resources, UUIDs, from the tables of all modules, in the open transaction. */
@Injectable()
export class StoredTraces {
  private readonly members: ReadonlyMap<string, (value: never) => unknown>;

  constructor(
    private readonly database: Database,
    private readonly facts: Facts,
  ) {
    this.members = new Map(facts.traces.flatMap(({ members = {} }) => Object.entries(members)));
  }

  /** Removes what people said about them. The rows stay. */
  async clear(caller: Caller, resources: readonly string[]): Promise<void> {
    const all = await this.withBelonging(caller, resources);
    await this.run(caller, all, ({ clear }) => clear);
    await this.rewrite(caller, all);
  }

  /** Removes the rows, but for stored responses: their keys stay taken. */
  async remove(caller: Caller, resources: readonly string[]): Promise<void> {
    const all = await this.withBelonging(caller, resources);
    await this.run(caller, all, ({ remove }) => remove);
    await this.rewrite(caller, all);
  }

  /** Those that must not be removed. */
  kept(caller: Caller, resources: readonly string[]): Promise<string[]> {
    return this.run(caller, resources, ({ kept }) => kept);
  }

  /** What belongs to them, what belongs to that, and so on. */
  private async withBelonging(caller: Caller, resources: readonly string[]): Promise<readonly string[]> {
    const known = new Set(resources);
    for (let before = 0; before < known.size; ) {
      before = known.size;
      for (const id of await this.run(caller, [...known], ({ belonging }) => belonging)) known.add(id);
    }
    return [...known];
  }

  private async run(
    caller: Caller,
    ids: readonly string[],
    of: (traces: Traces) => readonly PlainStatement[] | undefined,
  ) {
    const found: string[] = [];
    for (const statement of this.facts.traces.flatMap((traces) => of(traces) ?? [])) {
      const rows = await this.database.query<{ id: string }>(statement, valuesOf(caller, ids));
      for (const { id } of rows) found.push(id);
    }
    return found;
  }

  private async rewrite(caller: Caller, ids: readonly string[]): Promise<void> {
    for (const { find, store } of this.facts.traces.flatMap(({ json = [] }) => json)) {
      const rows = await this.database.query<{ place: string; json: string }>(find, valuesOf(caller, ids));
      const cleared = rows.map(({ place, json }) => ({ place, before: json, json: this.cleared(json) }));
      const changed = cleared.filter(({ before, json }) => json !== before);
      const [places, texts] = [changed.map(({ place }) => place), changed.map(({ json }) => json)];
      if (changed.length > 0) await this.database.query(store, [...valuesOf(caller, places), texts]);
    }
  }

  /** The members stay in their order. */
  private cleared(json: string): string {
    const value = (name: string, value: unknown) => {
      const replaced = this.members.get(name);
      return replaced ? replaced(value as never) : value;
    };
    return JSON.stringify(JSON.parse(json, value));
  }
}

function valuesOf({ organization, mode }: Caller, ids: readonly string[]): unknown[] {
  return [uuidOf(organization), mode, ids];
}

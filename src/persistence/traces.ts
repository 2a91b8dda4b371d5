import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Facts, type Traces } from '../platform/facts.js';
import type { Caller } from '../shared/caller.js';
import { uuidOf } from '../shared/id.js';
import type { Transaction } from './transaction.js';

const OWN = 'organization_id = $1 AND mode = $2';

/** A column of JSON. The column `about` has the ID of the resource that a row is about. */
export const jsonColumn = (table: string, column: string, about: string) => ({
  find: `SELECT ctid::text AS place, ${column} AS json FROM ${table}
    WHERE ${OWN} AND ${about} = ANY ($3::uuid[]) AND ${column} LIKE '{%' FOR NO KEY UPDATE`,
  store: `UPDATE ${table} SET ${column} = cleared.json FROM unnest($3::tid[], $4::text[]) AS cleared (place, json)
    WHERE ${OWN} AND ctid = ANY ($3::tid[]) AND ctid = cleared.place`,
});

/** Forgets resources, which it gets by their UUIDs, in the tables of all modules that declare traces. */
@Injectable()
export class StoredTraces {
  constructor(private readonly facts: Facts) {}

  /** Clears what was said about them, or removes all rows but stored responses, whose keys stay taken. */
  async forget(
    within: Transaction,
    caller: Caller,
    resources: readonly string[],
    how: 'clear' | 'remove',
  ) {
    const ids = new Set(resources);
    for (let before = 0; before < ids.size; ) {
      before = ids.size;
      for (const id of await this.run(within, caller, [...ids], 'belonging')) ids.add(id);
    }
    await this.run(within, caller, [...ids], how);
    for (const { find, store } of this.facts.traces.flatMap(({ json = [] }) => json)) {
      const rows = await query<{ place: string; json: string }>(within, find, caller, [...ids]);
      const cleared = rows.map((row) => ({
        ...row,
        left: JSON.stringify(JSON.parse(row.json, this.left)),
      }));
      const changed = cleared.filter(({ json, left }) => json !== left);
      const [places, texts] = [changed.map(({ place }) => place), changed.map(({ left }) => left)];
      if (changed.length > 0) await query(within, store, caller, places, texts);
    }
  }

  /** Those that must not be removed. */
  kept(
    within: Transaction,
    caller: Caller,
    resources: readonly string[],
  ): Promise<readonly string[]> {
    return this.run(within, caller, resources, 'kept');
  }

  private async run(
    within: Transaction,
    caller: Caller,
    ids: readonly string[],
    step: 'belonging' | 'kept' | 'clear' | 'remove',
  ) {
    const found: string[] = [];
    for (const text of this.facts.traces.flatMap((traces: Traces) => traces[step] ?? []))
      for (const { id } of await query<{ id: string }>(within, text, caller, ids)) found.push(id);
    return found;
  }

  /** A member of JSON as it is kept, in its place. */
  private readonly left = (name: string, value: unknown): unknown => {
    const kept = this.facts.said.get(name);
    return kept ? kept(value) : value;
  };
}

function query<Row>(
  within: Transaction,
  text: string,
  { organization, mode }: Caller,
  ids: readonly string[],
  ...more: readonly unknown[]
): Promise<Row[]> {
  const name = hash('sha256', text).slice(0, 32);
  return within.query<Row>({ name, text }, [uuidOf(organization), mode, ids, ...more]);
}

/**
 * Units write notes in batches to a real PostgreSQL, and a test sees which statements were sent.
 */
import { afterAll, beforeAll, beforeEach, jest } from '@jest/globals';
import { Client } from 'pg';
import { Column, type DataSource, Entity, PrimaryColumn } from 'typeorm';
import {
  insertInto,
  partOf,
  type StatementPart,
} from '../../src/persistence/batch/batched-write.js';
import { createDataSource } from '../../src/persistence/data-source.js';
import { Database } from '../../src/persistence/database.js';
import type { Owner } from '../../src/shared/caller.js';
import type { Work } from '../../src/shared/unit.js';
import { createDatabase } from './postgres.js';
import { unitsOf } from './units.js';

export const ALICE = { queue: 'alice' };
export const BOB = { queue: 'bob' };
/** The statements of a note that is written alone, and of many, have these names. */
export const [ALONE, ALL] = ['new_note', 'limited new_note*'];

@Entity('notes')
export class NoteRecord {
  @PrimaryColumn('text')
  note!: string;

  @Column('text')
  more!: string;
}

export const NOTE = insertInto('new_note', NoteRecord);
export const note = (text: string, owner: Owner = ALICE, more = ''): StatementPart =>
  partOf(owner, NOTE, { note: text, more });

/** Finds the texts in a binary array: nothing else in it is printable. */
const notesIn = (value: unknown): string[] =>
  Buffer.isBuffer(value) ? (value.toString('latin1').match(/[a-z]+\d*/g) ?? []) : [String(value)];

const TABLES = `CREATE TYPE mode AS ENUM ('test', 'live');
  CREATE TABLE notes (note text PRIMARY KEY CHECK (note <> 'refused'), more text);
  CREATE TABLE purses (organization_id uuid, mode mode, id uuid, amount bigint CHECK (amount <= 100),
    is_closed boolean NOT NULL DEFAULT false, PRIMARY KEY (organization_id, mode, id))`;

export class Notes {
  dataSource!: DataSource;
  database!: Database;
  units!: ReturnType<typeof unitsOf>;
  /** This connection is of nobody who writes notes. */
  outsider!: Client;
  private readonly queries = jest.spyOn(Client.prototype, 'query');
  private drop = async (): Promise<void> => undefined;

  async open(): Promise<void> {
    const { url, drop } = await createDatabase({ empty: true });
    const name = new URL(url).pathname.slice(1);
    this.drop = drop;
    this.outsider = new Client({ connectionString: url });
    await this.outsider.connect();
    // This is longer than a busy machine takes for the statements before a lock is awaited.
    await this.outsider.query(`ALTER DATABASE "${name}" SET lock_timeout = '20s'`);
    const options = { url, poolSize: 6, records: [], timeLimits: false };
    this.dataSource = await createDataSource(options).initialize();
    await this.dataSource.query(TABLES);
    this.database = new Database(this.dataSource);
    this.units = unitsOf(this.database);
  }

  async close(): Promise<void> {
    await this.outsider.end();
    await this.dataSource.destroy();
    await this.drop();
  }

  async clear(): Promise<void> {
    await this.outsider.query('TRUNCATE notes, purses');
    this.queries.mockClear();
  }

  /** Returns the names of the statements of writes that were sent, each with its notes. */
  sent(): { name: string; notes: string[] }[] {
    return this.queries.mock.calls.flatMap(([query]: readonly unknown[]) => {
      const { name = '', runs = [] } = query as {
        name?: string;
        runs?: readonly (readonly unknown[])[];
      };
      return name.includes('new_note') ? [{ name, notes: notesIn(runs[0]?.[0]) }] : [];
    });
  }

  forgetSent(): void {
    this.queries.mockClear();
  }

  noted(unit: Work, text: string, more = ''): void {
    this.database.batched(unit, NOTE, { note: text, more });
  }

  add(text: string, owner: Owner = ALICE, more = ''): Promise<null> {
    return this.units.commit(owner, async (unit) => {
      this.noted(unit, text, more);
      return null;
    });
  }

  many(count: number, owner = ALICE, name = owner.queue): Promise<null>[] {
    return Array.from({ length: count }, (_, index) => this.add(`${name}${index}`, owner));
  }

  async stored(): Promise<string[]> {
    const { rows } = await this.outsider.query('SELECT note FROM notes ORDER BY note');
    return rows.map((row) => row.note);
  }
}

/** Opens a database for a test file. Each of its tests begins without notes. */
export function useNotes(): Notes {
  const notes = new Notes();
  beforeAll(() => notes.open());
  beforeEach(() => notes.clear());
  afterAll(() => notes.close());
  return notes;
}

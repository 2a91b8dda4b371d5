/**
 * Only the WHERE clauses keep organizations apart. A query that reads or changes a tenant's table without binding
 * organization_id is refused before it is sent. A query for all organizations begins with an SQL comment that gives the
 * reason, and so may a subquery: every organization: the reason.
 */
import { Client, type QueryConfig, type Submittable } from 'pg';
import type { DataSourceOptions } from 'typeorm';
import { tablesWith } from './columns.js';

type Records = NonNullable<DataSourceOptions['entities']>;

const REASON = /\/\*\s*every organization: \S.{15,}?\*\//gs;
const ALLOWED = 'ALLOWED';
const QUERY = /^\s*(?:ALLOWED\s+)?(?:SELECT|WITH|UPDATE|DELETE|INSERT)\b/i;
const NAMED = /\b(?:FROM|JOIN|UPDATE|USING)\s+(?:public\.)?(\w+)/gi;
const BOUND = /\borganization_id\s*=\s*(?:\$\d|\w+\.organization_id)/gi;

export function scopedClient(records: Records): typeof Client {
  // Without tables whose organization_id may be null: a ledger key has no organization.
  const tables = tablesWith('organization_id', Object.values(records));
  /** The checked statements by name. TypeORM's queries have no name and are checked each time. */
  const seen = new Map<string, string>();
  return class ScopedClient extends Client {
    // biome-ignore lint/suspicious/noExplicitAny: pg declares six overloads, and all of them go on as they came.
    override query(...parameters: any[]): any {
      const [query] = parameters as [string | (QueryConfig & Partial<Submittable>)];
      const { text, name = '' } = typeof query === 'string' ? { text: query } : query;
      if (seen.get(name) !== text) {
        const table = unscopedTable(text, tables);
        if (table !== undefined)
          return refuse(query, `${name || text} names no organization for its rows of ${table}.`);
        if (name !== '') seen.set(name, text);
      }
      // biome-ignore lint/suspicious/noExplicitAny: as above.
      return (super.query as (...all: any[]) => any)(...parameters);
    }
  } as typeof Client;
}

/** The first of these tables for which the SQL binds no organization. */
export function unscopedTable(sql: string, tables: ReadonlySet<string>): string | undefined {
  const text = sql.replaceAll(REASON, ` ${ALLOWED} `).replaceAll(/'[^']*'|"/g, '');
  if (text.trimStart().startsWith(ALLOWED)) return undefined;
  return queriesIn(text)
    .filter((query) => !query.trimStart().startsWith(ALLOWED))
    .flatMap((query) => query.split(/\bUNION\b/i))
    .map((query) => {
      const named = [...query.matchAll(NAMED)].flatMap(([, table = '']) => (tables.has(table) ? [table] : []));
      return named[query.match(BOUND)?.length ?? 0];
    })
    .find((table) => table !== undefined);
}

/** The query and its subqueries, each without those inside it. */
function queriesIn(text: string): string[] {
  const open: string[] = [''];
  const isQuery: boolean[] = [];
  const queries: string[] = [];
  const add = (more: string) => open.push(`${open.pop()}${more}`);
  for (const { 0: token, index } of text.matchAll(/[()]|[^()]+/g)) {
    if (token === '(') {
      isQuery.push(QUERY.test(text.slice(index + 1)));
      if (isQuery.at(-1)) open.push('');
      else add(token);
    } else if (token === ')' && isQuery.pop()) queries.push(`${open.pop()}`);
    else add(token);
  }
  return [...queries, ...open];
}

/** A Submittable is told through handleError. A caller that passed a text awaits a promise. */
function refuse(query: unknown, message: string): unknown {
  const error = new Error(message);
  const { handleError } = query as { handleError?: (error: Error) => void };
  if (!handleError) return Promise.reject(error);
  process.nextTick(() => handleError.call(query, error));
  return query;
}

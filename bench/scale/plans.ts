/**
 * Reads the plans of the service's statements from the server's own log: auto_explain writes each
 * plan as it ran, so the bench repeats no SQL and guesses no parameters.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { Client as Sql } from 'pg';

/**
 * A list of two sources may sort the largest page and one row more. The sweeper's batch is smaller.
 */
const SORTED_AT_MOST = 101;
/**
 * A batch of a background job has up to 1,000 rows, so a plan that looks at more than twice as many
 * looks at too many. A table that is no longer than this may be read whole.
 */
const LOOKED_AT_MOST = 2_000;
const END_OF_PLAN = '\n\t}\n';
const LOGGED = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_buffers': 'on',
  'auto_explain.log_format': 'json',
};

interface Groups {
  readonly 'Group Count': number;
}

interface Node {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Scan Direction'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly 'Full-sort Groups'?: Groups;
  readonly 'Pre-sorted Groups'?: Groups;
  readonly Plans?: readonly Node[];
}

interface Logged {
  readonly 'Query Text': string;
  readonly Plan: Node & {
    readonly 'Shared Hit Blocks': number;
    readonly 'Shared Read Blocks': number;
  };
}

export interface StatementPlan {
  readonly sql: string;
  readonly summary: string;
  readonly blocks: number;
  readonly faults: readonly string[];
  readonly plan: unknown;
}

/** Lets PostgreSQL log the plans of all statements on connections that are opened meanwhile. */
export async function withPlans<Result>(
  sql: Sql,
  logFile: string,
  work: (log: PlanLog) => Promise<Result>,
): Promise<Result> {
  for (const [name, value] of Object.entries(LOGGED))
    await sql.query(`ALTER ROLE CURRENT_USER SET ${name} = '${value}'`);
  const log = new PlanLog(logFile);
  try {
    return await work(log);
  } finally {
    log.close();
    await sql.query('ALTER ROLE CURRENT_USER RESET ALL');
  }
}

/** Reads the plans of the statements that ran since the last look. */
export class PlanLog {
  private readonly file: number;
  private place: number;

  constructor(path: string) {
    this.file = openSync(path, 'r');
    this.place = fstatSync(this.file).size;
  }

  read(): StatementPlan[] {
    const text = Buffer.alloc(fstatSync(this.file).size - this.place);
    readSync(this.file, text, 0, text.length, this.place);
    // Every line of an entry but the first begins with a tab. The last entry may not be written
    // whole yet.
    const end = text.lastIndexOf(END_OF_PLAN);
    if (end === -1) return [];
    this.place += end + END_OF_PLAN.length;
    const entries = String(text.subarray(0, end + END_OF_PLAN.length)).matchAll(
      / plan:\n((?:\t.*\n)+)/g,
    );
    return [...entries].map(([, json = '']) => examine(JSON.parse(json)));
  }

  close(): void {
    closeSync(this.file);
  }
}

function examine({ 'Query Text': text, Plan: plan }: Logged): StatementPlan {
  const nodes = [...nodesOf(plan)];
  const faults = nodes.flatMap((node) => faultsOf(node));
  const scans = nodes.filter((node) => node['Relation Name'] || node['Index Name']);
  return {
    sql: text.replaceAll(/\s+/g, ' ').trim(),
    summary: scans.map(describe).join(' + ') || plan['Node Type'],
    blocks: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'],
    faults: [...new Set(faults)],
    plan,
  };
}

function* nodesOf(node: Node): Generator<Node> {
  yield node;
  for (const child of node.Plans ?? []) yield* nodesOf(child);
}

function faultsOf(node: Node): string[] {
  const faults: string[] = [];
  const { 'Node Type': type } = node;
  const sorted = type.endsWith('Sort') ? sortedBy(node) : 0;
  if (sorted > SORTED_AT_MOST) faults.push(`sort of ${sorted} rows`);
  const lookedAt = node['Relation Name'] || node['Index Name'] ? rowsOf(node) + removed(node) : 0;
  if (lookedAt > LOOKED_AT_MOST) {
    faults.push(
      type.includes('Seq Scan')
        ? `sequential scan of ${lookedAt} rows`
        : `${lookedAt} rows looked at`,
    );
  }
  return faults;
}

/** An incremental sort sorts one group of rows after the other. */
function sortedBy(node: Node): number {
  const rows = Math.max(0, ...(node.Plans ?? []).map(rowsOf));
  const groups = [node['Full-sort Groups'], node['Pre-sorted Groups']];
  const count = groups.reduce((sum, group) => sum + (group?.['Group Count'] ?? 0), 0);
  return Math.ceil(rows / Math.max(1, count));
}

function rowsOf(node: Node): number {
  return Math.round(node['Actual Rows'] * node['Actual Loops']);
}

function removed(node: Node): number {
  const each = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  return Math.round(each * node['Actual Loops']);
}

function describe(node: Node): string {
  const backward = node['Scan Direction'] === 'Backward' ? ' backward' : '';
  const on = node['Index Name'] ?? node['Relation Name'];
  const passedBy = removed(node) > 0 ? `, ${removed(node)} passed by` : '';
  return `${node['Node Type']}${backward} ${on} (${rowsOf(node)}${passedBy})`;
}

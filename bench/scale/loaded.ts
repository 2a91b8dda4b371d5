/** Loads one size of the data into a database of its own. */
import type { Client as Sql } from 'pg';
import { type BenchDatabase, command, connect, openShop, startService } from '../servers.js';
import { openClient } from './client.js';
import type { Step, Tenants } from './drawn.js';
import { load, prepareLoading } from './load-data.js';
import { makeModels } from './models.js';
import {
  ledgerOperations,
  type Operation,
  operationsFor,
  operatorOperations,
} from './operations.js';
import { drawSamples } from './samples.js';

export interface Loaded {
  readonly step: Step;
  readonly url: string;
  readonly sql: Sql;
  readonly operations: readonly Operation[];
}

type Say = (line: string) => void;

export async function createLoaded(
  database: BenchDatabase,
  { rows, organizations }: Omit<Step, 'end'>,
  say: Say,
): Promise<Loaded> {
  const url = await database.createDatabase(`sessions_${rows}`);
  const sql = await connect(url);
  const tenants = {
    big: openShop(url),
    small: openShop(url),
    ledgerKey: openLedgerKey(url),
    operatorKey: command(url, 'key', 'create', '--kind', 'operator').key as string,
  };
  const service = await startService({ DATABASE_URL: url });
  const client = openClient(service.url);
  await makeModels(sql, client, tenants).finally(() => client.close());
  await service.stop();
  const step = { rows, organizations, end: Date.now() };
  await prepareLoading(sql, tenants, step);
  await load(sql, step, progressOf(rows, say));
  return { step, url, sql, operations: await operationsOn(sql, tenants, step, say) };
}

export function openLedgerKey(url: string): string {
  return command(url, 'key', 'create', '--kind', 'ledger', '--mode', 'test').key as string;
}

async function operationsOn(
  sql: Sql,
  tenants: Tenants,
  step: Step,
  say: Say,
): Promise<Operation[]> {
  const { big, small } = tenants;
  const named = (prefix: string, operations: readonly Operation[]) =>
    operations.map(({ name, next }) => ({ name: `${prefix}: ${name}`, next }));
  const ofBig = await drawSamples(sql, step, 'big', big);
  const ofSmall = await drawSamples(sql, step, 'small', small);
  const { deepPageNumber } = ofBig;
  say(
    `The deep pages are the big organization's ${deepPageNumber}th, the small one's ${ofSmall.deepPageNumber}th.`,
  );
  return [
    ...named('big', operationsFor(big, ofBig, step)),
    ...named('small', operationsFor(small, ofSmall, step)),
    ...ledgerOperations(tenants),
    ...operatorOperations(tenants, step),
  ];
}

function progressOf(rows: number, say: Say): (done: number) => void {
  const started = performance.now();
  let told = started;
  return (done) => {
    const now = performance.now();
    if (done < rows && now - told < 10_000) return;
    told = now;
    const left = Math.ceil((((now - started) / done) * (rows - done)) / 1000);
    say(
      `${done.toLocaleString('en')} of ${rows.toLocaleString('en')} sessions loaded; ${left} s left`,
    );
  };
}

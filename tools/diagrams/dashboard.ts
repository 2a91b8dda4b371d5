/**
 * `node dist/tools/diagrams/dashboard.js <Prometheus> <from> <to>` asks a Prometheus the queries of
 * the Grafana board, from and to an instant such as 2027-01-31T10:00:00Z, and draws the board into
 * docs/operate/dashboard.svg. It fails if a panel has no data, or an alert has nothing to compare.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { parse } from 'yaml';
import { boardPicture, type Panel, type Series } from './board.js';

const BOARD = 'docker/grafana/tillgate.json';
const ALERTS = 'docker/prometheus/rules.yml';
const PICTURE = 'docs/operate/dashboard.svg';
const TITLE = 'The dashboard: refunds, sessions, webhooks, requests, process and database';
const POINTS = 90;
/** Grafana's own rule: four times the interval at which Prometheus scrapes. */
const RATE_INTERVAL = '1m';
/** The query that an alert compares has data. The comparison itself is empty while all is well. */
const COMPARISON = /\s(?:>|==)\s*[\d.]+\s*$/;
const ABSENT = /^absent\((.*)\)$/;

interface Answer {
  readonly metric: Readonly<Record<string, string>>;
  readonly values: readonly (readonly [number, string])[];
}

const [prometheus = '', ...instants] = process.argv.slice(2);
const [from = 0, to = 0] = instants.map((instant) => Date.parse(instant) / 1000);
const board = JSON.parse(readFileSync(BOARD, 'utf8')) as {
  readonly panels: readonly Panel[];
  readonly templating: {
    readonly list: readonly { readonly name: string; readonly current: { value?: string } }[];
  };
};
const alerts: readonly { readonly alert: string; readonly expr: string }[] = parse(
  readFileSync(ALERTS, 'utf8'),
).groups[0].rules;

/** Returns the query with the values that the board's variables have at first. */
function filledIn(expression: string): string {
  const named = expression.replaceAll('$__rate_interval', RATE_INTERVAL);
  return board.templating.list.reduce(
    (query, { name, current }) => query.replaceAll(`$${name}`, current.value ?? ''),
    named,
  );
}

async function ask(query: string): Promise<readonly Answer[]> {
  const step = Math.ceil((to - from) / POINTS);
  const words = { query, start: `${from}`, end: `${to}`, step: `${step}` };
  const url = `${prometheus}/api/v1/query_range?${new URLSearchParams(words)}`;
  const answer = (await (await fetch(url)).json()) as {
    readonly error?: string;
    readonly data: { readonly result: readonly Answer[] };
  };
  assert.equal(answer.error, undefined, query);
  return answer.data.result;
}

async function seriesOf({ targets = [] }: Panel): Promise<readonly Series[]> {
  const all: Series[] = [];
  for (const { expr, legendFormat } of targets) {
    for (const { metric, values } of await ask(filledIn(expr))) {
      const name = legendFormat.replaceAll(/\{\{(\w+)\}\}/g, (_, label) => metric[label] ?? '');
      const numbers = values.map(([time, value]) => [time, Number(value)] as const);
      const points = numbers.filter(([, value]) => Number.isFinite(value));
      if (points.length > 0) all.push({ name, points });
    }
  }
  return all;
}

const drawn: { panel: Panel; series: readonly Series[] }[] = [];
for (const panel of board.panels) drawn.push({ panel, series: await seriesOf(panel) });
const isEmpty = ({ panel, series }: (typeof drawn)[number]) =>
  panel.type !== 'row' && series.length === 0;
assert.deepEqual(
  drawn.filter(isEmpty).map(({ panel }) => panel.title),
  [],
);

for (const { alert, expr } of alerts) {
  const compared = expr.replace(COMPARISON, '').replace(ABSENT, '$1');
  assert.notEqual((await ask(compared)).length, 0, `${alert} has nothing to compare.`);
}
writeFileSync(PICTURE, boardPicture(TITLE, drawn, { from, to }));

/** The dashboard and the alerts query existing metrics, and each alert has advice. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { collectDefaultMetrics, Registry } from '@prometheus-io/client';
import { parse } from 'yaml';
import { declarationsOf } from '../../src/app.module.js';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly runbook_url: string };
}

const RULES: readonly Rule[] = parse(readFileSync('docker/prometheus/rules.yml', 'utf8')).groups[0]
  .rules;
const DASHBOARD = JSON.parse(readFileSync('docker/grafana/tillgate.json', 'utf8')) as {
  readonly panels: readonly {
    readonly title: string;
    readonly targets?: readonly { readonly expr: string }[];
  }[];
};
const QUERIES = [
  ...RULES.map(({ alert, expr }) => [alert, expr] as const),
  ...DASHBOARD.panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => [title, expr] as const),
  ),
];

/** Holds the labels that a metric can have, with their values where they are known. */
const known = new Map<string, Readonly<Record<string, readonly string[] | string>>>();
/** Prometheus adds these labels to each series. */
const OF_TARGET = { job: ['tillgate'], instance: 'an address' };

const registry = new Registry();
collectDefaultMetrics({ register: registry });
for (const { name } of await registry.getMetricsAsJSON()) known.set(name, OF_TARGET);
registry.clear();
known.set('up', OF_TARGET);
const declarations = declarationsOf();
for (const metric of declarations.metrics) {
  const { name, type, labelValues } = metric as typeof metric & { name: string; type: string };
  const listed = Object.entries(labelValues).map(([label, values]) => {
    return [label, typeof values === 'function' ? values(declarations) : values];
  });
  const labels = { ...Object.fromEntries(listed), ...OF_TARGET };
  if (type !== 'histogram') known.set(name, labels);
  else
    for (const part of ['bucket', 'sum', 'count'])
      known.set(`${name}_${part}`, { ...labels, le: 'a boundary' });
}

const WORDS = ['by', 'and', 'or', 'unless', 'on', 'ignoring', 'bool', 'offset'];

/** Returns the names and labels of a query that no metric has. */
function unknownIn(query: string): string[] {
  const unknown: string[] = [];
  const grouped = [...query.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels = '']) =>
    labels.split(', '),
  );
  const names = new Set<string>();
  const rest = query.replaceAll(/\bby \([^)]*\)|\[[^\]]*\]/g, ' ');
  for (const [, name = '', after, selector = ''] of rest
    .replaceAll(/"[^"]*"/g, (text) => text.replaceAll(' ', '_'))
    .matchAll(/\b([a-zA-Z_]\w*)\s*(\(|\{([^}]*)\})?/g)) {
    if (after === '(' || WORDS.includes(name)) continue;
    names.add(name);
    const labels = known.get(name);
    if (!labels) unknown.push(name);
    for (const [, label = '', text = ''] of selector.matchAll(/(\w+)=~?"([^"]*)"/g)) {
      const values = labels?.[label];
      const isThere = (one: string) =>
        values?.includes(one) || one === '$mode' || typeof values === 'string';
      const pattern = (one: string) =>
        Array.isArray(values) && values.some((value) => new RegExp(`^(?:${one})$`).test(value));
      unknown.push(
        ...text
          .split('|')
          .filter((one) => !isThere(one) && !pattern(one))
          .map((one) => `${name}{${label}="${one}"}`),
      );
    }
  }
  const labels = [...names].flatMap((name) => Object.keys(known.get(name) ?? {}));
  return [...unknown, ...grouped.filter((label) => !labels.includes(label))];
}

test.each(QUERIES)('%s queries existing metrics: %s', (_, query) => {
  expect(unknownIn(query)).toEqual([]);
});

test.each([
  ['sum(tillgate_refunds)', ['tillgate_refunds']],
  ['tillgate_refunds_pending{mode="life"}', ['tillgate_refunds_pending{mode="life"}']],
  [
    'rate(tillgate_events_total{type=~"refund.*|payout.*"}[5m])',
    ['tillgate_events_total{type="payout.*"}'],
  ],
  ['sum by (mode, color) (tillgate_refunds_pending)', ['color']],
])('a query of a missing metric is found: %s', (query, unknown) => {
  expect(unknownIn(query)).toEqual(unknown);
});

test('each alert has a paragraph in the documents and a test of its rule', () => {
  const page = readFileSync('docs/operate/alerts.md', 'utf8');
  const paragraphs = [...page.matchAll(/^## (\w+)\n\n\S/gm)].map(([, name]) => name);
  expect(paragraphs).toEqual(RULES.map(({ alert }) => alert));
  for (const { alert, annotations } of RULES) {
    expect(annotations.runbook_url).toBe(
      `https://runbooks.example/docs/operate/alerts.md#${alert.toLowerCase()}`,
    );
  }
  const { tests } = parse(readFileSync('docker/prometheus/rules.test.yml', 'utf8'));
  const firing = tests.flatMap(
    ({ alert_rule_test }: { alert_rule_test: { alertname: string; exp_alerts?: unknown[] }[] }) =>
      alert_rule_test
        .filter(({ exp_alerts }) => exp_alerts?.length)
        .map(({ alertname }) => alertname),
  );
  expect(firing).toEqual(RULES.map(({ alert }) => alert));
});

/** Writes the queries of the dashboard as rules, because promtool checks only queries in rules. */
function dashboardAsRules(): string {
  const queries = DASHBOARD.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  const rules = queries.map((query, place) => ({
    record: `dashboard:query_${place}`,
    expr: query.replaceAll('$__rate_interval', '1m'),
  }));
  const path = join(mkdtempSync(join(tmpdir(), 'tillgate-')), 'rules.yml');
  writeFileSync(path, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
  return path;
}

const promtool = spawnSync('promtool', ['--version']);
const hasPromtool = promtool.error === undefined;

(hasPromtool ? test : test.skip)(
  `promtool${hasPromtool ? '' : ' (not installed here)'} accepts the rules, their tests, and the queries of the dashboard`,
  () => {
    for (const command of [
      ['check', 'config', '--syntax-only', 'docker/prometheus/prometheus.yml'],
      ['test', 'rules', 'docker/prometheus/rules.test.yml'],
      ['check', 'rules', dashboardAsRules()],
    ]) {
      const { status, stdout, stderr } = spawnSync('promtool', command, { encoding: 'utf8' });
      expect([status, status === 0 ? '' : stdout + stderr]).toEqual([0, '']);
    }
  },
);

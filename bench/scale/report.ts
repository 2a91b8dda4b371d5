/** Shows the findings as tables for readers. */
import { table } from '../table.js';
import type { Latency, StepResult } from './measuring.js';
import type { StatementPlan } from './plans.js';

/**
 * An operation is flat if its median at any size is at most so many times the median at the
 * smallest size.
 */
export const FLAT = 1.3;
/** The noise of a loaded machine: a smaller difference says nothing. */
const NOISE_MS = 0.15;

export interface PlanResult {
  readonly operation: string;
  readonly statement: StatementPlan;
}

/** Tells whether the latency stayed within what the data and the clock explain. */
function isFlat(first: Latency, later: Latency): boolean {
  return later.median <= first.median * FLAT || later.median - first.median <= NOISE_MS;
}

export function notFlat(steps: readonly StepResult[]): string[] {
  const [first, ...later] = steps;
  return Object.entries(first?.latencies ?? {})
    .filter(([name, at]) => later.some(({ latencies }) => !isFlat(at, latencies[name] as Latency)))
    .map(([name]) => name);
}

export function latencyTable(steps: readonly StepResult[]): string {
  const [first] = steps;
  if (!first) return '';
  const head = [
    'median ms (p99) × smallest',
    ...steps.map(({ rows }) => rows.toLocaleString('en')),
  ];
  const lines = Object.entries(first.latencies).map(([name, smallest]) => [
    name,
    ...steps.map((step, place) => {
      const at = step.latencies[name] as Latency;
      const ratio = place === 0 ? '' : ` ×${(at.median / smallest.median).toFixed(2)}`;
      const flag = place > 0 && !isFlat(smallest, at) ? ' !' : '';
      return `${at.median.toFixed(2)} (${at.p99.toFixed(1)})${ratio}${flag}`;
    }),
  ]);
  return table([head, ...lines]);
}

export function sizeTable({ sizes }: StepResult): string {
  const lines = sizes.map(({ table, index, rows, bytes }) => [
    index === null ? table : `  ${index}`,
    index === null ? Math.round(rows).toLocaleString('en') : '',
    (bytes / 1e6).toFixed(1),
    rows > 0 ? (bytes / rows).toFixed(0) : '',
  ]);
  return table([['table or index', 'rows', 'MB', 'bytes a row'], ...lines]);
}

export function planLines(plans: readonly PlanResult[]): string {
  return plans
    .map(({ operation, statement: { sql, summary, blocks, faults } }) => {
      const verdict = faults.length === 0 ? 'ok ' : 'BAD';
      const fault = faults.length === 0 ? '' : `\n      ${faults.join(', ')}: ${sql}`;
      return `${verdict} ${operation}: ${summary} [${blocks} blocks]${fault}`;
    })
    .join('\n');
}

/** Reads the values at /metrics. */
import { Measurements } from '../../src/operator/telemetry/measurements.js';
import type { Service } from '../kit/service.js';
import { until } from './processes.js';

/** Measures the tables anew, and returns each value by its series, as `name{label="value"}`. */
export async function scrape({ url, application }: Service): Promise<Record<string, number>> {
  application.get(Measurements).forget();
  return measured(url);
}

const MEASURED = ['refunds_pending', 'webhook_deliveries'];

/**
 * Returns the values once they include those of the tables, which a busy database delivers with a
 * later scrape.
 */
export async function measured(url: string): Promise<Record<string, number>> {
  let text = '';
  await until(async () => {
    text = await (await fetch(`${url}/metrics`)).text();
    return MEASURED.every((name) => text.includes(`tillgate_${name}{`));
  });
  return valuesIn(text);
}

function valuesIn(text: string): Record<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return Object.fromEntries(
    lines.map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice(0, end), Number(line.slice(end + 1))];
    }),
  );
}

/** Returns how much counters have grown between two scrapes, without those that have not. */
export function growth(
  before: Record<string, number>,
  after: Record<string, number>,
  name: string,
) {
  const grown = Object.entries(after).flatMap(([series, value]) => {
    const by = value - (before[series] ?? 0);
    return series.startsWith(name) && by !== 0 ? [[series.slice(name.length), by] as const] : [];
  });
  return Object.fromEntries(grown);
}

/**
 * Draws what was measured, as SVG: requests per second of each operation, and latency by
 * connections.
 */
import { round, svg, text } from '../tools/diagrams/svg.js';
import type { Comparison } from './table.js';

const WIDTH = 780;
const LEFT = 200;
const RIGHT = 140;
const ROW = 44;
const BAR = 14;
const TOP = 56;
const PLOT = WIDTH - LEFT - RIGHT;

/** A picture has its own background, because a page can be light while the system is dark. */
const STYLE = `<style>
  text { font: 13px sans-serif; fill: #24292f }
  .page { fill: #ffffff }
  .bare { fill: #6e7781; stroke: #6e7781 } .tillgate { fill: #3451b2; stroke: #3451b2 }
  .range { stroke: #24292f; stroke-width: 1.5 } .line { stroke-width: 2 } .dashed { stroke-dasharray: 5 4 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .range { stroke: #e6edf3 } .page { fill: #0d1117 }
    .bare { fill: #9198a1; stroke: #9198a1 } .tillgate { fill: #a8b1ff; stroke: #a8b1ff }
  }
</style>`;

const SIDES = ['bare', 'tillgate'] as const;
const LEGEND = { bare: 'baseline', tillgate: 'Tillgate' };

function picture(height: number, title: string, parts: readonly string[]): string {
  const legend = SIDES.map((side, index) => {
    const x = LEFT + index * 120;
    const mark = `<rect class="${side}" x="${x}" y="30" width="12" height="12"/>`;
    return mark + text(x + 18, 41, LEGEND[side]);
  });
  const page = `<rect class="page" width="${WIDTH}" height="${height}"/>`;
  return svg([WIDTH, height], title, [STYLE, page, text(0, 18, title), ...legend, ...parts]);
}

/** A bar for the median and a line from the slowest to the fastest round, beside the baseline's. */
export function throughputPicture(operations: readonly Comparison[]): string {
  const fastest = Math.max(
    ...operations.flatMap(({ bare, tillgate }) => [bare.perSecond.max, tillgate.perSecond.max]),
  );
  const at = (perSecond: number) => LEFT + (PLOT * perSecond) / fastest;
  const rows = operations.flatMap((operation, index) => {
    const top = TOP + index * ROW;
    const bars = SIDES.map((side, place) => {
      const { median, min, max } = operation[side].perSecond;
      const y = top + place * (BAR + 2);
      const width = round(at(median) - LEFT);
      const bar = `<rect class="${side}" x="${LEFT}" y="${y}" width="${width}" height="${BAR}"/>`;
      const middle = y + BAR / 2;
      return `${bar}<path class="range" d="M${round(at(min))} ${middle}H${round(at(max))}"/>`;
    });
    const { median, min, max } = operation.ratio;
    const ratio = `× ${median.toFixed(2)} (${min.toFixed(2)} to ${max.toFixed(2)})`;
    const name = text(LEFT - 10, top + BAR + 4, operation.name, 'end');
    return [name, ...bars, text(WIDTH, top + BAR + 4, ratio, 'end')];
  });
  const title = `Requests per second, 0 to ${Math.round(fastest).toLocaleString('en')}`;
  return picture(TOP + operations.length * ROW, title, rows);
}

const HEIGHT = 320;
const CONNECTIONS = /^create(?:, (\d+) connections?)?$/;
const USUAL_CONNECTIONS = 16;

/**
 * Draws the median and the 99th percentile of a create by the number of connections, on a
 * logarithmic scale.
 */
export function latencyPicture(operations: readonly Comparison[]): string | undefined {
  const points = operations
    .flatMap((operation) => {
      const [matched, count] = CONNECTIONS.exec(operation.name) ?? [];
      return matched === undefined
        ? []
        : [{ operation, connections: Number(count ?? USUAL_CONNECTIONS) }];
    })
    .toSorted((one, other) => one.connections - other.connections);
  if (points.length < 2) return undefined;
  const all = points.flatMap(({ operation }) =>
    SIDES.flatMap((side) => [operation[side].p50.median, operation[side].p99.median]),
  );
  const [least, most] = [Math.floor, Math.ceil].map((to, index) =>
    to(Math.log10(index === 0 ? Math.min(...all) : Math.max(...all))),
  ) as [number, number];
  const x = (index: number) => LEFT + (PLOT * index) / (points.length - 1);
  const bottom = HEIGHT - 40;
  const y = (milliseconds: number) =>
    bottom - ((Math.log10(milliseconds) - least) / (most - least)) * (bottom - TOP);
  const lines = SIDES.flatMap((side) =>
    (['p50', 'p99'] as const).map((percentile) => {
      const values = points.map(({ operation }) => operation[side][percentile].median);
      const steps = values.map((value, index) => `${round(x(index))} ${round(y(value))}`);
      const shape = percentile === 'p50' ? 'line' : 'line dashed';
      return `<path class="${side} ${shape}" style="fill: none" d="M${steps.join('L')}"/>`;
    }),
  );
  const decades = Array.from({ length: most - least + 1 }, (_, index) => 10 ** (least + index));
  const axes = [
    ...decades.map((value) => text(LEFT - 10, y(value) + 4, `${value} ms`, 'end')),
    ...points.map(({ connections }, index) =>
      text(x(index), bottom + 22, connections.toLocaleString('en'), 'middle'),
    ),
  ];
  const title = 'Latency of a create by connections: median, and 99th percentile (dashed)';
  return picture(HEIGHT, title, [...axes, ...lines]);
}

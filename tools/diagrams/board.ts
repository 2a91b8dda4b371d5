/** Draws the panels of a Grafana board in the board's own grid, from what its queries returned. */
import { round, svg, text } from './svg.js';

export interface Panel {
  readonly type: string;
  readonly title: string;
  readonly gridPos: Readonly<Record<'x' | 'y' | 'w' | 'h', number>>;
  readonly fieldConfig?: { readonly defaults: { readonly unit: string } };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

export interface Series {
  readonly name: string;
  /** Seconds since 1970, and the value. */
  readonly points: readonly (readonly [time: number, value: number])[];
}

export interface Range {
  readonly from: number;
  readonly to: number;
}

interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Grafana's grid has so many columns. */
const COLUMNS = 24;
const COLUMN = 40;
const ROW = 23;
const GAP = 4;
const AXIS = 52;
const TITLE = 26;
const LEGEND_LINE = 14;
const LEGEND_LINES = 3;
const LETTER = 5.6;
const MORE = 66;
const LONGEST_NAME = 36;
const COLORS = ['#3f8f46', '#b8860b', '#3d7fd0', '#d9602b', '#c8374a', '#8455c4', '#14888f'];
const STYLE = `<style>
  text { font: 11px sans-serif; fill: #24292f }
  .title text { font-weight: 600 } .small text { font-size: 10px }
  .page { fill: #f6f8fa }
  .panel { fill: #ffffff; stroke: #d0d7de }
  .grid { stroke: #d0d7de; stroke-width: 0.5 }
  .line { fill: none; stroke-width: 1.4 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .page { fill: #0d1117 }
    .panel { fill: #161b22; stroke: #30363d } .grid { stroke: #30363d }
  }
</style>`;

export function boardPicture(
  title: string,
  drawn: readonly { readonly panel: Panel; readonly series: readonly Series[] }[],
  range: Range,
): string {
  const rows = Math.max(...drawn.map(({ panel: { gridPos } }) => gridPos.y + gridPos.h));
  const parts = drawn.map(({ panel, series }) => {
    const box = boxOf(panel);
    return panel.type === 'row' ? headingIn(box, panel) : panelIn(box, panel, series, range);
  });
  const [width, height] = [COLUMNS * COLUMN, rows * ROW];
  const page = `<rect class="page" width="${width}" height="${height}"/>`;
  return svg([width, height], title, [STYLE, page, ...parts]);
}

function boxOf({ gridPos: { x, y, w, h } }: Panel): Box {
  return {
    left: x * COLUMN + GAP / 2,
    top: y * ROW + GAP / 2,
    width: w * COLUMN - GAP,
    height: h * ROW - GAP,
  };
}

const headingIn = ({ left, top }: Box, { title }: Panel) =>
  `<g class="title">${text(left, top + 14, title)}</g>`;

function panelIn(box: Box, panel: Panel, series: readonly Series[], range: Range): string {
  const { left, top, width, height } = box;
  const plot: Box = {
    left: left + AXIS,
    top: top + TITLE,
    width: width - AXIS - 10,
    height: height - TITLE - 20 - LEGEND_LINE * LEGEND_LINES,
  };
  const values = series.flatMap(({ points }) => points.map(([, value]) => value));
  const unit = unitOf(panel.fieldConfig?.defaults.unit, Math.max(...values));
  const most = niceCeiling(Math.max(...values) / unit.size) * unit.size;
  const scale = scaleOf(plot, range, most);
  const lines = series.map(({ points }, index) => {
    const steps = points.map(([time, value]) => `${scale.x(time)} ${scale.y(value)}`);
    return `<path class="line" stroke="${colorOf(index)}" d="M${steps.join('L')}"/>`;
  });
  const frame = `<rect class="panel" x="${left}" y="${top}" width="${width}" height="${height}"/>`;
  const name = `<g class="title">${text(left + 8, top + 16, panel.title)}</g>`;
  return [frame, name, axesIn(plot, scale, unit), ...lines, legendIn(box, series)].join('\n');
}

/** A scale says where a time and a value stand in a plot. */
interface Scale {
  readonly range: Range;
  readonly most: number;
  x(time: number): number;
  y(value: number): number;
}

function scaleOf({ left, top, width, height }: Box, range: Range, most: number): Scale {
  const seconds = range.to - range.from;
  return {
    range,
    most,
    x: (time) => round(left + (width * (time - range.from)) / seconds),
    y: (value) => round(top + height * (1 - value / most)),
  };
}

function axesIn({ left, top, width, height }: Box, scale: Scale, unit: Unit): string {
  const { most, range } = scale;
  const grid = [0, most / 2, most].map((value) => {
    const line = `<path class="grid" d="M${left} ${scale.y(value)}h${width}"/>`;
    return (
      line + text(left - 6, scale.y(value) + 4, short.format(value / unit.size) + unit.sign, 'end')
    );
  });
  const times = [0.1, 0.5, 0.9].map((share) => {
    const time = range.from + share * (range.to - range.from);
    const clock = new Date(time * 1000).toISOString().slice(11, 16);
    return text(scale.x(time), top + height + 14, clock, 'middle');
  });
  return `<g class="small">${[...grid, ...times].join('')}</g>`;
}

/** The names of the series below the plot, as many as there is space for. */
function legendIn({ left, top, width, height }: Box, series: readonly Series[]): string {
  const first = top + height - LEGEND_LINE * LEGEND_LINES + 8;
  const marks: string[] = [];
  let [x, line] = [0, 0];
  for (const [index, { name }] of series.entries()) {
    const shown = name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1)}…` : name;
    const taken = 22 + shown.length * LETTER;
    const isLastLine = line === LEGEND_LINES - 1;
    const space = width - 12 - (isLastLine && index < series.length - 1 ? MORE : 0);
    const isFull = x > 0 && x + taken > space;
    if (isFull && isLastLine) {
      const y = first + line * LEGEND_LINE;
      marks.push(text(left + 10 + x, y, `and ${series.length - index} more`));
      break;
    }
    if (isFull) [x, line] = [0, line + 1];
    marks.push(markAt(left + 10 + x, first + line * LEGEND_LINE, shown, index));
    x += taken;
  }
  return `<g class="small">${marks.join('')}</g>`;
}

function markAt(x: number, y: number, name: string, index: number): string {
  const line = `<path stroke="${colorOf(index)}" stroke-width="3" d="M${round(x)} ${y - 4}h10"/>`;
  return line + text(x + 14, y, name);
}

const colorOf = (index: number) => COLORS[index % COLORS.length] as string;

/** The least of 1, 2, 4 or 6 times a power of ten that is not below the value. */
function niceCeiling(value: number): number {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 4, 6].find((factor) => factor * power >= value) ?? 10) * power;
}

const short = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 });

interface Unit {
  readonly sign: string;
  readonly size: number;
}

const UNITS: Readonly<Record<string, Unit>> = {
  ops: { sign: '/s', size: 1 },
  reqps: { sign: '/s', size: 1 },
  bytes: { sign: ' MiB', size: 2 ** 20 },
  percentunit: { sign: ' %', size: 0.01 },
};

/** Grafana's unit of a panel, in the size that suits its largest value. */
function unitOf(name: string | undefined, most: number): Unit {
  if (name !== 's') return UNITS[name ?? ''] ?? { sign: '', size: 1 };
  if (most <= 0.6) return { sign: ' ms', size: 0.001 };
  return most < 120 ? { sign: ' s', size: 1 } : { sign: ' min', size: 60 };
}

import { expect, test } from '@jest/globals';
import { boardPicture, type Panel } from '../../tools/diagrams/board.js';

const PANEL: Panel = {
  type: 'timeseries',
  title: 'Refunds & payments',
  gridPos: { x: 8, y: 1, w: 8, h: 8 },
  fieldConfig: { defaults: { unit: 's' } },
};
const RANGE = { from: 0, to: 3600 };

test('a panel stands where the board has it, with a line from its first value to its last', () => {
  const waits = { name: 'waits', points: [[0, 0] as const, [3600, 120] as const] };
  const picture = boardPicture('The board', [{ panel: PANEL, series: [waits] }], RANGE);
  expect(picture).toContain('viewBox="0 0 960 207"');
  expect(picture).toContain('<rect class="panel" x="322" y="25" width="316" height="180"/>');
  // 120 seconds are two minutes, the end of the axis.
  expect(picture).toContain('d="M374 143L628 51"/>');
  expect(picture).toContain('>Refunds &amp; payments<');
  for (const label of ['0 min', '1 min', '2 min', '00:06', '00:30', '00:54', 'waits'])
    expect(picture).toContain(`>${label}</text>`);
});

test('a legend that is too long says how many names are left out', () => {
  const names = Array.from({ length: 12 }, (_, place) => `POST /v1/refunds/:id/${place}`);
  const series = names.map((name) => ({ name, points: [[0, 1] as const, [3600, 1] as const] }));
  const picture = boardPicture('The board', [{ panel: PANEL, series }], RANGE);
  const shown = names.filter((name) => picture.includes(`>${name}<`));
  expect(picture).toContain(`>and ${names.length - shown.length} more<`);
});

import { expect, test } from '@jest/globals';
import { latencyPicture, throughputPicture } from '../../bench/pictures.js';
import type { Comparison } from '../../bench/table.js';

const spread = (median: number) => ({ median, min: median * 0.9, max: median * 1.1 });

function compared(name: string, bare: number, tillgate: number): Comparison {
  const figures = (perSecond: number) => ({
    perSecond: spread(perSecond),
    p50: spread(10_000 / perSecond),
    p99: spread(50_000 / perSecond),
    serverCpu: spread(100),
    postgresCpu: spread(100),
  });
  return {
    name,
    bare: figures(bare),
    tillgate: figures(tillgate),
    ratio: spread(tillgate / bare),
    p99Ratio: bare / tillgate,
  };
}

const OPERATIONS = [
  compared('create', 5_000, 10_000),
  compared('read', 1_000, 1_000),
  compared('create, 1 connection', 500, 250),
  compared('create, 256 connections', 4_000, 5_000),
];

test('a bar is as long as the median, and its line goes from the slowest round to the fastest', () => {
  const picture = throughputPicture(OPERATIONS);
  // The fastest round, 11,000 a second, is 440 units from the left edge at 200.
  expect(picture).toContain('<rect class="tillgate" x="200" y="72" width="400" height="14"/>');
  expect(picture).toContain('<path class="range" d="M560 79H640"/>');
  expect(picture).toContain('<rect class="bare" x="200" y="56" width="200" height="14"/>');
  expect(picture).toContain('× 2.00 (1.80 to 2.20)');
  expect(picture.match(/<rect class="bare" x="200" y="\d+" width/g)).toHaveLength(5);
});

test('latency is shown by connections in their order, and only of creates', () => {
  const picture = latencyPicture(OPERATIONS) ?? '';
  const labels = [...picture.matchAll(/text-anchor="middle">([^<]+)</g)].map(([, label]) => label);
  expect(labels).toEqual(['1', '16', '256']);
  expect(picture.match(/<path class="(bare|tillgate) line/g)).toHaveLength(4);
  // The medians are 40 ms, 1 ms and 2 ms, between 1 ms at the bottom and 1 s at the top.
  expect(picture).toContain(
    '<path class="tillgate line" style="fill: none" d="M200 160.4L420 280L640 257.5"/>',
  );
});

test('the picture of latency is missing without creates at several loads', () => {
  expect(latencyPicture([compared('create', 1, 1)])).toBeUndefined();
});

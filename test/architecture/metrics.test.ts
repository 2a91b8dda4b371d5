/** docs/metrics.md is what the code prints. */
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import '../../src/app.module.js';
import { metricsPage } from '../../src/telemetry/metrics-page.js';

test('docs/metrics.md is up to date: npm run metrics', async () => {
  expect(readFileSync('docs/metrics.md', 'utf8')).toBe(await metricsPage());
});

/** This is a minute of `npm run task -- soak`, which continues for as long as its option says. */
import { expect, test } from '@jest/globals';
import { soak } from '../soak/soak.js';

const SECONDS = 60;

test(`${SECONDS} seconds of faults under load break no promise`, async () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  process.stdout.write(`soak seed: ${seed}\n`);
  const { violations, checked } = await soak({ seconds: SECONDS, seed });
  expect({ seed, violations }).toEqual({ seed, violations: [] });
  // A soak without a request would break no promise either.
  const { resources, replays, events } = checked;
  expect(Math.min(resources, replays, events)).toBeGreaterThan(0);
});

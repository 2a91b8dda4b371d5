/**
 * Random sequences of everything that can happen to sessions, payments and refunds run against a
 * model in memory. To repeat a run, set MODEL_SEED to the seed that it printed. MODEL_SEQUENCES
 * asks for more sequences.
 */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { useService } from '../kit/setup.js';
import { checkSequences } from '../support/model-commands.js';
import { expectBalanced } from '../support/reconciled.js';

const SEQUENCES = Number(process.env.MODEL_SEQUENCES ?? 200);
/**
 * So many sequences run at once, each in a shop of its own, to keep the test and the service busy.
 */
const LANES = 8;

const seed = Number(process.env.MODEL_SEED ?? Math.floor(Math.random() * 2 ** 31));

const service = useService();

test(`does in ${SEQUENCES} random sequences what the model does`, async () => {
  process.stdout.write(`model seed: ${seed}\n`);
  const numRuns = SEQUENCES / LANES;
  const lanes = Array.from({ length: LANES }, (_, lane) =>
    checkSequences(service, { numRuns, seed: seed + lane }),
  );
  const results = await Promise.all(lanes);
  expect(
    results.filter(({ failed }) => failed).map((result) => fc.defaultReportMessage(result)),
  ).toEqual([]);
  expect(results.reduce((sum, result) => sum + result.numRuns, 0)).toBe(SEQUENCES);
  await expectBalanced(service);
});

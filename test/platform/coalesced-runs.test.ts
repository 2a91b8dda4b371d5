import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { CoalescedRuns } from '../../src/shared/coalesced-runs.js';

test('calls during a run share the next run, which begins after it, even if it fails', async () => {
  const begun: PromiseWithResolvers<string>[] = [];
  const rounds = new CoalescedRuns(() => {
    begun.push(Promise.withResolvers<string>());
    return begun.at(-1)?.promise as Promise<string>;
  });
  const first = Promise.allSettled([rounds.next(), rounds.next()]);
  await turn();
  const later = [rounds.next(), rounds.next()];
  await turn();
  expect(begun).toHaveLength(1);
  begun[0]?.reject(new Error('The connection was lost.'));
  expect((await first).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await turn();
  expect(begun).toHaveLength(2);
  begun[1]?.resolve('seen');
  expect(await Promise.all(later)).toEqual(['seen', 'seen']);
});

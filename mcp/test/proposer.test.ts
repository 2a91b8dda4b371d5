/** The refunds that an agent may cancel are those that it proposed. */
import { expect, test } from '@jest/globals';
import { isOfOther } from '../src/proposer.js';

const AGENT = { holder: 'agent' };

test.each([
  ['the agent’s own', 'agent', 'waiting', AGENT, false],
  ['one of another holder', 'other', 'waiting', AGENT, true],
  ['one that was approved', 'agent', 'approved', AGENT, false],
  ['one that waited for nobody', 'agent', 'not_needed', AGENT, true],
  ['one of nobody', 'agent', 'waiting', null, true],
  ['any that waits, without a holder in the settings', undefined, 'waiting', AGENT, false],
  ['one that waited for nobody, without a holder', undefined, 'not_needed', AGENT, true],
])('%s: for the holder %s, state %s', (_, holder, state, proposed_by, isOther) => {
  expect(isOfOther({ state, proposed_by }, holder)).toBe(isOther);
});

/** An agent may only cancel refunds that it proposed itself. */
import { expect, test } from '@jest/globals';
import { isOfOther } from '../src/proposer.js';

const AGENT = { holder: 'agent' };

test.each([
  ['a refund of the agent', 'agent', 'waiting', AGENT, false],
  ['a refund of the agent under another spelling', '\uff21gent', 'waiting', AGENT, false],
  ['a refund of another holder', 'other', 'waiting', AGENT, true],
  ['a refund that was approved', 'agent', 'approved', AGENT, false],
  ['a refund that waited for nobody', 'agent', 'not_needed', AGENT, true],
  ['a refund without a proposer', 'agent', 'waiting', null, true],
  ['any waiting refund, without a holder in the settings,', undefined, 'waiting', AGENT, false],
  [
    'a refund that waited for nobody, without a holder in the settings,',
    undefined,
    'not_needed',
    AGENT,
    true,
  ],
])(
  'tells for %s with the holder %s and the state %s whose refund it is',
  (_, holder, state, proposed_by, isOther) => {
    expect(isOfOther({ state, proposed_by }, holder)).toBe(isOther);
  },
);

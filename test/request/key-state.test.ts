import { expect, test } from '@jest/globals';
import { type KeyState, nextStep } from '../../src/request/idempotency/key-state.js';
import { IdempotentResponse } from '../../src/request/response.js';

const [own, other] = [Buffer.from('own'), Buffer.from('other')];
const stored = (fingerprint: Buffer, replayed: boolean): KeyState => {
  return {
    is: 'stored',
    response: new IdempotentResponse({ status: 201, body: '{}', replayed }, fingerprint),
  };
};

test.each<[string, KeyState, string]>([
  ['nothing is known of', { is: 'free' }, 'write'],
  [
    'another request of this process has',
    { is: 'running', outcome: new Promise(() => undefined) },
    'wait',
  ],
  ['this request has written', stored(own, false), 'answer'],
  ['an equal request has written', stored(own, true), 'replay'],
  ['another request has written', stored(other, true), 'refuse_reused'],
  ['an expired response has', { is: 'expired', before: 0 }, 'forget'],
  ['an expired response has once more', { is: 'expired', before: 1 }, 'refuse_in_use'],
  ['another process writes', { is: 'locked' }, 'refuse_in_use'],
])('a key that %s leads to the right step', (_, state, step) => {
  expect(nextStep(state, { fingerprint: own })).toBe(step);
});

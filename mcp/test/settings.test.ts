/** The tools for agents refuse settings at start that can never work, and name each of them. */
import { expect, test } from '@jest/globals';
import { settingsOf } from '../src/settings.js';

const KEY = `rk_test_${'x'.repeat(38)}`;
const RIGHT = { TILLGATE_URL: 'https://pay.example/tillgate', TILLGATE_KEY: KEY };

test.each([
  [{}, {}],
  [{ TILLGATE_ACTOR: 'José' }, { actor: 'José' }],
  [{ TILLGATE_ACTOR: 'علی\u200cرضا' }, { actor: 'علی\u200cرضا' }],
  [{ TILLGATE_HOLDER: 'श्री\u200dमती' }, { holder: 'श्री\u200dमती' }],
  [{ TILLGATE_ACTOR: '', TILLGATE_HOLDER: '', PORT: '' }, {}],
  [{ TILLGATE_HOLDER: 'agent' }, { holder: 'agent' }],
])('accepts %j', (more, taken) => {
  const caller = { key: KEY, actor: undefined, holder: undefined, ...taken };
  const { TILLGATE_URL: baseUrl } = RIGHT;
  const settings = { baseUrl, rateLimitRps: 20, caller, port: undefined };
  expect(settingsOf({ ...RIGHT, ...more })).toEqual(settings);
});

const NO_NAMES = [
  'Ana\nBen',
  'Ana\u2028Ben',
  ' Ana',
  'Ana\u00a0',
  'A\u200bna',
  'A\u200dna',
  '\u200d',
  '\u3000',
  '\u2800',
  'x'.repeat(101),
];

test('takes no key and no caller from the environment over HTTP', () => {
  const { TILLGATE_URL: baseUrl } = RIGHT;
  const environment = { TILLGATE_URL: baseUrl, PORT: '8080', RATE_LIMIT_RPS: '0' };
  const settings = { baseUrl, rateLimitRps: 0, caller: undefined, port: 8080 };
  expect(settingsOf(environment)).toEqual(settings);
});

test.each([
  [{ TILLGATE_URL: undefined }, 'TILLGATE_URL'],
  [{ TILLGATE_URL: 'localhost:5300' }, 'TILLGATE_URL'],
  [{ TILLGATE_URL: 'pay.example' }, 'TILLGATE_URL'],
  [{ TILLGATE_URL: 'https://user:secret@pay.example' }, 'TILLGATE_URL'],
  [{ TILLGATE_URL: 'https://pay.example/?a' }, 'TILLGATE_URL'],
  [{ TILLGATE_URL: 'https://pay.example?' }, 'TILLGATE_URL'],
  [{ TILLGATE_URL: 'https://pay.example#' }, 'TILLGATE_URL'],
  [{ TILLGATE_URL: 'https://pay.example\n' }, 'TILLGATE_URL'],
  [{ TILLGATE_KEY: undefined }, 'TILLGATE_KEY'],
  [{ TILLGATE_KEY: `${KEY}\n${KEY}` }, 'TILLGATE_KEY'],
  [{ TILLGATE_KEY: `${KEY}\n` }, 'TILLGATE_KEY'],
  [{ TILLGATE_KEY: KEY.replace('rk', 'sk') }, 'TILLGATE_KEY'],
  ...['TILLGATE_ACTOR', 'TILLGATE_HOLDER'].flatMap((name) =>
    NO_NAMES.map((text) => [{ [name]: text }, name] as const),
  ),
  [{ RATE_LIMIT_RPS: '-1' }, 'RATE_LIMIT_RPS'],
  [{ RATE_LIMIT_RPS: 'none' }, 'RATE_LIMIT_RPS'],
  [{ TILLGATE_KEY: '', PORT: '0' }, 'PORT'],
  [{ TILLGATE_KEY: '', PORT: 'http' }, 'PORT'],
  [{ PORT: '8080' }, 'TILLGATE_KEY'],
])('refuses %j, and shows nothing of it in the message', (wrong, name) => {
  const settings = settingsOf({ ...RIGHT, ...wrong });
  const [fault] = 'faults' in settings ? settings.faults : [];
  expect(settings).toEqual({ faults: [fault] });
  expect(fault).toMatch(new RegExp(`^${name} must be `));
  expect(fault).not.toMatch(/x{9}|secret|Ana/);
});

test('reports every fault at once', () => {
  const settings = settingsOf({ TILLGATE_ACTOR: ' ', RATE_LIMIT_RPS: '1.5' });
  const names = ['TILLGATE_URL', 'TILLGATE_KEY', 'TILLGATE_ACTOR', 'RATE_LIMIT_RPS'];
  expect(settings).toEqual({
    faults: names.map((name) => expect.stringMatching(`^${name} must be `)),
  });
});

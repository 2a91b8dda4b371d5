/**
 * The schema describes the conformance cases, so that a runner in another language can rely on it.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { readTopics } from '../cases.js';

const CASES = 'conformance/cases';

describe('the schema of the cases', () => {
  const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'));
  const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(
    read('conformance/case.schema.json'),
  );

  test.each(readdirSync(CASES))('describes %s', (file) => {
    validate(read(`${CASES}/${file}`));
    expect(validate.errors).toBeNull();
  });

  test.each([
    ['an unknown matcher', { status: 200, body: { id: { $like: 'x' } } }],
    ['a matcher with company', { status: 200, body: { $type: 'string', $matches: 'x' } }],
    ['no status', { body: {} }],
  ])('refuses %s', (_, expectation) => {
    const step = { request: { method: 'GET', path: '/v1' }, expect: expectation };
    const file = { title: 'x', cases: [{ name: 'x', source: 'surfaces', steps: [step] }] };
    expect(validate(file)).toBe(false);
  });
});

test('names sections of docs/reference/api.md in every case', () => {
  const headings = readFileSync('docs/reference/api.md', 'utf8').matchAll(/^## (.+)$/gm);
  const anchors = new Set(
    Array.from(headings, ([, heading = '']) =>
      heading.toLowerCase().replaceAll("'", '').replaceAll(' ', '-'),
    ),
  );
  const named = readTopics(CASES).flatMap(({ cases }) =>
    cases.flatMap(({ source }) => source.split(', ')),
  );
  expect(named.filter((section) => !anchors.has(section))).toEqual([]);
});

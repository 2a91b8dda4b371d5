/** docs/explain/house.md lists the words of our own. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

const ROW = /^\| \w+ +\| `(\w+)` +\| \S/gm;
const EXPORTED = /^export (?:abstract )?(?:class|interface|type|function|const) (\w+)/gm;

const first = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].map(([, name = '']) => name);

test('each word that the page lists is exported in src', () => {
  const words = first(readFileSync('docs/explain/house.md', 'utf8'), ROW);
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' });
  const sources = files.filter((file) => file.endsWith('.ts'));
  const exported = new Set(
    sources.flatMap((file) => first(readFileSync(`src/${file}`, 'utf8'), EXPORTED)),
  );
  expect(words.length).toBeGreaterThan(40);
  expect(words.filter((word) => !exported.has(word))).toEqual([]);
});

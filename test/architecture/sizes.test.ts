/** Bounds on sizes, so that a reader can take in a file, a function and the platform as a whole. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import ts from 'typescript';

const MAX_SOURCE_LINES = 200;
const MAX_FUNCTION_LINES = 40;
const MAX_COMMENT_PERCENT = 6;
/** The size that was reached, with a little room. Lower it when the platform gets smaller. */
const MAX_PLATFORM_LINES = 2_700;
const MAX_README_LINES = 120;

const FILES = ['src', 'migrations'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(folder, file)),
);
const SOURCES = FILES.filter((file) => file.startsWith('src'));

test(`no source file has more than ${MAX_SOURCE_LINES} lines`, () => {
  expect(FILES.length).toBeGreaterThan(50);
  expect(FILES.filter((file) => linesOf(file).length > MAX_SOURCE_LINES)).toEqual([]);
});

test(`no function has more than ${MAX_FUNCTION_LINES} lines`, () => {
  const functions = SOURCES.flatMap(functionsOf);
  expect(functions.length).toBeGreaterThan(500);
  expect(functions.filter(({ lines }) => lines > MAX_FUNCTION_LINES)).toEqual([]);
});

test(`at most ${MAX_COMMENT_PERCENT} % of the lines are comments`, () => {
  const lines = SOURCES.flatMap(linesOf);
  const comments = lines.filter((line) => /^\s*(\/\/|\/\*|\*(?!\w))/.test(line));
  expect((100 * comments.length) / lines.length).toBeLessThanOrEqual(MAX_COMMENT_PERCENT);
});

test(`the platform has at most ${MAX_PLATFORM_LINES} lines`, () => {
  const lines = SOURCES.filter((file) => file.startsWith('src/platform/')).flatMap(linesOf);
  expect(lines.length).toBeGreaterThan(1_000);
  expect(lines.length).toBeLessThanOrEqual(MAX_PLATFORM_LINES);
});

test(`the README has at most ${MAX_README_LINES} lines`, () => {
  expect(existsSync('README.md')).toBe(true);
  expect(linesOf('README.md').length).toBeLessThanOrEqual(MAX_README_LINES);
});

/** Every function, method and constructor with a body, from its first line to its last. */
function functionsOf(file: string): { place: string; lines: number }[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
  const found: { place: string; lines: number }[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body) {
      const first = source.getLineAndCharacterOfPosition(node.getStart(source)).line;
      const last = source.getLineAndCharacterOfPosition(node.end).line;
      found.push({ place: `${file}:${first + 1}`, lines: last - first + 1 });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function linesOf(file: string): string[] {
  return readFileSync(file, 'utf8').trimEnd().split('\n');
}

/** The rule of comments: each of them is a sentence. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A comment that begins with one of these words is a clause without its sentence. */
const CLAUSE = /^(?:Of|How|Those|What|Where|Whether|Which|Whose)\b/;

/** Returns how each comment of a file begins: a block, or a run of lines. */
function beginningsIn(text: string): string[] {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.flatMap((line, at) => {
    if (line === '/**') return [lines[at + 1]?.replace(/^\* /, '') ?? ''];
    if (line.startsWith('/** ')) return [line.slice('/** '.length)];
    const isFirst = line.startsWith('// ') && !lines[at - 1]?.startsWith('//');
    return isFirst ? [line.slice('// '.length)] : [];
  });
}

function clauses(): string[] {
  const files = execFileSync('git', ['ls-files', '*.ts', '*.js', '*.cjs'], { encoding: 'utf8' });
  return files
    .trim()
    .split('\n')
    .flatMap((file) => beginningsIn(readFileSync(file, 'utf8')).map((text) => `${file}: ${text}`))
    .filter((found) => CLAUSE.test(found.slice(found.indexOf(': ') + 2)));
}

export const COMMENT_RULES: Readonly<Record<string, () => void>> = {
  'a comment begins as a sentence': () => assert.deepEqual(clauses(), []),
};

import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { Progress } from '../../src/platform/progress.js';

const CLEAR = '\r\u001b[K';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** An output that keeps what is written to it. */
function newOutput(terminal: { isTTY?: boolean; columns?: number } = {}) {
  const written: string[] = [];
  return { ...terminal, written, write: (text: string) => written.push(text) };
}

test('a file gets a line every ten seconds, and no line after the end', () => {
  const output = newOutput();
  const progress = new Progress(output);
  progress.begin('Redacting sessions', 4_000);
  progress.add(1_500);
  jest.advanceTimersByTime(9_999);
  expect(output.written).toEqual([]);
  jest.advanceTimersByTime(1);
  progress.add();
  jest.advanceTimersByTime(10_000);
  progress.end();
  jest.advanceTimersByTime(60_000);
  expect(output.written).toEqual([
    'Redacting sessions: 1,500 of 4,000, 150 a second, after 10 s\n',
    'Redacting sessions: 1,501 of 4,000, 75 a second, after 20 s\n',
  ]);
});

test('a part without a known total shows its count and its name', () => {
  const output = newOutput();
  const progress = new Progress(output);
  progress.begin('Requests');
  progress.name('day 1');
  jest.advanceTimersByTime(10_000);
  progress.add(5);
  progress.name('day 2');
  jest.advanceTimersByTime(10_000);
  progress.end();
  expect(output.written).toEqual([
    'Requests: 0 (day 1), 0.0 a second, after 10 s\n',
    'Requests: 5 (day 2), 0.3 a second, after 20 s\n',
  ]);
});

test('a terminal has one line, which is drawn again, is cut to the width, and stays at the end', () => {
  const output = newOutput({ isTTY: true, columns: 21 });
  const progress = new Progress(output);
  progress.begin('Checking rows', 30);
  progress.add(10);
  jest.advanceTimersByTime(400);
  progress.say('A line of its own.');
  progress.end();
  const drawn = `${CLEAR}Checking rows: 10 of`;
  expect(output.written).toEqual([
    drawn,
    drawn,
    `${CLEAR}A line of its own.\n`,
    `${CLEAR}Checking rows: 10 of 30, 25 a second, after 0 s\n`,
  ]);
});

test('a part ends the part before it, and a part without work leaves no line', () => {
  const output = newOutput({ isTTY: true });
  const progress = new Progress(output);
  progress.begin('First', 1);
  progress.add();
  progress.begin('Second', 1);
  progress.end();
  progress.end();
  progress.add();
  expect(output.written).toEqual([`${CLEAR}First: 1 of 1, 0.0 a second, after 0 s\n`, CLEAR]);
});

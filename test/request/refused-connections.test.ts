import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import type { FastifyBaseLogger } from 'fastify';
import { RefusedConnections } from '../../src/request/refused-connections.js';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

test('refused connections are logged at once, and then together once a minute', () => {
  const lines: unknown[] = [];
  const warn = (line: unknown) => void lines.push(line);
  const refused = new RefusedConnections({ warn } as unknown as FastifyBaseLogger);
  refused.add('192.0.2.1');
  expect(lines.splice(0)).toEqual([{ refused: 1, address: '192.0.2.1' }]);
  for (const address of ['192.0.2.1', '192.0.2.1', '192.0.2.2']) refused.add(address);
  jest.advanceTimersByTime(59_999);
  expect(lines).toEqual([]);
  jest.advanceTimersByTime(1);
  expect(lines.splice(0)).toEqual([{ refused: 3, address: '192.0.2.2' }]);
  jest.advanceTimersByTime(600_000);
  expect(lines).toEqual([]);
  refused.add('192.0.2.3');
  expect(lines).toEqual([{ refused: 1, address: '192.0.2.3' }]);
});

/**
 * Runs healthy receivers in a process of their own: servers on ports of their own that answer 204
 * at once.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { instantOf } from '../src/shared/id.js';

/** Holds what has arrived since the last report. Instants are in milliseconds. */
export interface Received {
  readonly count: number;
  readonly first: number;
  readonly last: number;
  /**
   * Measured from the instant in the ID of the event, which is made before the commit, to the first
   * byte.
   */
  readonly latencies: readonly number[];
}

let latencies: number[] = [];
let [count, first, last] = [0, 0, 0];

async function listen(): Promise<string> {
  const server = createServer((request, response) => {
    last = performance.timeOrigin + performance.now();
    first ||= last;
    count += 1;
    latencies.push(last - instantOf(String(request.headers['webhook-id'])));
    request.resume().once('end', () => response.writeHead(204).end());
  });
  // This is longer than the service keeps a connection.
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

process.on('message', () => {
  process.send?.({ count, first, last, latencies } satisfies Received);
  latencies = [];
  [count, first, last] = [0, 0, 0];
});
process.on('disconnect', () => process.exit());
process.send?.(await Promise.all(Array.from({ length: Number(process.argv[2]) }, listen)));

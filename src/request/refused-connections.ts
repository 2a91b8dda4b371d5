/**
 * Counts connections that are refused and displaced, and logs the refused ones once a minute at
 * most.
 */
import type { FastifyBaseLogger } from 'fastify';
import { counter } from '../platform/metric.js';

export const CONNECTIONS_REFUSED = counter({
  name: 'tillgate_connections_refused_total',
  help: 'Connections that were closed at once, because their address had 256 open ones.',
});
export const CONNECTIONS_DISPLACED = counter({
  name: 'tillgate_connections_displaced_total',
  help: 'Idle connections that were closed, because the process had no place for another one.',
});

const QUIET_MS = 60_000;

export class RefusedConnections {
  private unlogged = 0;
  private lastAddress = '';
  private isQuiet = false;

  constructor(private readonly log: FastifyBaseLogger | undefined) {}

  add(address: string): void {
    CONNECTIONS_REFUSED.inc();
    this.unlogged += 1;
    this.lastAddress = address;
    if (!this.isQuiet) this.tell();
  }

  /**
   * Logs the first refused connection at once, and those of the next minute together at its end.
   */
  private tell(): void {
    this.isQuiet = this.unlogged > 0;
    if (!this.isQuiet) return;
    this.log?.warn(
      { refused: this.unlogged, address: this.lastAddress },
      'Connections were refused: their address has 256. Name it in TRUST_PROXY if it is a proxy.',
    );
    this.unlogged = 0;
    setTimeout(() => this.tell(), QUIET_MS).unref();
  }
}

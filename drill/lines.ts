/** Holds the lines of both workers to Tillgate and to the provider. */

import { type Events, Line, type Side } from './line.js';
import type { Environment } from './workers.js';

export class Lines {
  private readonly lines: Line[] = [];

  constructor(private readonly events: Events) {}

  /** Opens the lines of a worker. Returns the addresses of both sides. */
  async open(worker: number, tillgate: Side, provider: Side): Promise<Environment> {
    const [TILLGATE_URL, PROVIDER_URL] = [
      await this.openOne(worker, tillgate),
      await this.openOne(worker, provider),
    ];
    return { TILLGATE_URL, PROVIDER_URL };
  }

  /** Tells whether an answer to this worker waits for the clock. */
  isHeld(worker: number): boolean {
    return this.lines.some((line) => line.worker === worker && line.held > 0);
  }

  get isAnyHeld(): boolean {
    return this.lines.some(({ held }) => held > 0);
  }

  /** Tells whether a call has no answer, and its worker still waits for it. */
  get isUnanswered(): boolean {
    return this.lines.some(({ unanswered }) => unanswered > 0);
  }

  /** Lets late requests arrive. */
  async deliver(): Promise<void> {
    for (const line of this.lines) await line.deliver();
  }

  async drain(): Promise<void> {
    await Promise.all(this.lines.map((line) => line.drain()));
  }

  async close(): Promise<void> {
    await Promise.all(this.lines.map((line) => line.close()));
  }

  private async openOne(worker: number, side: Side): Promise<string> {
    const line = new Line(worker, side, this.events);
    this.lines.push(line);
    return line.open();
  }
}

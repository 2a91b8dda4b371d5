/** The lines of both workers to Tillgate and to the provider. */

import { type Events, Line, type Side } from './line.js';
import type { Environment } from './workers.js';

export class Lines {
  private readonly lines: Line[] = [];

  constructor(private readonly events: Events) {}

  /** Where the worker finds both sides. */
  async open(worker: number, tillgate: Side, provider: Side): Promise<Environment> {
    const [TILLGATE_URL, PROVIDER_URL] = [
      await this.openOne(worker, tillgate),
      await this.openOne(worker, provider),
    ];
    return { TILLGATE_URL, PROVIDER_URL };
  }

  /** Whether an answer to this worker waits for the clock. */
  isHeld(worker: number): boolean {
    return this.lines.some((line) => line.worker === worker && line.held > 0);
  }

  get isAnyHeld(): boolean {
    return this.lines.some(({ held }) => held > 0);
  }

  /** Whether a call is never answered, and its worker has not given it up. */
  get isUnanswered(): boolean {
    return this.lines.some(({ unanswered }) => unanswered > 0);
  }

  /** What is late arrives. */
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

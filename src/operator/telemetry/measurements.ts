import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { Database } from '../../persistence/database.js';
import { Declarations, type Measurement } from '../../platform/module-declaration.js';

const EVERY_MS = 15_000;
/** A scrape waits this long for new values. Values that take longer come with the next scrape. */
const PATIENCE_MS = 500;

type Row = Readonly<{ gauge: string; labels: Record<string, string>; value: number }>;

@Injectable()
export class Measurements {
  private readonly logger = new Logger(Measurements.name);
  private measuredAt = Number.NEGATIVE_INFINITY;
  private measuring: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly database: Database,
    private readonly declarations: Declarations,
  ) {}

  async update(): Promise<void> {
    if (performance.now() - this.measuredAt >= EVERY_MS) {
      this.measuredAt = performance.now();
      this.measuring = Promise.all(this.declarations.measurements.map((one) => this.measure(one)));
    }
    await Promise.race([this.measuring, sleep(PATIENCE_MS, undefined, { ref: false })]);
  }

  forget(): void {
    this.measuredAt = Number.NEGATIVE_INFINITY;
    for (const { gauges } of this.declarations.measurements)
      for (const gauge of Object.values(gauges)) gauge.reset();
  }

  /** Removes the gauges' values if the query fails, because old values would look current. */
  private async measure({ name, text, gauges }: Measurement): Promise<void> {
    const rows = await this.database
      .autocommit<Row>({ queue: 'measurements' }, { name, text }, [])
      .then(
        ({ rows }) => rows,
        (error: unknown) => this.logger.warn(error),
      );
    for (const gauge of Object.values(gauges)) gauge.reset();
    for (const { gauge, labels, value } of rows ?? []) gauges[gauge]?.set(labels, value);
  }
}

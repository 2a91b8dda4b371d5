import { randomUUID } from 'node:crypto';
import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { Client } from 'pg';
import { Database } from '../../../../platform/database/database.js';
import { Jobs } from '../../../../platform/jobs.js';

/** A process also checks for changes at this interval: it may have lost its connection, or a pooler may drop notifications. */
const CHECK_EVERY_MS = 2_000;
/** By then, every process has checked. */
const MAX_WAIT_MS = 3_000;
const TIMEOUT_MS = 4_000;

/** Application name of the listening connections, by which they are counted. */
const APPLICATION = 'tillgate listener';
const LISTENERS = {
  name: 'announcements.listeners',
  text: `SELECT count(*)::integer AS count FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = '${APPLICATION}'`,
};
const NOTIFY = { name: 'announcements.notify', text: 'SELECT pg_notify($1, $2)' };

/** Notifies the processes on this database of a change (LISTEN and NOTIFY), and waits until they have handled it. */
@Injectable()
export class Announcements implements BeforeApplicationShutdown {
  private readonly logger = new Logger(Announcements.name);
  private readonly waiting = new Map<string, () => void>();
  private onChange: () => Promise<void> = async () => undefined;
  private listener: Client | undefined;

  constructor(
    private readonly database: Database,
    private readonly jobs: Jobs,
  ) {}

  /** From now on, `onChange` runs at each announcement and at an interval. It must find out what has changed. */
  async listen(onChange: () => Promise<void>): Promise<void> {
    this.onChange = onChange;
    await this.check().catch((error: unknown) => this.logger.warn(error));
    this.jobs.repeat('hear_announcements', CHECK_EVERY_MS, () => this.check());
  }

  /** Resolves when every listening process has handled the change, or after the time in which each checks by itself. */
  async announce(): Promise<void> {
    const id = randomUUID();
    const [listeners] = (await this.database.autocommit<{ count: number }>(LISTENERS, [])).rows;
    let missing = listeners?.count ?? 0;
    let timer: NodeJS.Timeout | undefined;
    const handled = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, MAX_WAIT_MS);
      this.waiting.set(id, () => {
        missing -= 1;
        if (missing === 0) resolve();
      });
    });
    await this.notify('tillgate_changed', id);
    await handled;
    clearTimeout(timer);
    this.waiting.delete(id);
  }

  async beforeApplicationShutdown(): Promise<void> {
    const { listener } = this;
    this.listener = undefined;
    await listener?.end();
  }

  private async check(): Promise<void> {
    this.listener ??= await this.connected();
    await this.onChange();
  }

  private async connected(): Promise<Client> {
    const limits = { connectionTimeoutMillis: TIMEOUT_MS, query_timeout: TIMEOUT_MS };
    const client = new Client({ connectionString: this.database.url, application_name: APPLICATION, ...limits });
    client.on('notification', ({ channel, payload = '' }) => {
      if (channel === 'tillgate_heard') this.waiting.get(payload)?.();
      else this.answer(payload).catch((error: unknown) => this.logger.warn(error));
    });
    // The next check connects again.
    client.on('error', () => this.forget(client));
    client.on('end', () => this.forget(client));
    try {
      await client.connect();
      await client.query('LISTEN tillgate_changed; LISTEN tillgate_heard');
      return client;
    } catch (error) {
      client.end().catch(() => undefined);
      throw error;
    }
  }

  private async answer(id: string): Promise<void> {
    await this.onChange();
    await this.notify('tillgate_heard', id);
  }

  private async notify(channel: string, payload: string): Promise<void> {
    await this.database.autocommit(NOTIFY, [channel, payload]);
  }

  private forget(client: Client): void {
    if (this.listener === client) this.listener = undefined;
  }
}

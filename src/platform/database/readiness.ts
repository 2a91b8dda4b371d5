import { Injectable } from '@nestjs/common';
import { Refusal, SERVICE_UNAVAILABLE } from '../../shared/errors.js';
import { MIGRATIONS } from './data-source.js';
import { Database } from './database.js';

/** A newer schema is no fault: a release is migrated before its processes are started. */
const READINESS = {
  name: 'database.readiness',
  text: `SELECT pg_is_in_recovery() OR current_setting('default_transaction_read_only')::boolean AS "isReadOnly",
    EXISTS (SELECT FROM migrations WHERE name = $1) AS "isMigrated"`,
};

interface Row {
  readonly isReadOnly: boolean;
  readonly isMigrated: boolean;
}

@Injectable()
export class Readiness {
  private isEnding = false;

  constructor(private readonly database: Database) {}

  /** The process has been told to end: nothing new should be sent to it. */
  end(): void {
    this.isEnding = true;
  }

  /** Refuses with service_unavailable, and says why, while the process ends or its database cannot serve writes. */
  async check(): Promise<void> {
    if (this.isEnding) throw new Refusal(SERVICE_UNAVAILABLE, 'The process is ending.');
    const newest = MIGRATIONS.at(-1)?.name;
    const { rows } = await this.database.autocommit<Row>(READINESS, [newest]);
    const [row] = rows;
    if (row?.isReadOnly) throw new Refusal(SERVICE_UNAVAILABLE, 'The database is read-only.');
    if (!row?.isMigrated) throw new Refusal(SERVICE_UNAVAILABLE, 'The schema of the database is behind: migrate it.');
  }
}

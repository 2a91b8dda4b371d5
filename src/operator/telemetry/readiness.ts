import { Injectable } from '@nestjs/common';
import { MIGRATIONS } from '../../persistence/data-source.js';
import { Database } from '../../persistence/database.js';
import { Refusal, SERVICE_UNAVAILABLE } from '../../shared/errors.js';

/** A schema newer than this version is accepted, because an upgrade migrates before it replaces processes. */
const READINESS = {
  name: 'telemetry.readiness',
  text: `SELECT pg_is_in_recovery() OR current_setting('default_transaction_read_only')::boolean AS "isReadOnly",
    EXISTS (SELECT FROM migrations WHERE name = $1) AS "isMigrated"`,
};

type Row = Readonly<Record<'isReadOnly' | 'isMigrated', boolean>>;

@Injectable()
export class Readiness {
  private isEnding = false;

  constructor(private readonly database: Database) {}

  /** From now on check() refuses, so that load balancers send no new requests to this process. */
  end(): void {
    this.isEnding = true;
  }

  /** Throws a service_unavailable refusal with the reason while the process ends or the database cannot serve writes. */
  async check(): Promise<void> {
    if (this.isEnding) throw new Refusal(SERVICE_UNAVAILABLE, 'The process is ending.');
    const newest = MIGRATIONS.at(-1)?.name;
    const [row] = (await this.database.autocommit<Row>({ queue: 'readiness' }, READINESS, [newest])).rows;
    if (row?.isReadOnly) throw new Refusal(SERVICE_UNAVAILABLE, 'The database is read-only.');
    if (!row?.isMigrated) throw new Refusal(SERVICE_UNAVAILABLE, 'The schema of the database is behind: migrate it.');
  }
}

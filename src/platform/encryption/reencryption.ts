import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { encryptedColumns, type Look, valuesIn } from './encrypted-columns.js';
import { Encryption } from './encryption.js';

/** Brings what is encrypted under the current key, while the service runs. Ended anywhere, the same call goes on. */
@Injectable()
export class Reencryption {
  constructor(
    private readonly database: Database,
    private readonly encryption: Encryption,
  ) {}

  /** Returns how many values it encrypted anew, and how many no key reads: they stay as they are. */
  async execute(): Promise<{ reencrypted: number; unreadable: number }> {
    let reencrypted = 0;
    for (;;) {
      const { older, replaced, unreadable } = await this.round();
      reencrypted += replaced;
      // What was changed, or moved to another column, between look and replacement is found by the next round.
      if (older === 0) return { reencrypted, unreadable };
    }
  }

  private async round() {
    const found = { current: 0, older: 0, unreadable: 0, replaced: 0 };
    for (const column of encryptedColumns()) {
      for await (const { key, sealed } of valuesIn(column, this.look)) {
        const state = this.encryption.stateOf(sealed);
        found[state] += 1;
        if (state !== 'older') continue;
        const values = [...key, sealed, this.encryption.renewed(sealed)];
        found.replaced += (await this.database.autocommit(column.replace, values)).rowCount;
      }
    }
    return found;
  }

  /** The way through all answers that are kept for retries may be long. */
  private readonly look: Look = (statement, values) =>
    this.database.run(async () => {
      await this.database.manager.query('SET LOCAL statement_timeout = 0');
      return this.database.query(statement, values);
    });
}

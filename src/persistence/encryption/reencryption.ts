import { Injectable } from '@nestjs/common';
import { Database } from '../database.js';
import { Units } from '../units.js';
import { encryptedColumns, type Look, valuesIn } from './encrypted-columns.js';
import { Encryption } from './encryption.js';

const REENCRYPTION = { queue: 'reencryption' };

/** Encrypts stored values with the current key, while the service runs. If it is interrupted, call it again. */
@Injectable()
export class Reencryption {
  constructor(
    private readonly database: Database,
    private readonly units: Units,
    private readonly encryption: Encryption,
  ) {}

  /** Returns how many values it encrypted again, and how many it left because no key decrypts them. */
  async execute(): Promise<{ reencrypted: number; unreadable: number }> {
    let reencrypted = 0;
    for (;;) {
      const found = { current: 0, older: 0, unreadable: 0 };
      for (const column of encryptedColumns()) {
        for await (const { key, sealed } of valuesIn(column, this.look)) {
          const state = this.encryption.stateOf(sealed);
          found[state] += 1;
          if (state !== 'older') continue;
          const values = [...key, sealed, this.encryption.renewed(sealed)];
          reencrypted += (await this.database.autocommit(REENCRYPTION, column.replace, values))
            .rowCount;
        }
      }
      // The next round finds a value that was changed, or moved to another column, after it was read.
      if (found.older === 0) return { reencrypted, unreadable: found.unreadable };
    }
  }

  /** Without a time limit, because there may be millions of stored responses. */
  private readonly look: Look = (statement, values) =>
    this.units.commit(REENCRYPTION, (unit) =>
      this.database.inTransaction(unit, async (transaction) => {
        await transaction.manager.query('SET LOCAL statement_timeout = 0');
        return transaction.query(statement, values);
      }),
    );
}

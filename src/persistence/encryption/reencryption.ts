import { Injectable } from '@nestjs/common';
import { Database } from '../database.js';
import { Units } from '../units.js';
import { encryptedColumns, type Look, valuesIn } from './encrypted-columns.js';
import { Encryption } from './encryption.js';

const REENCRYPTION = { queue: 'reencryption' };

/** This many values were encrypted again, and this many were left because no key decrypts them. */
interface Counted {
  readonly reencrypted: number;
  readonly unreadable: number;
}

type EncryptedColumn = ReturnType<typeof encryptedColumns>[number];

/**
 * Encrypts stored values with the current key, while the service runs. A call that was interrupted
 * can be repeated.
 */
@Injectable()
export class Reencryption {
  constructor(
    private readonly database: Database,
    private readonly units: Units,
    private readonly encryption: Encryption,
  ) {}

  /**
   * Secrets and stored responses are counted apart, as `doctor` does, because stored responses
   * expire.
   */
  async execute(): Promise<{ secrets: Counted; responses: Counted }> {
    const [expiring, lasting] = [true, false].map((expires) =>
      encryptedColumns().filter((column) => column.expires === expires),
    );
    return { secrets: await this.renew(lasting), responses: await this.renew(expiring) };
  }

  private async renew(columns: EncryptedColumn[] = []): Promise<Counted> {
    let reencrypted = 0;
    for (;;) {
      const found = { current: 0, older: 0, unreadable: 0 };
      for (const column of columns) {
        for await (const { key, sealed } of valuesIn(column, this.look)) {
          const state = this.encryption.stateOf(sealed);
          found[state] += 1;
          if (state !== 'older') continue;
          const values = [...key, sealed, this.encryption.renewed(sealed)];
          reencrypted += (await this.database.autocommit(REENCRYPTION, column.replace, values))
            .rowCount;
        }
      }
      // A value may be changed, or moved to another column, after it was read. The next round finds
      // it.
      if (found.older === 0) return { reencrypted, unreadable: found.unreadable };
    }
  }

  /** The look has no time limit, because there may be millions of stored responses. */
  private readonly look: Look = (statement, values) =>
    this.units.commit(REENCRYPTION, (unit) =>
      this.database.inTransaction(unit, async (transaction) => {
        await transaction.manager.query('SET LOCAL statement_timeout = 0');
        return transaction.query(statement, values);
      }),
    );
}

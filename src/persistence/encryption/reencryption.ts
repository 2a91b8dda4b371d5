import { Injectable } from '@nestjs/common';
import { Database } from '../database.js';
import { Units } from '../units.js';
import { encryptedColumns, type Look, valuesIn } from './encrypted-columns.js';
import { Encryption } from './encryption.js';

const REENCRYPTION = { queue: 'reencryption' };

/** How many values were encrypted again, and how many were left because no key decrypts them. */
interface Counted {
  readonly reencrypted: number;
  readonly unreadable: number;
}

type EncryptedColumn = ReturnType<typeof encryptedColumns>[number];

/** Encrypts stored values with the current key, while the service runs. If it is interrupted, call it again. */
@Injectable()
export class Reencryption {
  constructor(
    private readonly database: Database,
    private readonly units: Units,
    private readonly encryption: Encryption,
  ) {}

  /** Secrets are counted as `doctor` counts them, apart from stored responses, which expire. */
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

import { Injectable } from '@nestjs/common';
import type { Progress } from '../../platform/progress.js';
import { Database, type PlainStatement } from '../database.js';
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
  async execute(progress: Progress): Promise<{ secrets: Counted; responses: Counted }> {
    const columns = encryptedColumns();
    const lasting = columns.filter(({ expires }) => !expires);
    const expiring = columns.filter(({ expires }) => expires);
    return {
      secrets: await this.renew(lasting, 'Encrypting secrets', progress),
      responses: await this.renew(expiring, 'Encrypting stored responses', progress),
    };
  }

  private async renew(
    columns: readonly EncryptedColumn[],
    what: string,
    progress: Progress,
  ): Promise<Counted> {
    const total = await this.count(columns);
    let reencrypted = 0;
    for (let round = 1; ; round++) {
      progress.begin(round === 1 ? what : 'Looking for values that changed meanwhile', total);
      const found = { current: 0, older: 0, unreadable: 0 };
      for (const column of columns) {
        for await (const { key, sealed } of valuesIn(column, this.look)) {
          const state = this.encryption.stateOf(sealed);
          found[state] += 1;
          progress.add();
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

  private async count(columns: readonly EncryptedColumn[]): Promise<number> {
    let sum = 0;
    for (const { count } of columns) {
      const [row] = await this.look<{ values: number }>(count, []);
      sum += row?.values ?? 0;
    }
    return sum;
  }

  /** The look has no time limit, because there may be millions of stored responses. */
  private readonly look: Look = <Row extends object>(
    statement: PlainStatement,
    values: readonly unknown[],
  ) =>
    this.units.commit(REENCRYPTION, (unit) =>
      this.database.inTransaction(unit, async (transaction) => {
        await transaction.manager.query('SET LOCAL statement_timeout = 0');
        return transaction.query<Row>(statement, values);
      }),
    );
}

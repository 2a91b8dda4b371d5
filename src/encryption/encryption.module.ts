import { Global, Module } from '@nestjs/common';
import { Database } from '../persistence/database.js';
import { Config } from '../platform/config.js';
import { Encryption, STORED_KEY } from './encryption.js';
import { Reencryption } from './reencryption.js';

const ENCRYPTION = {
  provide: Encryption,
  useFactory: async (database: Database, config: Config) => {
    const [{ key }] = (await database.read({ queue: STORED_KEY.name }, STORED_KEY, [])) as [{ key: Buffer }];
    return new Encryption(key, config);
  },
  inject: [Database, Config],
};

/** Global, because stored responses and several modules contain secrets. */
@Global()
@Module({ providers: [ENCRYPTION, Reencryption], exports: [Encryption, Reencryption] })
export class EncryptionModule {}

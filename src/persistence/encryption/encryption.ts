import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import type { FactoryProvider } from '@nestjs/common';
import { Config } from '../../platform/config.js';
import { Database } from '../database.js';

export const STORED_KEY = {
  name: 'encryption.key',
  text: 'SELECT key FROM encryption_keys WHERE id = 1',
};
const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** An encrypted value in a text column has this prefix. No JSON begins with it. */
const ENCRYPTED = 'encrypted:';

export type Sealed = Buffer | string;

/** Encrypts (AES-256-GCM) values that must not be readable in a backup, a log or a replica. */
export class Encryption {
  /**
   * The first key encrypts, and all keys decrypt. They are key objects, because plain bytes take
   * four times as long.
   */
  private readonly keys: readonly [KeyObject, ...KeyObject[]];

  /**
   * Each key is derived from a key in the database and a setting that is not in the database. The
   * last one is derived without a setting, for values from before ENCRYPTION_KEY was set.
   */
  constructor(stored: Buffer, { encryptionKey = '', decryptionKeys }: Config) {
    const keyOf = (setting: string) =>
      createSecretKey(Buffer.from(hkdfSync('sha256', stored, setting, 'tillgate', 32)));
    this.keys = [keyOf(encryptionKey), ...[...decryptionKeys, ''].map(keyOf)];
  }

  static isEncrypted(text: string): boolean {
    return text.startsWith(ENCRYPTED);
  }

  encrypt(text: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.keys[0], nonce);
    return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  }

  encryptToText(text: string): string {
    return ENCRYPTED + this.encrypt(text).toString('base64');
  }

  /** Throws when none of the keys decrypts the value. */
  decrypt(sealed: Sealed): string {
    const { text } = this.open(sealed) ?? {};
    if (text === undefined)
      throw new Error(
        'A stored secret can be decrypted with neither ENCRYPTION_KEY nor DECRYPTION_KEYS.',
      );
    return text;
  }

  stateOf(sealed: Sealed): 'current' | 'older' | 'unreadable' {
    const opened = this.open(sealed);
    if (opened === undefined) return 'unreadable';
    return opened.key === this.keys[0] ? 'current' : 'older';
  }

  renewed(sealed: Sealed): Sealed {
    const text = this.decrypt(sealed);
    return typeof sealed === 'string' ? this.encryptToText(text) : this.encrypt(text);
  }

  private open(sealed: Sealed): { text: string; key: KeyObject } | undefined {
    const bytes =
      typeof sealed === 'string' ? Buffer.from(sealed.slice(ENCRYPTED.length), 'base64') : sealed;
    for (const key of this.keys) {
      const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      const text = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8');
      try {
        return { text: text + decipher.final('utf8'), key };
      } catch {
        // The authentication tag does not match this key, so another key encrypted the value.
      }
    }
    return undefined;
  }
}

export const ENCRYPTION: FactoryProvider<Encryption> = {
  provide: Encryption,
  useFactory: async (database: Database, config: Config) => {
    const [{ key }] = (await database.read({ queue: STORED_KEY.name }, STORED_KEY, [])) as [
      { key: Buffer },
    ];
    return new Encryption(key, config);
  },
  inject: [Database, Config],
};

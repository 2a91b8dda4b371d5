import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Begins an encrypted text in a column of texts: no JSON begins so. */
const ENCRYPTED = 'encrypted:';

/** As it is stored: bytes, or what encryptToText() made. */
export type Sealed = Buffer | string;

/** For what is stored and must not be read from a backup, a log or a replica: AES-256-GCM. */
export class Encryption {
  /** The first one encrypts, all decrypt. Key objects: with bytes each use takes four times as long. */
  private readonly keys: readonly [KeyObject, ...KeyObject[]];

  /**
   * Each key is made of what the database keeps and of a setting that the database does not know. The last one is made of
   * the database's alone, as before ENCRYPTION_KEY was set.
   */
  constructor(stored: Buffer, { encryptionKey = '', decryptionKeys }: Settings) {
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

  /** Throws when it was encrypted with none of the keys, or changed since. */
  decrypt(sealed: Sealed): string {
    const { text } = this.open(sealed) ?? {};
    if (text === undefined) throw new Error('It can be read with neither ENCRYPTION_KEY nor one of DECRYPTION_KEYS.');
    return text;
  }

  /** Whether the first key reads it, another one, or none. */
  stateOf(sealed: Sealed): 'current' | 'older' | 'unreadable' {
    const opened = this.open(sealed);
    if (opened === undefined) return 'unreadable';
    return opened.key === this.keys[0] ? 'current' : 'older';
  }

  /** The same text with the first key, as it is to be stored. */
  renewed(sealed: Sealed): Sealed {
    const text = this.decrypt(sealed);
    return typeof sealed === 'string' ? this.encryptToText(text) : this.encrypt(text);
  }

  private open(sealed: Sealed): { text: string; key: KeyObject } | undefined {
    const bytes = typeof sealed === 'string' ? Buffer.from(sealed.slice(ENCRYPTED.length), 'base64') : sealed;
    for (const key of this.keys) {
      const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      const text = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8');
      try {
        return { text: text + decipher.final('utf8'), key };
      } catch {
        // Another key's: its tag does not fit.
      }
    }
    return undefined;
  }
}

interface Settings {
  readonly encryptionKey?: string | undefined;
  readonly decryptionKeys: readonly string[];
}

import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, randomBytes } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Config } from '../config.js';
import { Database } from '../database/database.js';
import { EncryptionKeyRecord } from './encryption-key.record.js';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** For what is stored and must not be read from a backup, a log or a replica: AES-256-GCM. */
@Injectable()
export class Encryption implements OnModuleInit {
  /** A key object: with bytes each use takes four times as long. */
  private key = createSecretKey(Buffer.alloc(32));

  constructor(
    private readonly database: Database,
    private readonly config: Config,
  ) {}

  /** The key is made of what the database keeps and, where it is set, of a setting that the database does not know. */
  async onModuleInit(): Promise<void> {
    const { key } = await this.database.repository(EncryptionKeyRecord).findOneByOrFail({ id: 1 });
    const bytes = hkdfSync('sha256', key, this.config.encryptionKey ?? '', 'tillgate', 32);
    this.key = createSecretKey(Buffer.from(bytes));
  }

  encrypt(text: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.key, nonce);
    return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  }

  /** Throws when it was encrypted with another key, or changed since. */
  decrypt(sealed: Buffer): string {
    const decipher = createDecipheriv(CIPHER, this.key, sealed.subarray(0, NONCE_BYTES));
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
    return decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
  }
}

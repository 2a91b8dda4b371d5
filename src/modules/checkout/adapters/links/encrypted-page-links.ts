import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  timingSafeEqual,
} from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../../../persistence/database.js';
import { PublicUrl } from '../../../../request/public-url.js';
import { idOf, modeOf, ORGANIZATION_ID, uuidOf } from '../../../../shared/id.js';
import { ownId } from '../../../../shared/own-id.js';
import { type PageLink, PageLinks } from '../../application/ports.js';
import { CHECKOUT_SESSION_ID } from '../../domain/checkout-session.js';

const SECRET = {
  name: 'checkout.page_secret',
  text: 'SELECT secret FROM page_secrets WHERE id = 1',
};
/** A token consists of the seal, one byte for the mode and two UUIDs. */
const SEAL_BYTES = 16;
const TOKEN_BYTES = SEAL_BYTES + 1 + 16 + 16;
const MODES = ['test', 'live'] as const;

/**
 * Encrypts links deterministically and with authentication, as in RFC 5297: the seal, 128 bits of
 * an HMAC, is also the initial counter. No token is stored.
 */
@Injectable()
export class EncryptedPageLinks extends PageLinks implements OnModuleInit {
  /** The keys are key objects, because creating one from bytes takes longer than using it. */
  private sealing = createSecretKey(Buffer.alloc(32));
  private encrypting = createSecretKey(Buffer.alloc(32));

  constructor(
    private readonly database: Database,
    private readonly publicUrl: PublicUrl,
  ) {
    super();
  }

  async onModuleInit(): Promise<void> {
    const [{ secret }] = (await this.database.read({ queue: SECRET.name }, SECRET, [])) as [
      { secret: Buffer },
    ];
    const keys = Buffer.from(hkdfSync('sha512', secret, '', 'tillgate page', 64));
    this.sealing = createSecretKey(keys.subarray(0, 32));
    this.encrypting = createSecretKey(keys.subarray(32));
  }

  urlOf(organization: string, session: string): string | undefined {
    if (this.publicUrl.value === undefined) return undefined;
    const mode = MODES.indexOf(modeOf(session)).toString(16).padStart(2, '0');
    const content = Buffer.from(mode + uuidOf(organization) + uuidOf(session), 'hex');
    const seal = this.sealOf(content);
    const encrypted = createCipheriv('aes-256-ctr', this.encrypting, seal).update(content);
    return this.urlWith(Buffer.concat([seal, encrypted]).toString('base64url'));
  }

  read(token: string): PageLink | undefined {
    if (this.publicUrl.value === undefined) return undefined;
    const bytes = Buffer.from(token, 'base64url');
    // Only the exact text that urlOf() made is accepted, because the decoder ignores invalid
    // characters.
    if (bytes.length !== TOKEN_BYTES || bytes.toString('base64url') !== token) return undefined;
    const seal = bytes.subarray(0, SEAL_BYTES);
    const content = createDecipheriv('aes-256-ctr', this.encrypting, seal).update(
      bytes.subarray(SEAL_BYTES),
    );
    if (!timingSafeEqual(seal, this.sealOf(content))) return undefined;
    const mode = MODES[content[0] as number] as (typeof MODES)[number];
    const organization = idOf(ORGANIZATION_ID, content.toString('hex', 1, 17));
    const caller = { organization, mode };
    const session = ownId(caller, idOf(CHECKOUT_SESSION_ID, content.toString('hex', 17), mode));
    return { caller, session, url: this.urlWith(token) };
  }

  private urlWith(token: string): string {
    return `${this.publicUrl.value}/c/${token}`;
  }

  private sealOf(content: Buffer): Buffer {
    return createHmac('sha256', this.sealing).update(content).digest().subarray(0, SEAL_BYTES);
  }
}

import type { Encryption } from '../../../../encryption/encryption.js';

/** The columns for activeSecrets, of either table of endpoints. */
export const SECRETS = `secret, previous_secret AS previous,
  (extract(epoch FROM previous_secret_expires_at) * 1000)::bigint AS "previousExpiresAt"`;

export interface SealedSecrets {
  readonly secret: Buffer;
  readonly previous: Buffer | null;
  readonly previousExpiresAt: number | null;
}

/** The secrets that sign at `now` (milliseconds), the current one first. */
export function activeSecrets(
  encryption: Encryption,
  { secret, previous, previousExpiresAt }: SealedSecrets,
  now: number,
): readonly string[] {
  const overlaps = previous !== null && previousExpiresAt !== null && previousExpiresAt > now;
  return [secret, ...(overlaps ? [previous] : [])].map((sealed) => encryption.decrypt(sealed));
}

import type { Client } from 'pg';
import { encryptedColumns, type Look, valuesIn } from '../../../encryption/encrypted-columns.js';
import { Encryption, STORED_KEY } from '../../../encryption/encryption.js';
import type { Config } from '../../../platform/config.js';
import { type Finding, fail, ok, warn } from './finding.js';

/** Which keys decrypt the stored secrets. Stored responses are not checked, because they expire. */
export async function secrets(client: Client, config: Config): Promise<Finding> {
  const { rows } = await client.query<{ key: Buffer }>(STORED_KEY.text);
  const encryption = new Encryption(rows[0]?.key ?? Buffer.alloc(0), config);
  const read: Look = async ({ text }, values) => (await client.query(text, [...values])).rows;
  const found = { current: 0, older: 0, unreadable: 0 };
  for (const column of encryptedColumns().filter(({ expires }) => !expires)) {
    for await (const { sealed } of valuesIn(column, read)) found[encryption.stateOf(sealed)] += 1;
  }
  const { current, older, unreadable } = found;
  if (unreadable > 0) {
    const advice = 'Set the key that they were stored under as ENCRYPTION_KEY, or among DECRYPTION_KEYS.';
    return fail('secrets', `No key reads ${unreadable} stored secrets.`, advice);
  }
  if (older === 0) return ok('secrets', `The current key reads all ${current} stored secrets.`);
  const advice = 'Run `node dist/src/operator/cli/cli.js reencrypt`, and only then remove a key from DECRYPTION_KEYS.';
  return warn('secrets', `${older} of ${older + current} stored secrets are under an older key.`, advice);
}

import { listOf } from '../../../../request/list.view.js';
import {
  constant,
  id,
  list,
  MODE,
  nullable,
  ORGANIZATION,
  object,
  oneOf,
  text,
  timestamp,
  type ValueOf,
} from '../../../../request/schema.js';
import { type Mode, RIGHTS } from '../../../../shared/caller.js';
import { createdAt } from '../../../../shared/id.js';
import type { IssuedApiKey } from '../../application/manage-api-keys.js';
import { API_KEY_ID, type ApiKey, OWNED_KINDS } from '../../domain/api-key.js';

const FIELDS = {
  id: id(API_KEY_ID, 'ID of the key.'),
  object: constant('api_key', 'Object type.'),
  organization: ORGANIZATION,
  kind: oneOf(OWNED_KINDS, 'Whether its rights are restricted.'),
  mode: MODE,
  rights: list(oneOf(RIGHTS, 'Right.'), 'What a restricted key may do besides reading.'),
  holder: text('Who uses it, a person or a program.', { examples: ['Web shop'] }),
  prefix: text('The first characters of the key.', { examples: ['sk_test_7Yk2'] }),
  origins: list(text('Origin.', { examples: ['https://shop.example'] }), 'Browser origins that may use it.'),
  expires_at: nullable(timestamp('When it expires, in Unix seconds.')),
  revoked_at: nullable(timestamp('When it was revoked, in Unix seconds.')),
  last_used_at: nullable(timestamp('When it was last used, in Unix seconds, to the hour.')),
  created: timestamp('Time of creation, in Unix seconds.'),
};

export const API_KEY = object(FIELDS, { name: 'ApiKey', description: 'A key of an organization.' });
export const API_KEY_LIST = listOf('ApiKeyList', API_KEY);
export const API_KEY_WITH_KEY = object(
  { ...FIELDS, key: text('The key. Returned only here.', { examples: [`sk_test_7Yk2${'x'.repeat(34)}`] }) },
  { name: 'ApiKeyWithKey', description: 'A new key of an organization, with what is sent to authenticate.' },
);

export function apiKeyView({ state }: ApiKey): ValueOf<typeof API_KEY> {
  return {
    id: state.id,
    object: 'api_key',
    organization: state.organization as string,
    kind: state.kind as (typeof OWNED_KINDS)[number],
    mode: state.mode as Mode,
    rights: state.rights,
    holder: state.holder,
    prefix: state.display,
    origins: state.origins,
    expires_at: seconds(state.expiresAt),
    revoked_at: seconds(state.revokedAt),
    last_used_at: seconds(state.lastUsedAt),
    created: createdAt(state.id),
  };
}

export function withKeyView({ key, token }: IssuedApiKey): ValueOf<typeof API_KEY_WITH_KEY> {
  return { ...apiKeyView(key), key: token };
}

const seconds = (instant: number | null) => instant && Math.floor(instant / 1000);

import type { ErrorCode } from '../shared/errors.js';

export const IDEMPOTENCY_KEY_IN_USE: ErrorCode = {
  code: 'idempotency_key_in_use',
  kind: 'busy',
  meaning: 'The first request with this key is still running. Repeat the request after `Retry-After`.',
};

export const IDEMPOTENCY_KEY_REUSED: ErrorCode = {
  code: 'idempotency_key_reused',
  kind: 'key_reused',
  meaning: 'The key was used for another request. Send this request with a new key.',
};

export const IDEMPOTENCY_ERRORS: readonly ErrorCode[] = [IDEMPOTENCY_KEY_IN_USE, IDEMPOTENCY_KEY_REUSED];

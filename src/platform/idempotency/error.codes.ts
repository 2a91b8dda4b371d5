import type { ErrorCode } from '../../shared/errors.js';

export const IDEMPOTENCY_KEY_IN_USE: ErrorCode = {
  code: 'idempotency_key_in_use',
  kind: 'busy',
  meaning: 'The first request with this key has not finished. Send the same again after `Retry-After`.',
};

export const IDEMPOTENCY_KEY_REUSED: ErrorCode = {
  code: 'idempotency_key_reused',
  kind: 'key_reused',
  meaning: 'This key already stands for another request. Send this one under a new key.',
};

export const IDEMPOTENCY_ERRORS: readonly ErrorCode[] = [IDEMPOTENCY_KEY_IN_USE, IDEMPOTENCY_KEY_REUSED];

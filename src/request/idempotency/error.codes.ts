import { type ErrorCode, paramError, Refusal } from '../../shared/errors.js';

const IDEMPOTENCY_KEY_IN_USE: ErrorCode = {
  code: 'idempotency_key_in_use',
  kind: 'busy',
  meaning: 'The first request with this key is still running. Repeat the request after `Retry-After`.',
};

const IDEMPOTENCY_KEY_REUSED: ErrorCode = {
  code: 'idempotency_key_reused',
  kind: 'key_reused',
  meaning: 'The key was used for another request. Send this request with a new key.',
};

export const IDEMPOTENCY_ERRORS: readonly ErrorCode[] = [IDEMPOTENCY_KEY_IN_USE, IDEMPOTENCY_KEY_REUSED];

export function keyReused(): Refusal {
  const message = 'This idempotency key was used for another request.';
  return new Refusal(IDEMPOTENCY_KEY_REUSED, message, [paramError('Idempotency-Key', 'invalid_value', message)]);
}

export function inUse(Kind = Refusal): Refusal {
  const message = 'A request with this idempotency key is still running.';
  return new Kind(IDEMPOTENCY_KEY_IN_USE, message, [paramError('Idempotency-Key', 'invalid_value', message)]);
}

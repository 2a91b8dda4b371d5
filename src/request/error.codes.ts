import { type ErrorCode, INVALID_PARAM, NOT_FOUND, SERVICE_UNAVAILABLE } from '../shared/errors.js';

export const METHOD_NOT_ALLOWED: ErrorCode = {
  code: 'method_not_allowed',
  kind: 'wrong_method',
  meaning: 'The route does not support this method. `Allow` lists the methods it supports.',
};

export const PAYLOAD_TOO_LARGE: ErrorCode = {
  code: 'payload_too_large',
  kind: 'too_large',
  meaning: 'The body is too large. Send a smaller one.',
};

export const UNSUPPORTED_MEDIA_TYPE: ErrorCode = {
  code: 'unsupported_media_type',
  kind: 'unsupported',
  meaning: 'The body is not plain JSON in UTF-8. Send `application/json`.',
};

export const INTERNAL_ERROR: ErrorCode = {
  code: 'internal_error',
  kind: 'fault',
  meaning: 'The service failed. Repeat the request with the same idempotency key.',
};

export const HTTP_ERRORS: readonly ErrorCode[] = [
  INVALID_PARAM,
  NOT_FOUND,
  METHOD_NOT_ALLOWED,
  PAYLOAD_TOO_LARGE,
  UNSUPPORTED_MEDIA_TYPE,
  INTERNAL_ERROR,
  SERVICE_UNAVAILABLE,
];

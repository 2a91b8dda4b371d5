import { invalidParams, paramError } from '../../shared/errors.js';
import { pathOf } from './errors.js';

/** Refuses a query that is not percent-encoded UTF-8 (RFC 3986): its parser would keep the bytes it cannot decode. */
export function requireEncoded(url: string): true {
  const query = url.slice(pathOf(url).length + 1);
  if (isEncoded(query)) return true;
  const malformed = query.split('&').find((pair) => !isEncoded(pair));
  const [name = ''] = malformed?.split('=') ?? [];
  throw invalidParams([paramError(name, 'invalid_format', 'The query must be percent-encoded UTF-8.')]);
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

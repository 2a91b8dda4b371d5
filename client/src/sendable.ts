/**
 * Checks what a caller gives before it is sent. Anything else is a TypeError at once: it would be
 * changed on its way, or `fetch` would report a fault of the network.
 */
interface Options {
  readonly baseUrl: string;
  readonly key: string;
  readonly maxRetries?: number | undefined;
  readonly timeoutMs?: number | undefined;
  readonly fetch?: unknown;
}

/** A timer of Node ends at once if its time is longer. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/** No message has the key. */
export function requireSendable({ baseUrl, key, maxRetries, timeoutMs, fetch }: Options): void {
  if (typeof key !== 'string' || !/^[!-~]+$/.test(key))
    throw new TypeError('key must be one key, of visible ASCII characters without a line break.');
  const { protocol, username, password } = new URL(baseUrl);
  // A question mark without a query would be the end of the path, too.
  const isBare = username + password === '' && !/[\s?#]/.test(baseUrl);
  if (!/^https?:$/.test(protocol) || !isBare)
    throw new TypeError(
      'baseUrl must begin with https:// or http://, and have no user information, query or fragment.',
    );
  if (maxRetries !== undefined && !(typeof maxRetries === 'number' && maxRetries >= 0))
    throw new TypeError('maxRetries must be a number from 0 on.');
  if (timeoutMs !== undefined && !isTimeout(timeoutMs))
    throw new TypeError(`timeoutMs must be a whole number from 1 to ${LONGEST_TIMEOUT_MS}.`);
  if (fetch !== undefined && typeof fetch !== 'function')
    throw new TypeError('fetch must be a function.');
}

const isTimeout = (time: number) =>
  Number.isInteger(time) && time >= 1 && time <= LONGEST_TIMEOUT_MS;

/**
 * Returns the ID as a part of a path. An empty ID or dots would make the path of another resource.
 */
export function pathPart(id: string): string {
  if (isText(id) && !/^\.{0,2}$/.test(id)) return encodeURIComponent(id);
  throw new TypeError('The ID cannot be sent: it is no text, or names no resource.');
}

/** Returns the value of a filter. */
export function inQuery(name: string, value: string | number): string {
  if (isText(value) || Number.isFinite(value)) return String(value);
  throw unsendable(name, 'it is neither a text nor a number');
}

/**
 * Returns the value of a header with one character for each byte. `fetch` removes spaces at its
 * ends, and sends null as the text "null", which would be one key for all calls.
 */
export function inHeader(name: string, value: string): string {
  const isHeader = /^[!-~\x80-\xff](?:[\t -~\x80-\xff]*[!-~\x80-\xff])?$/;
  if (typeof value === 'string' && isHeader.test(value)) return value;
  throw unsendable(name, 'it is no text, is empty, or has spaces at its ends or such characters');
}

/** Returns a text of any script as the value of a header. */
export function inUtf8(name: string, text: string): string {
  if (!isText(text)) return inHeader(name, '');
  const bytes = new TextEncoder().encode(text);
  return inHeader(name, Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

/**
 * Returns the body as JSON. JSON.stringify() alone makes null of NaN and of an invalid date, and
 * null means "never" or "for ever" in some fields.
 */
export function inJson(body: unknown): string {
  return JSON.stringify(body, function (this: Record<string, unknown>, name, value: unknown) {
    if (!isJson(this[name], value, Array.isArray(this)) || !name.isWellFormed())
      throw unsendable(name || 'The body', 'JSON cannot hold its value');
    return value;
  });
}

/** Tells whether JSON holds what was given. `value` is what its method toJSON() made of it. */
function isJson(given: unknown, value: unknown, isInList: boolean): boolean {
  if (value === undefined) return given === undefined && !isInList;
  if (value === null) return given === null;
  if (value instanceof Map || value instanceof Set) return false;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value === 'string') return value.isWellFormed();
  return typeof value !== 'function' && typeof value !== 'symbol';
}

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.isWellFormed();

const unsendable = (name: string, why: string) => new TypeError(`${name} cannot be sent: ${why}.`);

/** Tells whether `fetch` refused to call a port that belongs to another protocol. */
export function isBlockedPort(error: unknown): boolean {
  const { cause } = Object(error) as { readonly cause?: unknown };
  const { message } = Object(cause) as { readonly message?: unknown };
  return message === 'bad port';
}

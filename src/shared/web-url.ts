/**
 * No placeholder is part of the host, encoded or not. `new URL()` drops white space and reads "\"
 * as "/", unlike other programs.
 */
const FORM = /^https?:\/\/(?:(?!%7[bd])[^\s\\/?#{}])+(?:[/?#][^\s\\]*)?$/i;
const PLACEHOLDER = /\{([A-Z_]+)\}|%7[Bb]([A-Z_]+)%7[Dd]/g;
/** Matches a literal brace, with the text that it begins and the end of a pair. */
const BRACE = /\{[^{}%]{0,40}(?:\}|%7D)?|%7B[^{}%]{0,40}\}|\}/i;
/**
 * Encoded braces around a name are a misspelt placeholder. Around anything else, such as JSON, they
 * are the shop's own.
 */
const ENCODED_NAME = /%7B(?:%20|\+)*_*[a-z][\w.]*(?:-[a-z_]+)*(?:%20|\+)*%7D/i;
const ENCODED_TWICE = /%7B%7B[a-z_]+%7D%7D/i;

const isAnyUrl = (text: string): boolean => FORM.test(text) && URL.canParse(text);

export const hasUser = (url: string): boolean => /^[^/]*\/\/[^/?#{}]*@/.test(url);

export const isHttpUrl = (text: string): boolean => isAnyUrl(text) && !hasUser(text);

const LOCAL_HOSTS = ['localhost', '127.0.0.1', '[::1]'];

export function isHttpsOrLocal(url: string): boolean {
  return /^https:/i.test(url) || LOCAL_HOSTS.includes(new URL(url).hostname);
}

/** Returns host and port as the URL has them, in lower case. */
export function hostOf(url: string): string {
  return (/:\/\/(?:[^/?#]*@)?([^/?#]+)/.exec(url)?.[1] ?? '').toLowerCase();
}

/** Tells whether a text is an origin as browsers send it (RFC 6454). `null` is none. */
export const isOrigin = (text: string): boolean =>
  URL.canParse(text) && new URL(text).origin === text && text !== 'null';

/** Servers and proxies commonly accept a request line, and a Location header, of 8 KiB. */
export const MAX_FILLED = 8_000;

type Values = Readonly<Record<string, string>>;

/**
 * Returns the URL with these placeholders replaced, as a Location header takes it: absolute and
 * ASCII. Returns undefined if it would be longer than MAX_FILLED, or is no URL. A URL that was
 * accepted with the longest values makes one with all others.
 */
export function filledUrl(url: string, values: Values): string | undefined {
  if (!isAnyUrl(url)) return undefined;
  const { href } = new URL(replaced(url, (name) => values[name]));
  return href.length <= MAX_FILLED ? href : undefined;
}

/**
 * Returns the fault of a URL with literal braces, or encoded ones around a name, that are no
 * placeholder. The fault is the end of a sentence; it is undefined if there is none.
 */
export function placeholderFault(url: string, values: Values): string | undefined {
  const rest = replaced(url, (name) => values[name] && '');
  const [brace] = BRACE.exec(rest) ?? ENCODED_NAME.exec(rest) ?? ENCODED_TWICE.exec(url) ?? [];
  if (brace === undefined) return undefined;
  const known = Object.keys(values).map((name) => `{${name}}`);
  return `must not contain ${brace}: it may contain ${known.join(', ')} and no other braces`;
}

/** URL libraries percent-encode the braces of a placeholder. */
function replaced(url: string, valueFor: (name: string) => string | undefined): string {
  return url.replaceAll(
    PLACEHOLDER,
    (text, plain?: string, encoded = '') => valueFor(plain ?? encoded) ?? text,
  );
}

/** A placeholder never chooses the host. `new URL()` drops white space and reads "\" as "/", which other programs do not. */
const FORM = /^https?:\/\/[^\s\\/?#{}]+(?:[/?#][^\s\\]*)?$/i;

export const isHttpUrl = (text: string): boolean => FORM.test(text) && URL.canParse(text);

/** Servers and proxies commonly accept a request line, and a Location header, of 8 KiB. */
export const MAX_FILLED = 8_000;

/**
 * The URL with these placeholders replaced, as a Location header takes it: absolute and ASCII. Undefined if it would be
 * longer than MAX_FILLED, or is none. A URL that was accepted with the longest values makes one with all others.
 */
export function filledUrl(url: string, values: Readonly<Record<string, string>>): string | undefined {
  if (!isHttpUrl(url)) return undefined;
  const { href } = new URL(
    url.replaceAll(/\{([A-Z_]+)\}/g, (placeholder, name: string) => values[name] ?? placeholder),
  );
  return href.length <= MAX_FILLED ? href : undefined;
}

/**
 * This is a caller of the tools. Over stdio the environment names it, and over HTTP the headers of
 * each request do.
 */
export interface Caller {
  readonly key: string;
  /** The person for whom the agent works. */
  readonly actor: string | undefined;
  /** This is the holder of the key. If it is given, only refunds that it proposed are canceled. */
  readonly holder: string | undefined;
}

const KEY = /^rk_(?:test|live)_[0-9A-Za-z]+$/;

export const isRestrictedKey = (text: string): boolean => KEY.test(text);

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Reads the names in the headers as Tillgate does: as UTF-8, or as Latin-1 where they are not
 * UTF-8.
 */
export function callerOf(key: string, headers: Headers): Caller {
  const nameIn = (header: string) => textOf(headers.get(header) ?? '') || undefined;
  return { key, actor: nameIn('tillgate-actor'), holder: nameIn('tillgate-holder') };
}

function textOf(value: string): string {
  try {
    return UTF8.decode(Buffer.from(value, 'latin1'));
  } catch {
    return value;
  }
}

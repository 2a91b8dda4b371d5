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

/** Reads the names in the headers as UTF-8, as Tillgate does. */
export function callerOf(key: string, headers: Headers): Caller {
  const nameIn = (header: string) =>
    Buffer.from(headers.get(header) ?? '', 'latin1').toString('utf8') || undefined;
  return { key, actor: nameIn('tillgate-actor'), holder: nameIn('tillgate-holder') };
}

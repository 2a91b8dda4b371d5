/** Whose calls these are: the environment says so over stdio, and the caller's own headers over HTTP. */
export interface Caller {
  readonly key: string;
  /** The person for whom the agent works. */
  readonly actor: string | undefined;
  /** The holder of the key. Given, only what it proposed is canceled. */
  readonly holder: string | undefined;
}

const KEY = /^rk_(?:test|live)_[0-9A-Za-z]+$/;

export const isRestrictedKey = (text: string): boolean => KEY.test(text);

/** Names are sent as UTF-8, one character a byte, as Tillgate takes them. */
export function callerOf(key: string, headers: Headers): Caller {
  const nameIn = (header: string) =>
    Buffer.from(headers.get(header) ?? '', 'latin1').toString('utf8') || undefined;
  return { key, actor: nameIn('tillgate-actor'), holder: nameIn('tillgate-holder') };
}

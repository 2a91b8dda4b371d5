export interface Finding {
  readonly name: string;
  /** `fail` causes errors now; `warn` may cause them later. */
  readonly status: 'ok' | 'warn' | 'fail';
  readonly found: string;
  readonly advice: string | null;
}

export function ok(name: string, found: string): Finding {
  return { name, status: 'ok', found, advice: null };
}

export function warn(name: string, found: string, advice: string): Finding {
  return { name, status: 'warn', found, advice };
}

export function fail(name: string, found: string, advice: string): Finding {
  return { name, status: 'fail', found, advice };
}

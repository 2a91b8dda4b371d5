export interface Finding {
  readonly name: string;
  /** `fail` causes errors now; `warn` may cause them later. */
  readonly status: 'ok' | 'warn' | 'fail';
  readonly found: string;
  readonly advice: string | null;
}

const finding = (status: Finding['status']) => {
  return (name: string, found: string, advice: string): Finding => ({
    name,
    status,
    found,
    advice,
  });
};
export const warn = finding('warn');
export const fail = finding('fail');
export const ok = (name: string, found: string): Finding => ({
  name,
  status: 'ok',
  found,
  advice: null,
});

/** A placeholder is `${name}` in any string of a case. */
export type Values = Readonly<Record<string, unknown>>;

const WHOLE = /^\$\{(\w+)\}$/;
const INSIDE = /\$\{(\w+)\}/g;
/** `${k*256}` stands for the character before the asterisk, that many times. */
const REPEATED = /\$\{(.)\*(\d+)\}/gsu;

/**
 * Returns the value with every placeholder in it replaced. A placeholder that is the whole string
 * keeps the type of its value.
 */
export function resolve(value: unknown, values: Values): unknown {
  if (typeof value === 'string') return resolveText(value, values);
  if (Array.isArray(value)) return value.map((item) => resolve(item, values));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [resolveName(key, values), resolve(item, values)]),
  );
}

function resolveText(text: string, values: Values): unknown {
  const whole = WHOLE.exec(text)?.[1];
  return whole === undefined ? resolveName(text, values) : valueNamed(whole, values);
}

function resolveName(text: string, values: Values): string {
  if (!text.includes('${')) return text;
  return text
    .replaceAll(INSIDE, (_, name: string) => asText(valueNamed(name, values)))
    .replaceAll(REPEATED, (_, character: string, count: string) => character.repeat(Number(count)));
}

function valueNamed(name: string, values: Values): unknown {
  if (Object.hasOwn(values, name)) return values[name];
  throw new Error(`The case uses \${${name}}, and no earlier step captured it.`);
}

function asText(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

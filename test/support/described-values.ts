/** These functions read values as docs/openapi.json describes them. */

// biome-ignore lint/suspicious/noExplicitAny: a document is walked by name, and a missing member is undefined.
export type Node = any;

/** Returns the value that a JSON pointer (RFC 6901) names. */
export function valueAt(pointer: string, value: Node): Node {
  const steps = pointer.split('/').slice(1);
  const names = steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  return names.reduce((inside, name) => inside?.[name], value);
}

export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** Returns the text of a header, whose value has a character for each byte of UTF-8. */
export function textOf(value: string | null): string | null {
  return value === null ? null : Buffer.from(value, 'latin1').toString();
}

/** Converts a parameter or header, which is text even where it means a number. */
export function typed({ type }: Node, value: string): unknown {
  return type === 'integer' && /^\d+$/.test(value) ? Number(value) : value;
}

/** Returns the JSON in a text, or undefined. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Closes every object, so that it knows all of its fields. Parts of an allOf that only narrow
 * another part have no type and stay open.
 */
export function closed(node: Node): Node {
  if (Array.isArray(node)) return node.map(closed);
  if (typeof node !== 'object' || node === null) return node;
  const parts = Object.fromEntries(
    Object.entries(node).map(([name, value]) => [name, closed(value)]),
  );
  const isOpen =
    node.type === 'object' && node.properties && node.additionalProperties === undefined;
  return isOpen ? { ...parts, unevaluatedProperties: false } : parts;
}

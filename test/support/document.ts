/**
 * Reads the committed OpenAPI description. Shared parameters, responses and examples stand in their
 * places, and schemas stay references.
 */
import { readFileSync } from 'node:fs';

// biome-ignore lint/suspicious/noExplicitAny: a document is walked by name, and a missing member is undefined.
type Node = any;

const WRITTEN: Node = JSON.parse(readFileSync('docs/openapi.json', 'utf8'));
const SHARED = /^#\/components\/(parameters|responses|examples)\/(\w+)$/;

function inPlace(node: Node): Node {
  if (Array.isArray(node)) return node.map(inPlace);
  if (typeof node !== 'object' || node === null) return node;
  const [, kind, name] = SHARED.exec(node.$ref) ?? [];
  if (kind && name) return inPlace(WRITTEN.components[kind][name]);
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, inPlace(value)]));
}

export const DOCUMENT = inPlace(WRITTEN);

/**
 * The examples of operations and events are in examples/<module>.ts, by operationId or type of
 * event.
 */
import { readdirSync } from 'node:fs';
import type { Json } from './examples.js';

interface OperationExamples {
  readonly body?: unknown;
  /**
   * These values replace values of the schema's own examples. In a list, they replace values of
   * each entry.
   */
  readonly answer?: Json;
  /**
   * These functions run the domain on sample input. What a function throws or returns is the
   * example of its error code.
   */
  readonly refusals?: readonly (() => unknown)[];
}

export type Examples = Readonly<Record<string, OperationExamples>>;

const FILES = readdirSync(new URL('examples', import.meta.url)).filter((file) =>
  file.endsWith('.js'),
);
const modules = FILES.map(
  async (file) => (await import(`./examples/${file}`)) as { EXAMPLES: Examples },
);

const all: Examples = Object.assign(
  {},
  ...(await Promise.all(modules)).map(({ EXAMPLES }) => EXAMPLES),
);

export const examplesOf = (name: string): OperationExamples => all[name] ?? {};

import { isDeepStrictEqual } from 'node:util';
import type { Declarations } from '../../src/platform/module-declaration.js';
import { ErrorResponses } from '../../src/request/errors.js';
import { NAME, referenceTo, type Schema } from '../../src/request/schema.js';
import type { RequestClass } from '../../src/request/validation/constraints.js';
import { RequestPipe } from '../../src/request/validation/validation.js';
import { PARAMETERS } from './about.js';
import { exampleOf, type Json } from './examples.js';
import { objectSchema, shownSchema } from './request-schema.js';

export type { Json };

export type Response = {
  readonly description: string;
  readonly headers: Json;
  readonly content: {
    readonly 'application/json': { readonly schema: Json; readonly examples: Json };
  };
};

export class Components {
  readonly errors: ErrorResponses;
  readonly requests: RequestPipe;
  readonly schemas: Record<string, Json> = {};
  readonly responses: Record<string, Response> = {};
  readonly examples: Record<string, Json> = {};
  readonly parameters: Record<string, Json> = { ...PARAMETERS };

  constructor(readonly declarations: Declarations) {
    this.errors = new ErrorResponses(declarations);
    this.requests = new RequestPipe(declarations);
  }

  schema(schema: Schema): Json {
    if (schema instanceof Function) return this.schema(schema(this.declarations));
    const name = schema[NAME];
    if (name === undefined) return this.inside(schema);
    this.schemas[name] ??= this.inside(schema);
    return { $ref: referenceTo(name) };
  }

  /** Returns the schema without an example where `difference` is null. */
  content(schema: Schema, difference: Json | null | undefined): Json {
    const shown = this.schema(schema);
    const value = difference === null ? undefined : exampleOf(shown, this.schemas, difference);
    if (value === undefined) return { schema: shown };
    const name = difference || schema instanceof Function ? undefined : schema[NAME];
    return {
      schema: shown,
      examples: { typical: name ? this.example(name, { value }) : { value } },
    };
  }

  example(name: string, example: Json): Json {
    return { $ref: `#/components/examples/${placed(this.examples, name, example)}` };
  }

  parameter(parameter: Json): Json {
    const name = pascalCase(`${parameter.in}-${parameter.name}`);
    return { $ref: `#/components/parameters/${placed(this.parameters, name, parameter)}` };
  }

  /**
   * A response that several operations share shows every example that any of them shows. Of
   * examples with one name, the first one is shown.
   */
  response(name: string, response: Response): Json {
    const { headers, content } = this.responses[name] ?? response;
    const examples = {
      ...response.content['application/json'].examples,
      ...content['application/json'].examples,
    };
    this.responses[name] = {
      ...response,
      headers: { ...response.headers, ...headers },
      content: { 'application/json': { ...content['application/json'], examples } },
    };
    return { $ref: `#/components/responses/${name}` };
  }

  request(request: RequestClass): Json {
    const { name } = request;
    this.schemas[name] ??= objectSchema(request, this.declarations, (field) =>
      shownSchema(field, (nested) => this.request(nested)),
    );
    return { $ref: referenceTo(name) };
  }

  private inside(schema: Schema): Json {
    const seen = Object.entries(schema).map(([keyword, value]) => [keyword, this.value(value)]);
    return Object.fromEntries(seen);
  }

  private value(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.value(item));
    return typeof value === 'function' || (typeof value === 'object' && value !== null)
      ? this.schema(value as Schema)
      : value;
  }
}

export const pascalCase = (name: string): string =>
  name.replaceAll(/(?:^|[-_])([a-z])/g, (_, letter: string) => letter.toUpperCase());

/**
 * Returns the name under which the part stands once in the document. It has a number if other parts
 * of its name differ.
 */
function placed(parts: Record<string, Json>, name: string, part: Json, number = 1): string {
  const place = number === 1 ? name : `${name}${number}`;
  parts[place] ??= part;
  return isDeepStrictEqual(parts[place], part) ? place : placed(parts, name, part, number + 1);
}

import type { Facts } from '../../src/platform/facts.js';
import { ErrorResponses } from '../../src/platform/http/errors.js';
import { NAME, referenceTo, type Schema } from '../../src/platform/http/schema.js';
import type { RequestClass } from '../../src/validation/constraints.js';
import { RequestPipe } from '../../src/validation/validation.js';
import { exampleOf, type Json } from './examples.js';
import { objectSchema, shownSchema } from './request-schema.js';

export type { Json };

export class Components {
  readonly errors: ErrorResponses;
  readonly requests: RequestPipe;
  readonly schemas: Record<string, Json> = {};
  readonly responses: Record<string, Json> = {};

  constructor(readonly facts: Facts) {
    this.errors = new ErrorResponses(facts);
    this.requests = new RequestPipe(facts);
  }

  schema(schema: Schema): Json {
    if (schema instanceof Function) return this.schema(schema(this.facts));
    const name = schema[NAME];
    if (name === undefined) return this.inside(schema);
    this.schemas[name] ??= this.inside(schema);
    return { $ref: referenceTo(name) };
  }

  content(schema: Schema, difference: Json | undefined): Json {
    const shown = this.schema(schema);
    const value = exampleOf(shown, this.schemas, difference);
    return { schema: shown, ...(value !== undefined && { examples: { typical: { value } } }) };
  }

  request(request: RequestClass): Json {
    const { name } = request;
    this.schemas[name] ??= objectSchema(request, (field) => shownSchema(field, (nested) => this.request(nested)));
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

/** The parts of a document that have a name, gathered while what refers to them is written. */
import type { RequestClass, Rule } from '../http/rules.js';
import { NAME, referenceTo, type Schema } from '../http/schema.js';
import { rulesOf } from '../http/validation.js';

export type Json = Readonly<Record<string, unknown>>;

export class Components {
  readonly schemas: Record<string, Json> = {};
  readonly responses: Record<string, Json> = {};

  /** The schema with every named one inside it, or itself, replaced by a reference. */
  schema(schema: Schema): Json {
    const name = schema[NAME];
    if (name === undefined) return this.inside(schema);
    this.schemas[name] ??= this.inside(schema);
    return { $ref: referenceTo(name) };
  }

  /** A request class as its rules describe it: closed, because a field it does not know is refused. */
  request(request: RequestClass): Json {
    const { name } = request;
    const rules = [...rulesOf(request)];
    const required = rules.filter(([, { optional }]) => !optional).map(([field]) => field);
    this.schemas[name] ??= {
      type: 'object',
      properties: Object.fromEntries(rules.map(([field, rule]) => [field, this.field(rule)])),
      ...(required.length > 0 && { required }),
      additionalProperties: false,
    };
    return { $ref: referenceTo(name) };
  }

  private field({ described, nested }: Rule): Json {
    if (!nested) return described;
    const reference = this.request(nested());
    const { description } = described;
    if (described.type === 'array') return { ...described, items: reference };
    return description === undefined ? reference : { ...reference, description };
  }

  private inside(schema: Schema): Json {
    const seen = Object.entries(schema).map(([keyword, value]) => [keyword, this.value(value)]);
    return Object.fromEntries(seen);
  }

  private value(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.value(item));
    return typeof value === 'object' && value !== null ? this.schema(value as Schema) : value;
  }
}

/** Validates bodies and queries: Ajv, compiled from the decorators, accepts in 1 to 2 µs; class-validator explains faults. */
import { Body, Injectable, Param, type PipeTransform, Query } from '@nestjs/common';
import { Ajv, type ValidateFunction } from 'ajv';
import { plainToInstance } from 'class-transformer';
import { type ValidationError, validateSync } from 'class-validator';
import { Facts } from '../platform/facts.js';
import { invalidParam, invalidParams, type ParamError, paramError } from '../shared/errors.js';
import { type IdKind, isId } from '../shared/id.js';
import {
  application,
  checkedSchema,
  codeOf,
  type Field,
  fieldsOf,
  type Nested,
  objectSchema,
  type RequestClass,
  resolved,
} from './constraints.js';
import { MetadataEntry } from './fields.js';
import { FORMATS } from './formats.js';
import { parseJson } from './json.js';
import { UrlItem, WantedEventItem } from './text-lists.js';

type JsonObject = Readonly<Record<string, unknown>>;

interface PipeMetadata {
  readonly type: 'body' | 'query' | 'param' | 'custom';
  readonly metatype?: unknown;
}

/** Returns the validated value as a plain object, or throws a 400 refusal with all faults. */
@Injectable()
export class RequestPipe implements PipeTransform {
  private readonly checks = new Map<RequestClass, ValidateFunction>();

  constructor(private readonly facts: Facts) {}

  transform(value: unknown, { type, metatype }: PipeMetadata): unknown {
    const plain = type === 'body' ? parseJson(value as Buffer) : value;
    if (this.accepts(metatype as RequestClass, plain)) return plain;
    const errors = this.explain(metatype as RequestClass, plain);
    // class-validator has the last word: what it finds nothing wrong with is valid.
    if (errors.length > 0) throw invalidParams(errors);
    return plain;
  }

  accepts(request: RequestClass, value: unknown): boolean {
    let check = this.checks.get(request);
    if (!check) {
      check = application.run(this.facts, () => ajv.compile(objectSchema(request, checkedSchema)));
      this.checks.set(request, check);
    }
    return check(value);
  }

  /** The faults that class-validator finds, then the unknown fields. Empty if the value is valid. */
  explain(request: RequestClass, value: unknown): ParamError[] {
    return application.run(this.facts, () => faultsOf(request, value));
  }
}

/** The pipe is not global, because Nest creates promises for each pipe of each parameter, and most need no pipe. */
export const ValidBody = (): ParameterDecorator => Body(RequestPipe);
export const ValidQuery = (): ParameterDecorator => Query(RequestPipe);

/** Refuses an `:id` that cannot be an ID of the kind: it is malformed, not unknown. */
export class PathIdPipe implements PipeTransform<string, string> {
  constructor(readonly kind: IdKind) {}

  transform(id: string): string {
    if (isId(this.kind, id)) return id;
    throw invalidParam('id', 'invalid_format', `id must be an identifier that begins with ${this.kind.prefix}_.`);
  }
}

export const PathId = (kind: IdKind): ParameterDecorator => Param('id', new PathIdPipe(kind));

const ajv = new Ajv({ strict: true, allowUnionTypes: true });
for (const [name, check] of Object.entries(FORMATS)) ajv.addFormat(name, { type: 'string', validate: check });

/** Bounds the response: a hostile body of 256 KiB could cause tens of thousands of faults. */
const MAX_ERRORS = 500;

function faultsOf(request: RequestClass, value: unknown): ParamError[] {
  if (!isObject(value)) return [paramError('body', 'invalid_type', 'The body must be a JSON object.')];
  const unknown: string[] = [];
  const instance = plainToInstance(request, knownPart(request, value, '', unknown));
  return [
    ...validateSync(instance, { forbidUnknownValues: false }).flatMap((error) => paramErrors(error, error.property)),
    ...unknown.map((path) => paramError(path, 'unknown_field', `${path} is not a field of this request.`)),
  ].slice(0, MAX_ERRORS);
}

function paramErrors(error: ValidationError, path: string): ParamError[] {
  const { target, property, value, constraints = {}, children = [] } = error;
  const [fault] = Object.entries(constraints);
  if (!fault) return children.flatMap((child) => paramErrors(child, pathBelow(path, child)));
  const [name, message] = fault;
  const allowed = resolved(fieldsOf(target?.constructor as RequestClass).get(property)?.allowed ?? []);
  if (value === undefined) return [paramError(path, 'required', `${path} is required.`, allowed)];
  const code = codeOf(name);
  return [paramError(path, code, `${path} ${message}.`, code === 'invalid_value' ? allowed : [])];
}

function pathBelow(path: string, { target, property, value }: ValidationError): string {
  if (Array.isArray(target)) return value instanceof MetadataEntry ? `${path}.${value.key}` : `${path}[${property}]`;
  const isText = [UrlItem, WantedEventItem, MetadataEntry].some((type) => target instanceof type);
  return isText ? path : `${path}.${property}`;
}

/**
 * The value without undeclared fields, which are added to `unknown`. class-transformer gets only this part: its time is
 * quadratic in the number of names, and it calls a field named `constructor`. Lists are cut to one entry above their maximum.
 */
function knownPart(request: RequestClass, value: JsonObject, path: string, unknown: string[]): JsonObject {
  const below = (name: string) => (path ? `${path}.${name}` : name);
  const fields = fieldsOf(request);
  for (const name of Object.keys(value)) {
    if (!fields.has(name) && unknown.length < MAX_ERRORS) unknown.push(below(name));
  }
  const parts = [...fields].map(([name, field]) => {
    const part = Object.hasOwn(value, name) ? value[name] : undefined;
    return [name, field.nested ? knownParts(field, part, below(name), unknown) : simple(part)];
  });
  return Object.fromEntries(parts);
}

function knownParts({ nested, isOptional, keywords }: Field, value: unknown, path: string, unknown: string[]): unknown {
  const { type, as } = nested as Nested;
  const partOf = (item: unknown, at: string) => (isObject(item) ? knownPart(type(), item, at, unknown) : null);
  if (as === 'object') {
    if (value === undefined) return isOptional ? undefined : partOf({}, path);
    return partOf(value, path);
  }
  const list = as === 'entries' && typeof value === 'object' ? entriesOf(value) : value;
  if (!Array.isArray(list)) return simple(list);
  const maxItems = keywords.maxItems as number;
  if (list.length > maxItems) return Array(maxItems + 1).fill(null);
  if (as === 'list') return list.map((item, index) => partOf(item, `${path}[${index}]`));
  return list.map((item) => (as === 'items' ? { value: simple(item) } : { key: item[0], value: simple(item[1]) }));
}

const entriesOf = (value: unknown) => (isObject(value) ? Object.entries(value) : null);

/** Only the type of an object matters here. JSON.parse reads 1e400 as Infinity, which is to be reported as too large. */
function simple(value: unknown): unknown {
  if (typeof value === 'object' && value !== null) return {};
  return Math.abs(value as number) === Infinity ? Math.sign(value as number) * Number.MAX_VALUE : value;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

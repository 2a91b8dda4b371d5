/** Validates bodies and queries: a quick check accepts; class-validator judges and explains what it does not accept. */
import { type ArgumentMetadata, Body, Injectable, Param, type PipeTransform, Query } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { type ValidationError, validateSync } from 'class-validator';
import { Facts } from '../platform/facts.js';
import { invalidParam, invalidParams, type ParamCode, type ParamError, paramError } from '../shared/errors.js';
import { type IdKind, idInWords, isId } from '../shared/id.js';
import { accepts, type Field, fieldsOf, isObject, type RequestClass, type Rule } from './constraints.js';
import { parseJson } from './json.js';
import { application } from './rules.js';

/** Returns the validated value as a plain object, or throws a 400 refusal with all faults. */
@Injectable()
export class RequestPipe implements PipeTransform {
  constructor(private readonly facts: Facts) {}

  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    const plain = type === 'body' ? parseJson(value as Buffer) : value;
    const request = metatype as RequestClass;
    const errors = this.accepts(request, plain) ? [] : this.explain(request, plain);
    if (errors.length > 0) throw invalidParams(errors);
    return plain;
  }

  accepts(request: RequestClass, value: unknown): boolean {
    return application.run(this.facts, accepts, request, value);
  }

  /** The faults that class-validator finds, then the unknown fields. Empty if the value is valid. */
  explain(request: RequestClass, value: unknown): ParamError[] {
    if (!isObject(value)) return [paramError('body', 'invalid_type', 'The body must be a JSON object.')];
    const unknown: ParamError[] = [];
    const found = application.run(this.facts, judge, request, value, '', unknown);
    return [...found, ...unknown].slice(0, MAX_ERRORS);
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
    throw invalidParam('id', 'invalid_format', `id must be ${idInWords(this.kind)}.`);
  }
}

export const PathId = (kind: IdKind): ParameterDecorator => Param('id', new PathIdPipe(kind));

/** Bounds the response: a hostile body of 256 KiB could cause tens of thousands of faults. */
const MAX_ERRORS = 500;

const faultAt = (path: string, code: ParamCode, message: string, allowed: readonly string[] = []): ParamError =>
  paramError(path, code, `${path} ${message}.`, allowed);

/** Has class-validator judge one object at a time, so that it never sees a list that is too long. Unknown fields are added to `unknown`. */
function judge(request: RequestClass, value: unknown, path: string, unknown: ParamError[]): ParamError[] {
  if (!isObject(value)) return [faultAt(path, 'invalid_type', 'must be an object')];
  const fields = fieldsOf(request);
  const below = (name: string) => (path ? `${path}.${name}` : name);
  const known = [...fields.keys()].join(', ') || 'none';
  for (const name of Object.keys(value)) {
    if (fields.has(name) || unknown.length === MAX_ERRORS) continue;
    unknown.push(faultAt(below(name), 'unknown_field', `is not a field of this request; known here: ${known}`));
  }
  const seen = Object.fromEntries([...fields].map(([name, field]) => [name, seenOf(field, value[name])]));
  const errors = validateSync(plainToInstance(request, seen), { forbidUnknownValues: false });
  return [...fields].flatMap(([name, field]) => {
    const error = errors.find(({ property }) => property === name);
    if (error) return faultsOf(error, field, below(name));
    const { nested, isOptional, most } = field;
    const sent = value[name];
    if (!nested || (sent === undefined && isOptional)) return [];
    if (most === undefined) return judge(nested(), sent === undefined ? {} : sent, below(name), unknown);
    return (sent as unknown[]).flatMap((item, index) => judge(nested(), item, `${below(name)}[${index}]`, unknown));
  });
}

/** The first fault of a field. Of a list of texts, the first one of each: class-validator does not say which of them is wrong. */
function faultsOf({ value, constraints = {} }: ValidationError, { rules, read }: Field, path: string): ParamError[] {
  const broken = ({ name, code, allowed }: Rule, at = path) =>
    faultAt(at, code, constraints[name] as string, allowed());
  const allowed = rules.flatMap((rule) => rule.allowed());
  if (value === undefined) return [faultAt(path, 'required', 'is required', allowed)];
  const first = rules.find(({ name }) => name in constraints) as Rule;
  if (!first.each) return [broken(first)];
  return (value as unknown[]).flatMap((entry, index) => {
    const at = read ? `${path}.${(entry as string[])[0]}` : `${path}[${index}]`;
    const wrong = rules.filter(({ each, fits }) => each && !fits(entry));
    const [ofKey, ofValue] = [true, false].map((isKey) => wrong.find(({ name }) => name.startsWith('key.') === isKey));
    return [ofKey, ofValue].flatMap((rule) => (rule ? broken(rule, at) : []));
  });
}

/** What class-validator sees of a field: of a list one entry more than there may be, of an object that it is one. */
function seenOf({ read, most }: Field, sent: unknown): unknown {
  return bounded(read && sent !== undefined ? read(sent) : sent, most);
}

function bounded(value: unknown, most = 1): unknown {
  if (Array.isArray(value)) return value.slice(0, most + 1).map((item) => bounded(item));
  if (typeof value === 'object' && value !== null) return {};
  // JSON.parse reads 1e400 as Infinity, which is to be reported as too large.
  return Math.abs(value as number) === Infinity ? Math.sign(value as number) * Number.MAX_VALUE : value;
}

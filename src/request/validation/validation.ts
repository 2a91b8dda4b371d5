/**
 * Validates bodies and queries. The decorators of class-validator declare the rules, and one pass
 * over the value that was sent runs them. It takes the place of class-validator's `validate()`,
 * which needs ten times as long for each request (docs/explain/decisions/requests.md).
 */
import {
  type ArgumentMetadata,
  Body,
  createParamDecorator,
  type ExecutionContext,
  Injectable,
  Param,
  type PipeTransform,
  Query,
} from '@nestjs/common';
import { Declarations } from '../../platform/module-declaration.js';
import { invalidParam, invalidParams, type ParamError, paramError } from '../../shared/errors.js';
import { type IdKind, idInWords, isId } from '../../shared/id.js';
import { type KeyedRequest, keyedRequestOf } from '../idempotency/keyed-request.js';
import {
  type Field,
  type Fields,
  fieldsOf,
  isObject,
  type RequestClass,
  type Rule,
} from './constraints.js';
import { parseJson } from './json.js';

/** Returns the validated value as a plain object, or throws a 400 refusal with all faults. */
@Injectable()
export class RequestPipe implements PipeTransform {
  private readonly known = new Map<RequestClass, Fields>();

  constructor(private readonly declarations: Declarations) {}

  transform(value: unknown, { type, metatype, data }: ArgumentMetadata): unknown {
    if (type !== 'custom')
      return this.valid(metatype as RequestClass, type === 'body' ? parseJson(value) : value);
    const request = value as KeyedRequest;
    return Object.assign(request, {
      body: this.valid(data as unknown as RequestClass, parseJson(request.body)),
    });
  }

  private valid(request: RequestClass, value: unknown): unknown {
    const faults = this.faultsOf(request, value);
    if (faults.length > 0) throw invalidParams(faults);
    return value;
  }

  /**
   * Returns the faults of the fields in their order, and then the unknown fields. The list is empty
   * if the value is valid.
   */
  faultsOf(request: RequestClass, value: unknown): readonly ParamError[] {
    if (!isObject(value))
      return [paramError('body', 'invalid_type', 'The body must be a JSON object.')];
    const fields = this.known.get(request) ?? fieldsOf(request, this.declarations);
    this.known.set(request, fields);
    const validation = new Validation();
    validation.object(fields, value, '');
    return [...validation.faults, ...validation.unknown].slice(0, MAX_ERRORS);
  }
}

/** An operation without fields takes this class: no body or an empty object, or no query. */
export class NoFieldsRequest {}

const keyed = createParamDecorator((_: RequestClass, context: ExecutionContext) =>
  keyedRequestOf(context),
);

/** Gives the request of a route with an idempotency key, with its validated body. */
export const ValidRequest = (body: RequestClass): ParameterDecorator => keyed(body, RequestPipe);

/**
 * The pipe is not global, because Nest creates promises for each pipe of each parameter, and most
 * need no pipe.
 */
export const ValidBody = (): ParameterDecorator => Body(RequestPipe);
export const ValidQuery = (): ParameterDecorator => Query(RequestPipe);

/** Refuses an `:id` that cannot be an ID of the kind, because it is malformed, not unknown. */
export class ParseIdPipe implements PipeTransform<string, string> {
  constructor(readonly kind: IdKind) {}

  transform(id: string): string {
    if (isId(this.kind, id)) return id;
    throw invalidParam('id', 'invalid_format', `id must be ${idInWords(this.kind)}.`);
  }
}

export const PathId = (kind: IdKind): ParameterDecorator => Param('id', new ParseIdPipe(kind));

/** Bounds the response: a hostile body of 256 KiB could cause tens of thousands of faults. */
const MAX_ERRORS = 500;

/**
 * Validates one request, and visits each value in it once. A field, and an entry of a list, gets
 * the fault of the first rule that it breaks, so a caller reads one reason for each mistake. The
 * faults are in the order of the fields, whatever the order in which the client sent them. Unknown
 * fields are collected apart and come last, so that a client that sends hundreds of them still
 * reads the faults of its known fields.
 */
class Validation {
  readonly faults: ParamError[] = [];
  readonly unknown: ParamError[] = [];

  object(fields: Fields, value: unknown, path: string): void {
    if (!isObject(value)) return void this.add(path, NO_OBJECT);
    for (const name in value) {
      if (fields.has(name) || this.unknown.length === MAX_ERRORS) continue;
      const known = [...fields.keys()].join(', ') || 'none';
      const message = `is not a field of this request; known here: ${known}`;
      this.unknown.push(
        faultAt(path ? `${path}.${name}` : name, { code: 'unknown_field', message, allowed: [] }),
      );
    }
    for (const field of fields.values()) {
      const sent = value[field.name];
      const isLeftOut = sent === undefined ? field.optional : sent === null && field.nullable;
      if (!isLeftOut) this.field(field, sent, path ? `${path}.${field.name}` : field.name);
    }
  }

  private field(
    { rules, entryRules, fields, most, read }: Field,
    sent: unknown,
    path: string,
  ): void {
    const value = read && sent !== undefined ? read(sent) : finite(sent);
    const broken = rules.find((rule) => !rule.fits(value));
    if (broken && value === undefined) {
      const allowed = [...rules, ...entryRules].flatMap((rule) => rule.allowed);
      this.add(path, { code: 'required', message: 'is required', allowed });
    } else if (broken) this.add(path, broken);
    else if (most !== undefined) {
      for (const [at, entry] of (value as unknown[]).entries()) {
        if (fields) this.object(fields, entry, `${path}[${at}]`);
        else
          this.entry(
            entryRules,
            entry,
            read ? `${path}.${(entry as string[])[0]}` : `${path}[${at}]`,
          );
      }
    } else if (fields) this.object(fields, value === undefined ? {} : value, path);
  }

  private entry(rules: readonly Rule[], entry: unknown, path: string): void {
    const broken = rules.filter((rule) => !rule.fits(entry));
    // The key and the value of an entry of an object can each have a fault.
    for (const [first] of Map.groupBy(broken, isOfKey).values()) this.add(path, first as Rule);
  }

  private add(path: string, fault: Fault): void {
    this.faults.push(faultAt(path, fault));
  }
}

type Fault = Omit<ParamError, 'param'>;

const NO_OBJECT: Fault = { code: 'invalid_type', message: 'must be an object', allowed: [] };

const isOfKey = ({ name }: Rule): boolean => name.startsWith('key.');

const faultAt = (path: string, { code, message, allowed }: Fault): ParamError =>
  paramError(path, code, `${path} ${message}.`, allowed);

/** JSON.parse reads 1e400 as Infinity, which is to be reported as too large. */
function finite(value: unknown): unknown {
  return value === Infinity ? Number.MAX_VALUE : value === -Infinity ? -Number.MAX_VALUE : value;
}

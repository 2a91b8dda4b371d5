/**
 * Validation accepts every body that the schema describes, and refuses all others. The cases in
 * conformance/cases/fields.json have the faults.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import {
  Allow,
  IsDefined,
  IsOptional,
  IsString,
  IsUppercase,
  Length,
  Validate,
  ValidateIf,
  ValidateNested,
  ValidatePromise,
  ValidatorConstraint,
} from 'class-validator';
import fc from 'fast-check';
import { declarationsOf } from '../../src/app.module.js';
import { fieldsOf, type RequestClass } from '../../src/request/validation/constraints.js';
import { field, WebUrl } from '../../src/request/validation/fields.js';
import { isWebUrl } from '../../src/request/validation/formats.js';
import { RequestPipe } from '../../src/request/validation/validation.js';
import { objectSchema, shownSchema } from '../../tools/openapi/request-schema.js';
import { alteration, altered, Values } from '../support/values.js';

const DECLARATIONS = declarationsOf();
const pipe = new RequestPipe(DECLARATIONS);
const CLASSES = (await requestClasses()).map((request) => ({ name: request.name, request }));
const values = new Values();

/** Returns every class that a *.requests.ts file of the source exports. */
async function requestClasses(): Promise<RequestClass[]> {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.requests.ts'),
  );
  const modules = await Promise.all(
    files.map((file) => import(join('../../src', file).replace(/\.ts$/, '.js'))),
  );
  const exported = modules.flatMap((module) => Object.values(module as Record<string, unknown>));
  return exported.filter((one) => /^class\b/.test(String(one))) as RequestClass[];
}

function sentSchema(request: RequestClass): ReturnType<typeof objectSchema> {
  return objectSchema(request, DECLARATIONS, (field) => {
    const schema = shownSchema(field, sentSchema);
    // The limit of a list is text in a query.
    return field.read && schema.type === 'integer'
      ? { type: 'string', pattern: '^0*[1-9]\\d?$' }
      : schema;
  });
}

test('the request classes of every module are found', () => {
  expect(CLASSES.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      'CreateCheckoutSessionRequest',
      'ListCheckoutSessionsQuery',
      'ProposeRefundRequest',
    ]),
  );
});

test.each(CLASSES)(
  '$name accepts what its schema describes, and reports no fault twice',
  ({ request }) => {
    const verdicts = { true: 0, false: 0 };
    fc.assert(
      fc.property(
        values.of(sentSchema(request)),
        fc.array(alteration, { maxLength: 3 }),
        (body, alterations) => {
          const changed = alterations.reduce(altered, body);
          const faults = pipe.faultsOf(request, changed);
          verdicts[`${faults.length === 0}`]++;
          if (alterations.length === 0) expect(faults).toEqual([]);
          expect(new Set(faults.map(({ message }) => message)).size).toBe(faults.length);
        },
      ),
      { numRuns: 50 },
    );
    // A generator that makes only wrong bodies, or only valid ones, would prove nothing.
    expect(Math.min(verdicts.true, verdicts.false)).toBeGreaterThan(0);
  },
);

test.each(CLASSES)('$name refuses a value that is not an object', ({ request }) => {
  for (const value of [null, true, 0, '', 'text', [], [{}]]) {
    expect(pipe.faultsOf(request, value)).toMatchObject([{ param: 'body', code: 'invalid_type' }]);
  }
});

class Shouted {
  @field(
    { nullable: true },
    IsUppercase(),
    Length(2, 3, { message: 'must have $constraint1 to $constraint2 letters' }),
  )
  text!: string | null;
}

test('validation runs the decorators of class-validator itself', () => {
  expect(pipe.faultsOf(Shouted, { text: null })).toEqual([]);
  expect(pipe.faultsOf(Shouted, {})).toMatchObject([{ param: 'text', code: 'required' }]);
  expect(pipe.faultsOf(Shouted, { text: 'a' })).toMatchObject([
    { param: 'text', message: 'text must be uppercase.' },
  ]);
  expect(pipe.faultsOf(Shouted, { text: 'AB' })).toEqual([]);
  expect(pipe.faultsOf(Shouted, { text: 'ABCD' })).toMatchObject([
    { message: 'text must have 2 to 3 letters.' },
  ]);
});

class WithoutDecorator {
  validate() {
    return true;
  }
}

@ValidatorConstraint({ async: true })
class Asynchronous extends WithoutDecorator {}

const IGNORED: [decorator: string, PropertyDecorator][] = [
  ['@IsOptional', IsOptional()],
  ['@IsDefined', IsDefined()],
  ['@ValidateIf', ValidateIf(() => false)],
  ['@ValidateNested', ValidateNested()],
  ['@ValidatePromise', ValidatePromise()],
  ['@Allow', Allow()],
  ['@Allow', Allow({ context: { optional: true } })],
  ['@IsString with `groups`', IsString({ groups: ['one'] })],
  ['@IsString with `always`', IsString({ always: true })],
  ['@IsString with `validateIf`', IsString({ validateIf: () => false })],
  ['@IsString with `context`', IsString({ context: {} })],
  ['@IsString with `each`', IsString({ each: true })],
  ['@Validate(Asynchronous) without a synchronous validator', Validate(Asynchronous)],
  ['@Validate(WithoutDecorator) without a synchronous validator', Validate(WithoutDecorator)],
];

test.each(IGNORED)('a request class cannot have %s', (decorator, decorate) => {
  class Careless {}
  class CarelessChild extends Careless {}
  class Nesting {}
  const isNested: PropertyDecorator = field({ nested: () => CarelessChild });
  for (const one of [IsString(), field({}), decorate]) one(Careless.prototype, 'text');
  isNested(Nesting.prototype, 'inside');
  const message = `text has ${decorator}, which validation would ignore.`;
  expect(() => fieldsOf(Careless, DECLARATIONS)).toThrow(`Careless.${message}`);
  expect(() => fieldsOf(CarelessChild, DECLARATIONS)).toThrow(`CarelessChild.${message}`);
  expect(() => fieldsOf(Nesting, DECLARATIONS)).toThrow(`CarelessChild.${message}`);
});

test('the description of a field does not depend on the name of a function', () => {
  const { value: name } = Object.getOwnPropertyDescriptor(isWebUrl, 'name') as { value: string };
  const described = () => {
    class Linked {}
    WebUrl({})(Linked.prototype, 'url');
    return sentSchema(Linked);
  };
  const before = described();
  Object.defineProperty(isWebUrl, 'name', { value: 'renamed' });
  try {
    expect(described()).toEqual(before);
    expect(before).toMatchObject({ properties: { url: { format: 'iri' } } });
  } finally {
    Object.defineProperty(isWebUrl, 'name', { value: name });
  }
});

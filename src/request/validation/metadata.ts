import { ArrayMaxSize, IsArray, isString, type ValidationOptions } from 'class-validator';
import { isObject } from './constraints.js';
import { type About, field, holds, isWithin, says, TOO_LONG, TOO_SHORT } from './fields.js';

const NO_BRACKETS = says('invalid_format', 'needs a key without [ and ]');
type Entry = readonly [key: string, value: unknown];
const ofEntries = (name: string, bound: unknown, fits: (entry: Entry) => boolean, said: ValidationOptions) =>
  holds(name, bound, fits, { ...said, each: true });

/** Its rules are for its entries. What is no object must not look like a list of them. */
export const Metadata = (about: About = {}) =>
  field(
    { ...about, most: 50, read: (sent) => (isObject(sent) ? Object.entries(sent) : {}) },
    IsArray(says('invalid_type', 'must be an object')),
    ArrayMaxSize(50, says('too_long', 'must have at most $constraint1 keys')),
    // Form encodings interpret brackets in a key as a path.
    ofEntries('key.pattern', '^[^\\[\\]]*$', (entry) => !/[[\]]/.test(entry[0]), NO_BRACKETS),
    ofEntries('key.minLength', 1, (entry) => entry[0] !== '', TOO_SHORT),
    ofEntries('key.maxLength', 40, (entry) => isWithin(entry[0], 40), TOO_LONG),
    ofEntries('value.type', 'string', (entry) => isString(entry[1]), says('invalid_type', 'must be a string')),
    ofEntries('value.maxLength', 500, (entry) => isWithin(entry[1], 500), TOO_LONG),
  );

import { type About, below, type Fault, fault, isObject, lengthFaults, lengthOf, rule, wrongType } from './rules.js';

/** Up to 50 strings under keys of 1 to 40 characters without brackets, which form encodings read as a path. */
export function Metadata(about: About = {}): PropertyDecorator {
  return rule({
    ...about,
    optional: true,
    schema: {
      type: 'object',
      maxProperties: 50,
      propertyNames: { type: 'string', minLength: 1, maxLength: 40, pattern: '^[^\\[\\]]*$' },
      additionalProperties: { type: 'string', maxLength: 500 },
    },
    faults: (value) => {
      if (!isObject(value)) return wrongType('an object');
      const entries = Object.entries(value);
      if (entries.length > 50) return fault('too_long', 'must have at most 50 keys');
      return entries.flatMap(([key, text]) => below(`.${key}`, metadataFaults(key, text)));
    },
  });
}

function metadataFaults(key: string, value: unknown): readonly Fault[] {
  if (/[[\]]/.test(key)) return fault('invalid_format', 'needs a key without [ and ]');
  if (key === '' || lengthOf(key) > 40) return lengthFaults(key, 1, 40);
  return typeof value === 'string' ? lengthFaults(value, 0, 500) : wrongType('a string');
}

/** Lengths in characters: class-validator's own do not count variation selectors; PostgreSQL and JSON Schema do. */
import { ValidateBy } from 'class-validator';

export function MinCharacters(min: number): PropertyDecorator {
  const validate = (value: unknown) => lengthOf(value) >= min;
  return ValidateBy(
    { name: 'minLength', constraints: [min], validator: { validate } },
    { message: 'must have at least $constraint1 characters' },
  );
}

export function MaxCharacters(max: number): PropertyDecorator {
  const validate = (value: unknown) => lengthOf(value) <= max;
  return ValidateBy(
    { name: 'maxLength', constraints: [max], validator: { validate } },
    { message: 'must have at most $constraint1 characters' },
  );
}

const lengthOf = (value: unknown): number => [...String(value)].length;

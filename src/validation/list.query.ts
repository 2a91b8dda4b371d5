import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { invalidParam } from '../shared/errors.js';
import { type About, Integer } from './fields.js';
import { parseInstant } from './formats.js';

const DEFAULT_LIMIT = 25;
const INTEGER = /^-?\d{1,15}$/;

/** The `limit` of a list. class-transformer converts the text of the query string to a number. */
export function PageLimit({ max }: { max: number }): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }) => (value === undefined ? value : integerOf(value))),
    Integer({
      min: 1,
      max,
      optional: true,
      description: 'Maximum number of items on the page.',
      default: DEFAULT_LIMIT,
      // 1 to 99, or the maximum itself.
      sent: { type: 'string', pattern: `^0*([1-9]\\d?|${max})$` },
    }),
  ) as PropertyDecorator;
}

const integerOf = (value: unknown) => (typeof value === 'string' && INTEGER.test(value) ? Number(value) : Number.NaN);

export function pageLimit(given: string | undefined): number {
  return given === undefined ? DEFAULT_LIMIT : Number(given);
}

export const CURSOR: About = {
  optional: true,
  description: 'The `next_cursor` of the previous page. Leave it out for the first page.',
};
const FORMS = 'Unix seconds, an RFC 3339 date and time, or a date, which means midnight UTC.';
export const FROM: About = { optional: true, description: `Only items created at or after this time. ${FORMS}` };
export const TO: About = { optional: true, description: `Only items created before this time. ${FORMS}` };

/** The `from` and `to` of a list, in milliseconds. Throws an invalid_param refusal when `from` is after `to`. */
export function parseRange(query: { from?: string; to?: string }) {
  const from = query.from === undefined ? undefined : parseInstant(query.from);
  const to = query.to === undefined ? undefined : parseInstant(query.to);
  if (from !== undefined && to !== undefined && from > to) {
    throw invalidParam('from', 'too_large', 'from must not be after to.');
  }
  return { from, to };
}

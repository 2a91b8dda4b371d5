import { type About, fault, OK, rule, wrongType } from './rules.js';

const DEFAULT_LIMIT = 25;

/** How many items a page may have, in a query string. */
export function PageLimit({ max }: { max: number }): PropertyDecorator {
  return rule({
    optional: true,
    description: 'How many items a page has at most.',
    defaultsTo: DEFAULT_LIMIT,
    // 1 to 99, or the maximum itself: a query string is text, so the bounds are a pattern.
    schema: { type: 'string', pattern: `^0*([1-9]\\d?|${max})$` },
    described: { type: 'integer', minimum: 1, maximum: max },
    faults: (value) => {
      if (typeof value !== 'string' || !/^-?\d{1,15}$/.test(value)) return wrongType('an integer');
      if (Number(value) < 1) return fault('too_small', 'must be at least 1');
      return Number(value) > max ? fault('too_large', `must be at most ${max}`) : OK;
    },
  });
}

/** The limit of a query that PageLimit has let through. */
export function pageLimit(given: string | undefined): number {
  return given === undefined ? DEFAULT_LIMIT : Number(given);
}

/** What the other parameters of every list mean. */
export const CURSOR: About = {
  optional: true,
  description: 'The `next_cursor` of the page before, to go on from there.',
};
const INSTANT = 'Unix seconds, an RFC 3339 instant, or a date, which means its midnight in UTC.';
export const FROM: About = { optional: true, description: `Only what was created then or later. ${INSTANT}` };
export const TO: About = { optional: true, description: `Only what was created before. ${INSTANT}` };

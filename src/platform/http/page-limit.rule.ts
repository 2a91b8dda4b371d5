import { fault, OK, rule, wrongType } from './rules.js';

/** How many items a page may have, in a query string. */
export function PageLimit({ max }: { max: number }): PropertyDecorator {
  return rule({
    optional: true,
    // 1 to 99, or the maximum itself: a query string is text, so the bounds are a pattern.
    schema: { type: 'string', pattern: `^0*([1-9]\\d?|${max})$` },
    faults: (value) => {
      if (typeof value !== 'string' || !/^-?\d{1,15}$/.test(value)) return wrongType('an integer');
      if (Number(value) < 1) return fault('too_small', 'must be at least 1');
      return Number(value) > max ? fault('too_large', `must be at most ${max}`) : OK;
    },
  });
}

const DEFAULT_LIMIT = 25;

/** The limit of a query that PageLimit has let through. */
export function pageLimit(given: string | undefined): number {
  return given === undefined ? DEFAULT_LIMIT : Number(given);
}

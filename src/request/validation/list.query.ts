import { invalidParam } from '../../shared/errors.js';
import type { IdKind } from '../../shared/id.js';
import type { CreatedPageRequest } from '../../shared/page.js';
import { type FieldOptions, Id, Instant, Integer } from './fields.js';
import { parseInstant } from './formats.js';

const DEFAULT_LIMIT = 25;
const MAX_LIMIT = 100;
const INTEGER = /^-?\d{1,15}$/;

export const PageLimit = () =>
  Integer({
    min: 1,
    max: MAX_LIMIT,
    optional: true,
    description: 'Maximum number of items on the page.',
    default: DEFAULT_LIMIT,
    read: (sent) => (typeof sent === 'string' && INTEGER.test(sent) ? Number(sent) : Number.NaN),
  });

export const CURSOR: FieldOptions = {
  optional: true,
  description: 'The `next_cursor` of the previous page. Leave it out for the first page.',
};
const FORMS = 'Unix seconds, an RFC 3339 date and time, or a date, which means midnight UTC.';
export const FROM: FieldOptions = {
  optional: true,
  description: `Only items created at or after this time. ${FORMS}`,
};
export const TO: FieldOptions = {
  optional: true,
  description: `Only items created before this time. ${FORMS}`,
};

/**
 * Makes the parameters of a list whose items have IDs of this kind. The parameters of the class
 * that extends it come first.
 */
export function PageOf(kind: IdKind) {
  class PageOfKind {
    @Instant(FROM) from?: string;
    @Instant(TO) to?: string;
    @PageLimit() limit?: string;
    @Id(kind, CURSOR) cursor?: string;
  }
  return PageOfKind;
}

type PageQuery = Readonly<Partial<Record<'from' | 'to' | 'limit' | 'cursor', string>>>;

/**
 * Returns the page that a list request asks for, with times in milliseconds. Throws an
 * invalid_param refusal when `from` is after `to`.
 */
export function pageRequest<Query extends PageQuery>(
  query: Query,
): Omit<Query, keyof PageQuery> & CreatedPageRequest {
  const { limit, cursor, from: since, to: until, ...filter } = query;
  const from = since === undefined ? undefined : parseInstant(since);
  const to = until === undefined ? undefined : parseInstant(until);
  if (from !== undefined && to !== undefined && from > to) {
    throw invalidParam('from', 'too_large', 'from must not be after to.');
  }
  return {
    from,
    to,
    cursor,
    limit: limit === undefined ? DEFAULT_LIMIT : Number(limit),
    ...filter,
  };
}

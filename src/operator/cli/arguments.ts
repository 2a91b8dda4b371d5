/**
 * Parses arguments and options. commander puts the name of the option before the messages of these
 * errors.
 */
import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { isContact, isEmailAddress, parseInstant } from '../../request/validation/formats.js';
import { MODES } from '../../shared/caller.js';
import { type IdKind, isId } from '../../shared/id.js';
import { currencyOf } from '../../shared/money.js';

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

export const modeOption = () =>
  new Option('--mode <mode>', 'test or live data').choices(MODES).makeOptionMandatory();

export function id(kind: IdKind): (text: string) => string {
  return (text) => {
    if (isId(kind, text)) return text;
    const form = kind.hasMode
      ? `${kind.prefix}_test_… or ${kind.prefix}_live_…`
      : `${kind.prefix}_…`;
    throw new InvalidArgumentError(
      `It must be a whole identifier, ${form}, with 26 characters after the last _.`,
    );
  };
}

export function currency(text: string): string {
  const code = currencyOf(text);
  if (code === undefined) throw new InvalidArgumentError('It must be an ISO 4217 currency code.');
  return code;
}

export function contact(text: string): string {
  if (isContact(text)) return text;
  throw new InvalidArgumentError(
    'contact must be an e-mail address or an https URL of at most 500 characters.',
  );
}

export function emailAddress(text: string): string {
  if (isEmailAddress(text)) return text;
  throw new InvalidArgumentError('It must be one e-mail address.');
}

export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };
}

export function duration(text: string): number {
  const milliseconds = durationOf(text);
  if (milliseconds === undefined)
    throw new InvalidArgumentError('It must be a span like 90s, 45m, 12h or 7d.');
  return milliseconds;
}

/**
 * Reads when something ends, in milliseconds. A span gives a lifetime. Unix seconds, an RFC 3339
 * instant and a date give an instant, and `never` gives null.
 */
export function end(text: string): { lifetime: number } | { expiresAt: number | null } {
  if (text === 'never') return { expiresAt: null };
  const lifetime = durationOf(text);
  if (lifetime) return { lifetime };
  const expiresAt = parseInstant(text);
  if (expiresAt !== undefined && expiresAt > Date.now()) return { expiresAt };
  throw new InvalidArgumentError(
    'It must be in the future: a span like 30d, an RFC 3339 time, a date or Unix seconds; or ' +
      'never.',
  );
}

/**
 * Returns an instant in milliseconds. A span such as `7d` means that long ago; an RFC 3339 instant,
 * a date and Unix seconds mean themselves.
 */
export function pastInstant(text: string): number {
  const span = durationOf(text);
  const instant = span === undefined ? parseInstant(text) : Date.now() - span;
  if (instant !== undefined) return instant;
  throw new InvalidArgumentError(
    'It must be a span like 7d, an RFC 3339 time, a date or Unix seconds.',
  );
}

function durationOf(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * (UNITS[unit] as number);
}

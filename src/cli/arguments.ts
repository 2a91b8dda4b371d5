/** Reads what was typed after a command. Every fault is a UsageError: one line for the person at the terminal. */
import { parseInstant } from '../platform/http/formats.js';
import { type IdKind, isId } from '../shared/id.js';
import { currencyOf, MAX_AMOUNT } from '../shared/money.js';

export class UsageError extends Error {}

export type Values = Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

export class Arguments {
  constructor(
    private readonly values: Values,
    private readonly positionals: readonly string[],
  ) {}

  /** The word after the command, like a name or an id. */
  subject(name: string): string {
    const [subject, ...rest] = this.positionals;
    if (subject === undefined) throw new UsageError(`${name} is missing.`);
    if (rest.length > 0) throw new UsageError(`${rest[0]} is one word too many: quote a ${name} with spaces.`);
    return subject;
  }

  subjectId(kind: IdKind): string {
    return checkedId(kind, this.subject(`${kind}_… id`));
  }

  flag(name: string): boolean {
    return this.values[name] === true;
  }

  text(name: string): string | undefined {
    const value = this.values[name];
    return typeof value === 'string' ? value : undefined;
  }

  list(name: string): readonly string[] {
    const value = this.values[name];
    return Array.isArray(value) ? (value as string[]) : [];
  }

  required(name: string): string {
    const value = this.text(name);
    if (value === undefined) throw new UsageError(`--${name} is missing.`);
    return value;
  }

  id(name: string, kind: IdKind): string {
    return checkedId(kind, this.required(name));
  }

  optionalId(name: string, kind: IdKind): string | null {
    return this.text(name) === undefined ? null : this.id(name, kind);
  }

  oneOf<Value extends string>(name: string, allowed: readonly Value[], fallback?: Value): Value {
    const value = this.text(name) ?? fallback ?? this.required(name);
    if (allowed.includes(value as Value)) return value as Value;
    throw new UsageError(`--${name} must be one of ${allowed.join(', ')}.`);
  }

  amount(name: string): number {
    const text = this.required(name);
    const amount = /^\d{1,12}$/.test(text) ? Number(text) : 0;
    if (amount >= 1 && amount <= MAX_AMOUNT) return amount;
    throw new UsageError(`--${name} must be a whole number of minor units, from 1 to ${MAX_AMOUNT}.`);
  }

  port(name: string): number {
    const text = this.required(name);
    if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
    throw new UsageError(`--${name} must be a port, from 0 to 65535.`);
  }

  currency(name: string): string {
    const currency = currencyOf(this.required(name));
    if (currency === undefined) throw new UsageError(`--${name} must be an ISO 4217 currency code.`);
    return currency;
  }

  /** Milliseconds of a span like 90s, 45m, 12h or 7d. */
  duration(name: string, fallback: string): number {
    const duration = durationOf(this.text(name) ?? fallback);
    if (duration === undefined) throw new UsageError(`--${name} must be a span like 90s, 45m, 12h or 7d.`);
    return duration;
  }

  /** The instant (milliseconds) of a span from now, Unix seconds, an RFC 3339 instant or a date; null if not given. */
  instant(name: string, now: number): number | null {
    const text = this.text(name);
    if (text === undefined) return null;
    const span = durationOf(text);
    const instant = span === undefined ? parseInstant(text) : now + span;
    if (instant !== undefined && instant > now) return instant;
    throw new UsageError(`--${name} must be ahead: a span like 30d, an RFC 3339 instant, a date or Unix seconds.`);
  }
}

function durationOf(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * (UNITS[unit] as number);
}

function checkedId(kind: IdKind, text: string): string {
  if (isId(kind, text)) return text;
  throw new UsageError(`${text} is not an identifier that begins with ${kind}_.`);
}

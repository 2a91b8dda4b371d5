import { minorDigitsOf } from '../../../../shared/money.js';

/**
 * Formats are cached, because creating one takes longer than the rest of a page. The limit is for
 * made-up locales.
 */
const MAX_FORMATS = 500;
const formats = new Map<string, Intl.NumberFormat | Intl.DateTimeFormat>();

/**
 * Formats an amount in the minor unit for a locale. The text is exact, because the amount is passed
 * as a decimal string, not as a float.
 */
export function amountText(amount: number, currency: string, locale: string): string {
  const digits = minorDigitsOf(currency);
  const format = cached(`${locale} ${currency}`, () => {
    const fraction = { minimumFractionDigits: digits, maximumFractionDigits: digits };
    return new Intl.NumberFormat([locale, 'en'], { style: 'currency', currency, ...fraction });
  });
  return format.format(`${amount}E-${digits}` as `${number}`);
}

export function countText(count: number, locale: string): string {
  return cached(locale, () => new Intl.NumberFormat([locale, 'en'])).format(count);
}

/**
 * Formats the time in UTC and names that zone, because the server does not know the customer's time
 * zone.
 */
export function timeText(seconds: number, locale: string): string {
  const day = { year: 'numeric', month: 'long', day: 'numeric' } as const;
  const time = {
    hour: 'numeric',
    minute: '2-digit',
    timeZone: 'UTC',
    timeZoneName: 'short',
  } as const;
  const format = cached(
    `${locale} time`,
    () => new Intl.DateTimeFormat([locale, 'en'], { ...day, ...time }),
  );
  return format.format(seconds * 1000);
}

function cached<Format extends Intl.NumberFormat | Intl.DateTimeFormat>(
  name: string,
  make: () => Format,
): Format {
  const found = formats.get(name) ?? make();
  if (!formats.has(name) && formats.size === MAX_FORMATS) formats.clear();
  formats.set(name, found);
  return found as Format;
}

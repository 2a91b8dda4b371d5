import { minorDigitsOf } from '../../../../shared/money.js';

/** Formats are cached, because creating one takes longer than the rest of a page. The limit is for made-up locales. */
const MAX_FORMATS = 500;
const formats = new Map<string, Intl.NumberFormat>();

/** Formats an amount in the minor unit for a locale. Exact: the amount is passed as a decimal string, not as a float. */
export function amountText(amount: number, currency: string, locale: string): string {
  const digits = minorDigitsOf(currency);
  const sign = amount < 0 ? '-' : '';
  const minor = String(Math.abs(amount)).padStart(digits + 1, '0');
  const whole = minor.slice(0, minor.length - digits);
  const fraction = digits === 0 ? '' : `.${minor.slice(-digits)}`;
  return formatOf(locale, currency, digits).format(`${sign}${whole}${fraction}` as `${number}`);
}

function formatOf(locale: string, currency: string, digits: number): Intl.NumberFormat {
  const name = `${locale} ${currency}`;
  let format = formats.get(name);
  if (!format) {
    const fraction = { minimumFractionDigits: digits, maximumFractionDigits: digits };
    format = new Intl.NumberFormat(locale, { style: 'currency', currency, ...fraction });
    if (formats.size === MAX_FORMATS) formats.clear();
    formats.set(name, format);
  }
  return format;
}

/**
 * Converts amounts for Stripe, which do not have the minor unit of ISO 4217 everywhere:
 * https://docs.stripe.com/currencies#special-cases
 */

/** These currencies have no minor unit, but Stripe counts hundredths. */
const IN_HUNDREDTHS = ['isk', 'ugx'];
/** These currencies have hundredths, but Stripe counts whole units. */
const IN_WHOLE_UNITS = ['mga'];
/** These currencies have thousandths, and Stripe accepts only 0 as the last digit. */
const IN_TENS = ['bhd', 'jod', 'kwd', 'omr', 'tnd'];

/** Returns undefined for an amount that Stripe cannot move. */
export function toStripe(amount: number, currency: string): number | undefined {
  if (IN_HUNDREDTHS.includes(currency)) return amount * 100;
  if (IN_WHOLE_UNITS.includes(currency)) return amount % 100 === 0 ? amount / 100 : undefined;
  return IN_TENS.includes(currency) && amount % 10 !== 0 ? undefined : amount;
}

export function fromStripe(amount: number, currency: string): number {
  if (IN_HUNDREDTHS.includes(currency)) return amount / 100;
  return IN_WHOLE_UNITS.includes(currency) ? amount * 100 : amount;
}

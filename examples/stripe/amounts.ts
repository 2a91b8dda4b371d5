/** Amounts at Stripe, which are not in the minor unit of ISO 4217 everywhere: https://docs.stripe.com/currencies#special-cases */

/** These have no minor unit, but Stripe counts hundredths. */
const IN_HUNDREDTHS = ['isk', 'ugx'];
/** These have hundredths, but Stripe counts whole units. */
const IN_WHOLE_UNITS = ['mga'];
/** These have thousandths, and Stripe takes no digit but 0 as the last one. */
const IN_TENS = ['bhd', 'jod', 'kwd', 'omr', 'tnd'];

/** Undefined for an amount that Stripe cannot move. */
export function toStripe(amount: number, currency: string): number | undefined {
  if (IN_HUNDREDTHS.includes(currency)) return amount * 100;
  if (IN_WHOLE_UNITS.includes(currency)) return amount % 100 === 0 ? amount / 100 : undefined;
  return IN_TENS.includes(currency) && amount % 10 !== 0 ? undefined : amount;
}

export function fromStripe(amount: number, currency: string): number {
  if (IN_HUNDREDTHS.includes(currency)) return amount / 100;
  return IN_WHOLE_UNITS.includes(currency) ? amount * 100 : amount;
}

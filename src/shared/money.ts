/**
 * Amounts are integers in the currency's ISO 4217 minor unit. The bound keeps every sum far below
 * 2^53.
 */
export const MAX_AMOUNT = 999_999_999_999;

/**
 * The list is ISO 4217 list one, without the codes that have no minor unit (precious metals, test
 * and unit-of-account codes).
 */
export const CURRENCIES: readonly string[] = `
aed afn all amd aoa ars aud awg azn bam bbd bdt bhd bif bmd bnd bob bov brl bsd btn bwp byn bzd cad
cdf che chf chw clf clp cny cop cou crc cup cve czk djf dkk dop dzd egp ern etb eur fjd fkp gbp gel
ghs gip gmd gnf gtq gyd hkd hnl htg huf idr ils inr iqd irr isk jmd jod jpy kes kgs khr kmf kpw krw
kwd kyd kzt lak lbp lkr lrd lsl lyd mad mdl mga mkd mmk mnt mop mru mur mvr mwk mxn mxv myr mzn nad
ngn nio nok npr nzd omr pab pen pgk php pkr pln pyg qar ron rsd rub rwf sar sbd scr sdg sek sgd shp
sle sos srd ssp stn svc syp szl thb tjs tmt tnd top try ttd twd tzs uah ugx usd usn uyi uyu uyw uzs
ved ves vnd vuv wst xad xaf xcd xcg xof xpf yer zar zmw zwg`
  .trim()
  .split(/\s+/);

const KNOWN = new Set(CURRENCIES);

/**
 * Returns the lower-case code of an ISO 4217 currency that has a minor unit and is given in any
 * case, or undefined.
 */
export function currencyOf(text: string): string | undefined {
  if (KNOWN.has(text)) return text;
  // Only ASCII letters are accepted, because toLowerCase() would also turn the Kelvin sign into a
  // k.
  const lower = /^[A-Za-z]{3}$/.test(text) ? text.toLowerCase() : '';
  return KNOWN.has(lower) ? lower : undefined;
}

/**
 * These currencies have another ISO 4217 minor unit than two. Intl follows CLDR, which leaves out
 * the digits that a country no longer uses.
 */
const DIGITS: Readonly<Record<string, number>> = Object.fromEntries([
  ...'bif clp djf gnf isk jpy kmf krw pyg rwf ugx uyi vnd vuv xaf xof xpf'
    .split(' ')
    .map((code) => [code, 0]),
  ...'bhd iqd jod kwd lyd omr tnd'.split(' ').map((code) => [code, 3]),
  ...'clf uyw'.split(' ').map((code) => [code, 4]),
]);

export function minorDigitsOf(currency: string): number {
  return DIGITS[currency] ?? 2;
}

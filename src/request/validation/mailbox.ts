/** Addresses in several spellings can mean the same mailbox: RFC 5321, RFC 6531 and UTS 46. */
import { domainToASCII } from 'node:url';
import { foldCase } from '../../shared/letter-case.js';

/**
 * RFC 5322 section 3.2.3 defines an atom, and RFC 6532 section 3.2 adds the characters beyond
 * ASCII.
 */
const ATOM = "[\\w!#$%&'*+/=?^`{|}~\\u0080-\\u{10ffff}-]+";
const DOT_ATOM = new RegExp(`^${ATOM}(?:\\.${ATOM})*$`, 'u');

/** RFC 5321 section 4.1.2: the backslash of a quoted pair only says that a character follows. */
const QUOTED_PAIR = /\\(.)/gsu;

/**
 * Returns the same text for all addresses of a mailbox. The text is for comparison only: a server
 * may tell apart the capitals of a local part (RFC 5321 section 2.4), but people do not.
 */
export function mailboxOf(address: string): string {
  const at = address.lastIndexOf('@');
  const local = unquoted(address.slice(0, at));
  const domain = address.slice(at + 1);
  return `${foldCase(local.normalize('NFC')).normalize('NFC')}@${hostOf(domain)}`;
}

/** Removes the quotes that the text does not need. */
function unquoted(local: string): string {
  if (!local.startsWith('"')) return local;
  const text = local.slice(1, -1).replace(QUOTED_PAIR, '$1');
  return DOT_ATOM.test(text) ? text : `"${text}"`;
}

/** RFC 5321 section 4.1.3 */
const IPV6_LITERAL = /^\[IPv6:(.+)\]$/i;

/**
 * Returns a domain in ASCII, without the dot of the root. An IPv6 address is in its shortest form.
 * Another address literal stays as it is, in small letters.
 */
function hostOf(domain: string): string {
  const [, ipv6] = IPV6_LITERAL.exec(domain) ?? [];
  if (ipv6 !== undefined && URL.canParse(`http://[${ipv6}]`))
    return new URL(`http://[${ipv6}]`).hostname;
  const ascii = domainToASCII(domain) || domain.toLowerCase();
  return ascii.replace(/\.$/, '');
}

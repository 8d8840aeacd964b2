// Parses e-mail addresses into the normal form in which accounts, invitations, directories and domains are compared.
import { toAsciiDomain } from './email-domains.ts';

/** The dot-atom of RFC 5321, the form of almost every mailbox. */
const LOCAL_PART = /^[A-Za-z\d!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z\d!#$%&'*+/=?^_`{|}~-]+)*$/;
const MAX_LENGTH = 254;
const MAX_LOCAL_PART = 64;

export type ParsedAddress = { address: string } | { problem: string };

/** The part before the @ in lower case, the domain in ASCII (IDNA). `problem` is phrased to follow the address. */
export function parseEmailAddress(text: string): ParsedAddress {
  const trimmed = text.trim();
  if (trimmed.length > MAX_LENGTH) return { problem: TOO_LONG };
  const at = trimmed.lastIndexOf('@');
  if (at < 1) return { problem: 'must be an e-mail address, such as ada@example.com' };
  // Checked before lower-casing: the kelvin sign would become an ASCII letter, and so another person's address.
  const localPart = trimmed.slice(0, at);
  if (!LOCAL_PART.test(localPart) || localPart.length > MAX_LOCAL_PART)
    return {
      problem:
        'must have up to 64 ASCII letters, digits and signs before the @, without blanks and quotes',
    };
  const domain = toAsciiDomain(trimmed.slice(at + 1));
  if (!domain?.includes('.'))
    return { problem: 'must have a domain name after the @, such as example.com' };
  const address = `${localPart.toLowerCase()}@${domain}`;
  return address.length > MAX_LENGTH ? { problem: TOO_LONG } : { address };
}

const TOO_LONG = `must have at most ${MAX_LENGTH} characters, with its domain in ASCII`;

/** Normalizes an e-mail address; null: it is none. */
export function toEmailAddress(text: string): string | null {
  const parsed = parseEmailAddress(text);
  return 'address' in parsed ? parsed.address : null;
}

/** The domain of an e-mail address, in ASCII; null: it is none. */
export function toEmailDomain(text: string): string | null {
  const address = toEmailAddress(text);
  return address && address.slice(address.lastIndexOf('@') + 1);
}

/** Normalizes a name that may be an address: an address to its normal form, anything else to lower case. */
export const toComparableName = (text: string): string =>
  toEmailAddress(text) ?? text.toLowerCase();

// An e-mail address in the one form that accounts, invitations, directories and domains are compared by.
import { asciiDomain } from './email-domains.ts';

/** Dot-atom of RFC 5321: what almost every mailbox has. */
const LOCAL_PART = /^[A-Za-z\d!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z\d!#$%&'*+/=?^_`{|}~-]+)*$/;
const MAX_LENGTH = 254;
const MAX_LOCAL_PART = 64;

export type ParsedAddress = { address: string } | { problem: string };

/** The part before the @ in lower case, the domain in ASCII (IDNA). `problem` is a text that follows the address. */
export function parseEmailAddress(text: string): ParsedAddress {
  const trimmed = text.trim();
  if (trimmed.length > MAX_LENGTH) return { problem: TOO_LONG };
  const at = trimmed.lastIndexOf('@');
  if (at < 1) return { problem: 'must be an e-mail address, such as ada@example.com' };
  // Before it is folded: some signs, as that of the kelvin, become an ASCII letter, and somebody else's address.
  const localPart = trimmed.slice(0, at);
  if (!LOCAL_PART.test(localPart) || localPart.length > MAX_LOCAL_PART)
    return {
      problem:
        'must have up to 64 ASCII letters, digits and signs before the @, without blanks and quotes',
    };
  const domain = asciiDomain(trimmed.slice(at + 1));
  if (!domain?.includes('.'))
    return { problem: 'must have a domain name after the @, such as example.com' };
  const address = `${localPart.toLowerCase()}@${domain}`;
  return address.length > MAX_LENGTH ? { problem: TOO_LONG } : { address };
}

const TOO_LONG = `must have at most ${MAX_LENGTH} characters, with its domain in ASCII`;

/** Null: no e-mail address. */
export function emailAddressIn(text: string): string | null {
  const parsed = parseEmailAddress(text);
  return 'address' in parsed ? parsed.address : null;
}

/** The domain of an e-mail address, in ASCII; null: it is none. */
export function emailDomain(text: string): string | null {
  const address = emailAddressIn(text);
  return address && address.slice(address.lastIndexOf('@') + 1);
}

/** For names that need not be addresses: an address in its one form, anything else in lower case. */
export const comparableName = (text: string): string => emailAddressIn(text) ?? text.toLowerCase();

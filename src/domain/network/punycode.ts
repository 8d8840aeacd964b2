// Host names in Punycode: newer releases of Node.js accept labels that encode nothing.
import { domainToUnicode } from 'node:url';

/** Whether a label of an ASCII host name begins with `xn--` and cannot be decoded. */
export const hasInvalidPunycode = (hostname: string): boolean =>
  domainToUnicode(hostname)
    .split('.')
    .some((label) => label.startsWith('xn--'));

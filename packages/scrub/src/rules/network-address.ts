// IP addresses: IPv4 in dotted decimal, IPv6 in hexadecimal groups.
import { isIPv6 } from 'node:net';
import { textFeatures } from '../inspect.ts';
import { createCandidates, type Rule } from '../rule.ts';

const octet = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const version4 = new RegExp(
  `(?<![A-Za-z0-9]|\\d\\.)${octet}(?:\\.${octet}){3}(?![A-Za-z0-9]|\\.\\d)`,
  'g',
);
const version6 = /(?<![A-Za-z0-9:.])[0-9A-Fa-f:]{4,39}(?![A-Za-z0-9:])/g;

/** The work of checking the groups of one candidate. */
const VERSION_6 = 40;

export const networkAddressRule: Rule = {
  type: 'IP_ADDRESS',
  needs: textFeatures.address,
  candidates: () => addresses,
};

const addresses = [
  createCandidates(version4),
  createCandidates(version6, (found, work) =>
    work.take(VERSION_6) && isVersion6(found) ? found.length : 0,
  ),
];

/** At least two groups and a digit, so that words such as `abc::def` are not matched. */
const isVersion6 = (found: string): boolean =>
  isIPv6(found) && /[^:]+:+[^:]/.test(found) && /\d/.test(found);

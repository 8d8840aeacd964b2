// Whether two addresses are same-site for browsers, which decides about the cookies they send.
import { getDomain } from 'tldts';

/** Scheme and registrable domain, else scheme and host; private suffixes such as `github.io` count, as in browsers. */
function toSite(address: string): string {
  const { protocol, hostname } = new URL(address);
  return `${protocol}//${getDomain(hostname, { allowPrivateDomains: true }) ?? hostname}`;
}

export const isSameSite = (one: string, other: string): boolean => toSite(one) === toSite(other);

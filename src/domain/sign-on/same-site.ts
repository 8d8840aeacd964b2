// Whether browsers take two addresses for one site, which decides what cookies they send along.
import { getDomain } from 'tldts';

/** Scheme and registrable domain, or the host where it has none; private suffixes such as `github.io` count, as in browsers. */
function siteOf(address: string): string {
  const { protocol, hostname } = new URL(address);
  return `${protocol}//${getDomain(hostname, { allowPrivateDomains: true }) ?? hostname}`;
}

export const isSameSite = (one: string, other: string): boolean => siteOf(one) === siteOf(other);

// What passkeys are for: the domain and the origin of this service.
import { isIP } from 'node:net';

/** The relying party of WebAuthn. */
export interface RelyingParty {
  rpId: string;
  origin: string;
}

/** Browsers make passkeys for a domain only: https, or localhost. */
export function isForPasskeys(publicUrl: string): boolean {
  const { hostname, protocol } = new URL(publicUrl);
  if (hostname === 'localhost') return true;
  return protocol === 'https:' && isIP(hostname.replace(/^\[|\]$/g, '')) === 0;
}

export function toRelyingParty(publicUrl: string): RelyingParty {
  const { hostname, origin } = new URL(publicUrl);
  return { rpId: hostname, origin };
}

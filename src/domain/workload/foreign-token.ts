// Tokens of others, before anything of them is verified, and why one is refused.
import { isJsonObject, type JsonObject, parseSafeJson } from '@assay/json';

/** A JSON Web Key Set (RFC 7517). */
export interface PublicKeySet {
  keys: JsonObject[];
}

/** Why a token is not accepted, in words for its bearer. */
export class TokenRefusal extends Error {}

const TRUST_DOMAIN = /^spiffe:\/\/[a-z0-9._-]{1,255}(?=\/)/;

/** The issuer of a JWT with these claims. A JWT-SVID may leave it out: it is the trust domain of the subject. */
export function findIssuer({ iss = null, sub = null }: JsonObject): string {
  if (iss !== null) return typeof iss === 'string' ? iss : '';
  return typeof sub === 'string' ? (TRUST_DOMAIN.exec(sub)?.[0] ?? '') : '';
}

/** Reads the issuer that a JWT names. @throws TokenRefusal */
export function readIssuer(token: string): string {
  const [, payload = ''] = token.split('.');
  try {
    const claims = parseSafeJson(Buffer.from(payload, 'base64url').toString('utf8'));
    if (isJsonObject(claims)) return findIssuer(claims);
  } catch {
    // Refused below.
  }
  throw new TokenRefusal('it is no JWT');
}

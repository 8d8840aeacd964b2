// E-mail addresses in the claims of an identity provider, and whether the provider has verified them.

const ADDRESS = /^[^\s@]+@[^\s@]+$/;
const MAX_LENGTH = 254;

/** The address lower-cased; null when it is not an e-mail address that an account can have. */
export function emailIn(claim: unknown): string | null {
  if (typeof claim !== 'string' || claim.length > MAX_LENGTH || !ADDRESS.test(claim)) return null;
  return claim.toLowerCase();
}

/** The values of a true claim: Entra also sends 1 and text. */
const TRUE_CLAIMS: readonly unknown[] = [true, 'true', 1, '1'];

/**
 * The claim `email` when `email_verified` is true, or when `edovClaim` is, by which some providers state that the domain's owner
 * verified the address (Entra's `xms_edov`). Null: not verified.
 */
export function verifiedEmail(
  claims: Readonly<Record<string, unknown>>,
  edovClaim?: string,
): string | null {
  const isVerified =
    claims.email_verified === true ||
    (edovClaim !== undefined && TRUE_CLAIMS.includes(claims[edovClaim]));
  return isVerified && claims.email_verified !== false ? emailIn(claims.email) : null;
}

// What an identity provider says of an e-mail address: whether it is one, and whether the provider vouches for it.

const ADDRESS = /^[^\s@]+@[^\s@]+$/;
const MAX_LENGTH = 254;

/** Lower-cased; null for what no account could have. */
export function emailIn(claim: unknown): string | null {
  if (typeof claim !== 'string' || claim.length > MAX_LENGTH || !ADDRESS.test(claim)) return null;
  return claim.toLowerCase();
}

/** A claim that says `true`, which Entra also writes as 1 and as text. */
const YES: readonly unknown[] = [true, 'true', 1, '1'];

/**
 * The address of the claim `email` when `email_verified` is true; or when the provider, where that is known of it, says in
 * `edovClaim` that the owner of the domain is the one who gave the address (Entra's `xms_edov`). Null: nobody vouches for it.
 */
export function verifiedEmail(
  claims: Readonly<Record<string, unknown>>,
  edovClaim?: string,
): string | null {
  const isVouched =
    claims.email_verified === true || (edovClaim !== undefined && YES.includes(claims[edovClaim]));
  return isVouched && claims.email_verified !== false ? emailIn(claims.email) : null;
}

// E-mail addresses in the claims of an identity provider, and whether the provider has verified them.
import { toEmailAddress } from './email-address.ts';

/** The claimed address in its normal form; null when no account can have it. */
export const readEmailClaim = (claim: unknown): string | null =>
  typeof claim === 'string' ? toEmailAddress(claim) : null;

/** The values that count as true: Entra also sends 1 and text. */
const TRUE_CLAIMS: readonly unknown[] = [true, 'true', 1, '1'];

/**
 * The claim `email` when `email_verified` or `edovClaim` is true; some providers use the latter to state that the
 * domain's owner verified the address (Entra's `xms_edov`). Null: not verified.
 */
export function readVerifiedEmail(
  claims: Readonly<Record<string, unknown>>,
  edovClaim?: string,
): string | null {
  const isVerified =
    claims.email_verified === true ||
    (edovClaim !== undefined && TRUE_CLAIMS.includes(claims[edovClaim]));
  return isVerified && claims.email_verified !== false ? readEmailClaim(claims.email) : null;
}

// Verifies tokens by which issuers of others say who a workload or a user is: JWTs with a short life for this audience.
import { perInstance } from '../per-instance.ts';
import { errors, type JWTPayload, jwtVerify } from 'jose';
import type { JsonObject } from '@assay/json';
import {
  findIssuer,
  type PublicKeySet,
  TokenRefusal,
} from '../../domain/workload/foreign-token.ts';
import { AppError } from '../../errors.ts';
import type { Clock } from '../clock.ts';
import type { Fetch } from './identity-providers.ts';
import { createIssuerKeys, openKeySet } from './issuer-keys.ts';
import { SIGNATURE_ALGORITHMS } from './signature-algorithms.ts';

export interface ExpectedToken {
  issuer: string;
  /** One of them is that of the token. */
  audiences: readonly string[];
  /** The keys of the issuer; null: it is asked for them. */
  jwks: PublicKeySet | null;
  /** How long ago it may have been issued; null: as long as it lives. */
  maxAgeSeconds: number | null;
}

const MAX_LIFE_SECONDS = 3600;
const SKEW_SECONDS = 60;
/** Those of access tokens, ID tokens and JWT-SVIDs; a logout token is none of them. */
const TYPES: readonly unknown[] = [undefined, 'jwt', 'jose', 'at+jwt', 'application/at+jwt'];

function createWorkloadTokens({ fetch, clock }: { fetch: Fetch; clock: Clock }) {
  const issuerKeys = createIssuerKeys({ fetch, clock });

  /** @throws TokenRefusal */
  function requireShortLife(
    { exp = Infinity, iat }: JWTPayload,
    { maxAgeSeconds }: ExpectedToken,
  ): void {
    const now = clock.now().getTime() / 1000;
    if (exp - now > MAX_LIFE_SECONDS + SKEW_SECONDS)
      throw new TokenRefusal(`it is valid for more than ${MAX_LIFE_SECONDS} seconds`);
    if (iat !== undefined && iat > now + SKEW_SECONDS)
      throw new TokenRefusal('it was issued in the future');
    if (maxAgeSeconds === null) return;
    if (iat === undefined || now - iat > maxAgeSeconds + SKEW_SECONDS)
      throw new TokenRefusal(`it was issued more than ${maxAgeSeconds} seconds ago`);
  }

  return {
    /**
     * Verifies a token of this issuer, for one of these audiences.
     * @throws TokenRefusal; AppError `IDENTITY_PROVIDER_UNAVAILABLE`
     */
    async verify(token: string, expected: ExpectedToken): Promise<JsonObject> {
      const { issuer, audiences, jwks } = expected;
      const keys = jwks ? openKeySet(jwks) : issuerKeys.getKeySet(issuer);
      const { payload, protectedHeader } = await jwtVerify(token, keys, {
        algorithms: SIGNATURE_ALGORITHMS,
        audience: [...audiences],
        currentDate: clock.now(),
        clockTolerance: SKEW_SECONDS,
        requiredClaims: ['sub', 'exp'],
      }).catch(throwRefusal);
      if (!TYPES.includes(protectedHeader.typ?.toLowerCase()))
        throw new TokenRefusal('its `typ` is that of another kind of token');
      if (findIssuer(payload as JsonObject) !== issuer)
        throw new TokenRefusal('it names another issuer');
      requireShortLife(payload, expected);
      return payload as JsonObject;
    },
  };
}
export type WorkloadTokens = ReturnType<typeof createWorkloadTokens>;

function throwRefusal(error: unknown): never {
  if (error instanceof AppError) throw error;
  if (error instanceof errors.JOSEError) throw new TokenRefusal(describe(error), { cause: error });
  throw new TokenRefusal('it cannot be verified', { cause: error });
}

function describe(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired) return 'it has expired';
  if (error instanceof errors.JWTClaimValidationFailed)
    return `its claim \`${error.claim}\` is missing, or another one than asked for`;
  if (error instanceof errors.JOSEAlgNotAllowed) return 'its algorithm is not asymmetric';
  if (error instanceof errors.JWKSNoMatchingKey) return 'its issuer has no key of this `kid`';
  if (error instanceof errors.JWKSMultipleMatchingKeys)
    return 'it has no `kid`, and its issuer has several keys';
  return 'its signature is not that of its issuer';
}

export const openWorkloadTokens = perInstance(({ http, clock }) =>
  createWorkloadTokens({ fetch: http.fetch, clock }),
);

// Verifies logout tokens of OpenID providers (OpenID Connect Back-Channel Logout 1.0, section 2.6).
import {
  createRemoteJWKSet,
  customFetch,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.ts';
import type { Claims, Fetch } from './identity-providers.ts';
import { SIGNATURE_ALGORITHMS } from './signature-algorithms.ts';

/** A verified logout token: it has a `sub` or `sid`. The caller accepts each `id` (`jti`) once. */
export interface LogoutToken {
  id: string;
  claims: Claims;
}

export interface LogoutTokenIssuer {
  issuer: string;
  clientId: string;
  jwksUri: string;
}

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const TYPES = ['logout+jwt', 'application/logout+jwt', 'jwt'];
const MAX_AGE_SECONDS = 300;
const SKEW_SECONDS = 60;
const TIMEOUT_MS = 10_000;
const MAX_KEY_SETS = 1000;
const MAX_ID = 255;

export function createLogoutTokens({ fetch, clock }: { fetch: Fetch; clock: Clock }) {
  const keySets = new LRUCache<string, JWTVerifyGetKey>({ max: MAX_KEY_SETS });

  /** The key set of a provider: fetched when a key is missing, at most twice a minute. */
  function getKeySet(jwksUri: string): JWTVerifyGetKey {
    const known = keySets.get(jwksUri);
    if (known) return known;
    const options = { [customFetch]: fetch as never, timeoutDuration: TIMEOUT_MS };
    const keys = createRemoteJWKSet(new URL(jwksUri), options);
    keySets.set(jwksUri, keys);
    return keys;
  }

  return {
    /** @throws Error for an invalid token; AppError when the provider cannot be reached */
    async verify(
      token: string,
      { issuer, clientId, jwksUri }: LogoutTokenIssuer,
    ): Promise<LogoutToken> {
      const { payload, protectedHeader } = await jwtVerify(token, getKeySet(jwksUri), {
        algorithms: SIGNATURE_ALGORITHMS,
        issuer,
        audience: clientId,
        currentDate: clock.now(),
        clockTolerance: SKEW_SECONDS,
        maxTokenAge: MAX_AGE_SECONDS,
        requiredClaims: ['jti', 'events'],
      });
      const { typ } = protectedHeader;
      if (typ !== undefined && !TYPES.includes(typ.toLowerCase()))
        throw new Error('`typ` of the logout token is that of another token');
      return { id: requireTokenId(payload), claims: payload as Claims };
    },
  };
}
export type LogoutTokens = ReturnType<typeof createLogoutTokens>;

/** Returns the `jti` of a token that has every required claim of a logout token and none of another kind of token. */
function requireTokenId(claims: JWTPayload): string {
  const { jti, sub, sid, aud, nonce, events } = claims;
  if (!isValidId(jti)) throw new Error('`jti` of the logout token is not usable');
  if (![sub, sid].some(isValidId))
    throw new Error('Logout token names neither a person nor a session');
  if (![sub, sid].every((id) => id === undefined || isValidId(id)))
    throw new Error('`sub` or `sid` of the logout token is not usable');
  if (Array.isArray(aud) && aud.length > 1) throw new Error('Logout token has a second audience');
  if (nonce !== undefined) throw new Error('Logout token has a nonce, as only an ID token may');
  const event = isObject(events) && Object.hasOwn(events, EVENT) ? events[EVENT] : null;
  if (!isObject(event)) throw new Error('`events` of the logout token names no logout');
  return jti;
}

const isValidId = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= MAX_ID;
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

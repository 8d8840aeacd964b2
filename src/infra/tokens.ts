// Session tokens: signed with HS256, bound to one use, verified with an explicit algorithm list.
import jwt from 'jsonwebtoken';
import { AppError } from '../errors.ts';
import type { Clock } from './clock.ts';

/** What a session token says. Times are seconds since the epoch. */
export interface SessionClaims {
  sub: string;
  organizationId: string;
  role: string;
  jti: string;
  exp: number;
}

export interface SessionTokens {
  sign(claims: SessionClaims): string;
  /** @throws AppError `TOKEN_EXPIRED`, `TOKEN_VERIFICATION_FAILED` */
  verify(token: string): SessionClaims;
}

const AUDIENCE = 'assay:session';
const ISSUER = 'assay';

/** Tokens of the current secret; those of former secrets are still accepted. */
export function createSessionTokens({
  secret,
  formerSecrets,
  clock,
}: {
  secret: string;
  formerSecrets: readonly string[];
  clock: Clock;
}): SessionTokens {
  function verifyWith(key: string, token: string): SessionClaims {
    const clockTimestamp = Math.floor(clock.now().getTime() / 1000);
    const claims = jwt.verify(token, key, {
      algorithms: ['HS256'],
      audience: AUDIENCE,
      issuer: ISSUER,
      clockTimestamp,
    });
    if (typeof claims === 'string' || !isSession(claims)) throw new AppError('TOKEN_VERIFICATION_FAILED');
    return claims;
  }
  return {
    sign: (claims) =>
      jwt.sign({ ...claims, iat: Math.floor(clock.now().getTime() / 1000) }, secret, {
        algorithm: 'HS256',
        audience: AUDIENCE,
        issuer: ISSUER,
      }),
    verify(token) {
      const keys = [secret, ...formerSecrets];
      for (const [index, key] of keys.entries()) {
        try {
          return verifyWith(key, token);
        } catch (error) {
          if (error instanceof jwt.TokenExpiredError) throw new AppError('TOKEN_EXPIRED');
          if (index === keys.length - 1) throw new AppError('TOKEN_VERIFICATION_FAILED', undefined, { cause: error });
        }
      }
      throw new AppError('TOKEN_VERIFICATION_FAILED');
    },
  };
}

function isSession(claims: jwt.JwtPayload): claims is jwt.JwtPayload & SessionClaims {
  return (
    [claims.sub, claims.organizationId, claims.role, claims.jti].every((claim) => typeof claim === 'string') &&
    typeof claims.exp === 'number'
  );
}

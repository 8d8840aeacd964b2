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
  /** The claims of a genuine token. Whether it has expired is the caller's question, for a revocation is told first. @throws AppError `TOKEN_VERIFICATION_FAILED` */
  verify(token: string): SessionClaims;
}

const AUDIENCE = 'assay:session';
const ISSUER = 'assay';
const WANTED: jwt.VerifyOptions = {
  algorithms: ['HS256'],
  audience: AUDIENCE,
  issuer: ISSUER,
  ignoreExpiration: true,
};

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
  function read(key: string, token: string): SessionClaims | null {
    try {
      const { header, payload } = jwt.verify(token, key, { ...WANTED, complete: true });
      return header.typ === 'JWT' && isSession(payload) ? payload : null;
    } catch {
      return null;
    }
  }
  return {
    sign: (claims) =>
      jwt.sign({ ...claims, iat: Math.floor(clock.now().getTime() / 1000) }, secret, {
        algorithm: 'HS256',
        audience: AUDIENCE,
        issuer: ISSUER,
      }),
    verify(token) {
      for (const key of [secret, ...formerSecrets]) {
        const claims = read(key, token);
        if (claims) return claims;
      }
      throw new AppError('TOKEN_VERIFICATION_FAILED');
    },
  };
}

function isSession(claims: jwt.JwtPayload | string): claims is jwt.JwtPayload & SessionClaims {
  return (
    typeof claims !== 'string' &&
    [claims.sub, claims.organizationId, claims.role, claims.jti].every((claim) => typeof claim === 'string') &&
    typeof claims.exp === 'number'
  );
}

// Session tokens and the temp tokens of a second step: signed with HS256, each bound to its one use, verified with an explicit algorithm list.
import { createSecretKey, type KeyObject } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { AppError } from '../../errors.ts';
import type { Clock } from '../clock.ts';

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

/** What the temp token between password and second factor says. */
export interface TempClaims {
  sub: string;
  /** The one-time token that counts its tries and ends it. */
  jti: string;
  exp: number;
}

export interface TempTokens {
  issue(claims: TempClaims): string;
  /** @throws AppError `TOKEN_VERIFICATION_FAILED`; its end is the one-time token's */
  read(token: string): TempClaims;
}

const SESSION_AUDIENCE = 'assay:session';
const TEMP_AUDIENCE = 'assay:second-factor';
const ISSUER = 'assay';

interface Keys {
  secret: string;
  formerSecrets: readonly string[];
  clock: Clock;
}

/** Made once: of a bare text the library would first try to read a public key, with every token, which takes half a millisecond. */
const keyOf = (secret: string): KeyObject => createSecretKey(Buffer.from(secret));

/** Signs and verifies for one audience. Tokens of the current secret are made; those of former secrets are still accepted. */
function createSigner({ secret, formerSecrets, clock }: Keys, audience: string) {
  const key = keyOf(secret);
  const accepted = [key, ...formerSecrets.map(keyOf)];
  const wanted: jwt.VerifyOptions = {
    algorithms: ['HS256'],
    audience,
    issuer: ISSUER,
    ignoreExpiration: true,
  };
  function read(key: KeyObject, token: string): jwt.JwtPayload | null {
    try {
      const { header, payload } = jwt.verify(token, key, { ...wanted, complete: true });
      return header.typ === 'JWT' && typeof payload !== 'string' ? payload : null;
    } catch {
      return null;
    }
  }
  return {
    make: (claims: object): string =>
      jwt.sign({ ...claims, iat: Math.floor(clock.now().getTime() / 1000) }, key, {
        algorithm: 'HS256',
        audience,
        issuer: ISSUER,
      }),
    verify<T extends object>(
      token: string,
      accepts: (claims: jwt.JwtPayload) => claims is jwt.JwtPayload & T,
    ): T {
      for (const each of accepted) {
        const claims = read(each, token);
        if (claims && accepts(claims)) return claims;
      }
      throw new AppError('TOKEN_VERIFICATION_FAILED');
    },
  };
}

export function createSessionTokens(keys: Keys): SessionTokens {
  const signer = createSigner(keys, SESSION_AUDIENCE);
  return { sign: signer.make, verify: (token) => signer.verify(token, isSession) };
}

export function createTempTokens(keys: Keys): TempTokens {
  const signer = createSigner(keys, TEMP_AUDIENCE);
  return { issue: signer.make, read: (token) => signer.verify(token, isTemp) };
}

const texts = (...claims: unknown[]): boolean => claims.every((claim) => typeof claim === 'string');

function isSession(claims: jwt.JwtPayload): claims is jwt.JwtPayload & SessionClaims {
  return (
    texts(claims.sub, claims.organizationId, claims.role, claims.jti) &&
    typeof claims.exp === 'number'
  );
}

function isTemp(claims: jwt.JwtPayload): claims is jwt.JwtPayload & TempClaims {
  return texts(claims.sub, claims.jti) && typeof claims.exp === 'number';
}

// Session tokens, and temp tokens between password and second factor: HS256 JWTs with separate audiences.
import { createSecretKey, type KeyObject } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { AppError } from '../../errors.ts';
import type { Clock } from '../clock.ts';

/** The claims of a session token. Times are in seconds since the epoch. */
export interface SessionClaims {
  sub: string;
  organizationId: string;
  role: string;
  jti: string;
  /** When it was signed; unset: when `sign` is called. */
  iat?: number;
  exp: number;
}

export interface SessionTokens {
  sign(claims: SessionClaims): string;
  /** Verifies all but the expiry, which the caller checks later. @throws AppError `TOKEN_VERIFICATION_FAILED` */
  verify(token: string): SessionClaims;
}

/** The claims of the temp token between password and second factor. */
export interface TempClaims {
  sub: string;
  /** The one-time token that counts attempts and ends the temp token. */
  jti: string;
  exp: number;
}

export interface TempTokens {
  issue(claims: TempClaims): string;
  /** Verifies all but the expiry, which the one-time token decides. @throws AppError `TOKEN_VERIFICATION_FAILED` */
  read(token: string): TempClaims;
}

const SESSION_AUDIENCE = 'assay:session';
const TEMP_AUDIENCE = 'assay:second-factor';
const ISSUER = 'assay';

interface SigningKeys {
  secret: string;
  formerSecrets: readonly string[];
  clock: Clock;
}

/** Makes a key object: the library would try to parse a string as a public key, which takes 0.5 ms a token. */
const toSecretKey = (secret: string): KeyObject => createSecretKey(Buffer.from(secret));

/** Signs with the current secret, and verifies with previous ones too. */
function createSigner({ secret, formerSecrets, clock }: SigningKeys, audience: string) {
  const key = toSecretKey(secret);
  const acceptedKeys = [key, ...formerSecrets.map(toSecretKey)];
  const options: jwt.VerifyOptions = {
    algorithms: ['HS256'],
    audience,
    issuer: ISSUER,
    ignoreExpiration: true,
  };
  function verifyToken(key: KeyObject, token: string): jwt.JwtPayload | null {
    try {
      const { header, payload } = jwt.verify(token, key, { ...options, complete: true });
      return header.typ === 'JWT' && typeof payload !== 'string' ? payload : null;
    } catch {
      return null;
    }
  }
  return {
    sign: (claims: object): string =>
      jwt.sign({ iat: Math.floor(clock.now().getTime() / 1000), ...claims }, key, {
        algorithm: 'HS256',
        audience,
        issuer: ISSUER,
      }),
    verify<T extends object>(
      token: string,
      hasShape: (claims: jwt.JwtPayload) => claims is jwt.JwtPayload & T,
    ): T {
      for (const acceptedKey of acceptedKeys) {
        const claims = verifyToken(acceptedKey, token);
        if (claims && hasShape(claims)) return claims;
      }
      throw new AppError('TOKEN_VERIFICATION_FAILED');
    },
  };
}

export function createSessionTokens(keys: SigningKeys): SessionTokens {
  const signer = createSigner(keys, SESSION_AUDIENCE);
  return { sign: signer.sign, verify: (token) => signer.verify(token, isSession) };
}

export function createTempTokens(keys: SigningKeys): TempTokens {
  const signer = createSigner(keys, TEMP_AUDIENCE);
  return { issue: signer.sign, read: (token) => signer.verify(token, isTemp) };
}

const hasOnlyStrings = (...claims: unknown[]): boolean =>
  claims.every((claim) => typeof claim === 'string');

function isSession(claims: jwt.JwtPayload): claims is jwt.JwtPayload & SessionClaims {
  return (
    hasOnlyStrings(claims.sub, claims.organizationId, claims.role, claims.jti) &&
    typeof claims.exp === 'number'
  );
}

function isTemp(claims: jwt.JwtPayload): claims is jwt.JwtPayload & TempClaims {
  return hasOnlyStrings(claims.sub, claims.jti) && typeof claims.exp === 'number';
}

// Session tokens: own tokens are read back, foreign ones are refused, regardless of their expiry.
import jwt from 'jsonwebtoken';
import { describe, expect, test } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { createSessionTokens, type SessionClaims } from '../../../src/platform/secrets/tokens.ts';

const clock = { now: () => new Date('2026-11-21T12:00:00.750Z') };
const secret = 'the present secret, long enough for tests';
const former = 'the former secret, long enough for tests';
const tokens = createSessionTokens({ secret, formerSecrets: [former], clock });
const claims: SessionClaims = {
  sub: 'a'.repeat(24),
  organizationId: 'b'.repeat(24),
  role: 'owner',
  jti: 'one session',
  exp: Math.floor(clock.now().getTime() / 1000) + 3600,
};
const rest = { audience: 'assay:session', issuer: 'assay' };

function codeOf(token: string): string {
  try {
    tokens.verify(token);
    return 'accepted';
  } catch (error) {
    return error instanceof AppError ? error.code : String(error);
  }
}

test('a token holds its claims, audience, issuer and time of issue', () => {
  const made = { ...claims, iat: 1_795_262_400, aud: 'assay:session', iss: 'assay' };
  const token = tokens.sign(claims);
  expect(jwt.decode(token, { complete: true })).toMatchObject({
    header: { alg: 'HS256', typ: 'JWT' },
    payload: made,
  });
  expect(tokens.verify(token)).toEqual(made);
});

test('the caller checks the expiry', () => {
  expect(tokens.verify(tokens.sign({ ...claims, exp: 1 })).exp).toBe(1);
});

describe('accepted tokens', () => {
  test.each([
    ['the present secret', secret, 'accepted'],
    ['a former secret', former, 'accepted'],
    ['another secret', `${secret}!`, 'TOKEN_VERIFICATION_FAILED'],
  ])('%s', (_, key, verdict) => {
    expect(codeOf(jwt.sign(claims, key, rest))).toBe(verdict);
  });

  test.each([
    ['another algorithm', jwt.sign(claims, secret, { ...rest, algorithm: 'HS384' })],
    ['another audience', jwt.sign(claims, secret, { ...rest, audience: 'assay:stream' })],
    ['another issuer', jwt.sign(claims, secret, { ...rest, issuer: 'another' })],
    [
      'another typ',
      jwt.sign(claims, secret, { ...rest, header: { alg: 'HS256', typ: 'temp+jwt' } }),
    ],
    ['a token that is not valid yet', jwt.sign(claims, secret, { ...rest, notBefore: '10y' })],
    ['text instead of claims', jwt.sign('text', secret)],
    ['no role', jwt.sign({ ...claims, role: undefined }, secret, rest)],
    ['nothing', ''],
  ])('not %s', (_, token) => {
    expect(codeOf(token)).toBe('TOKEN_VERIFICATION_FAILED');
  });
});

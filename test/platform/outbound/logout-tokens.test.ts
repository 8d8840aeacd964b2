// Logout tokens: one that a provider signs is verified, and one that lacks a claim or is another token is refused.
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { beforeAll, expect, test } from 'vitest';
import { createLogoutTokens } from '../../../src/platform/outbound/logout-tokens.ts';

const NOW = new Date('2026-06-01T12:00:00Z');
const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const provider = {
  issuer: 'https://idp.example',
  clientId: 'assay',
  jwksUri: 'https://idp.example/keys',
};
const claims = { jti: 'a', sub: 's', events: { [EVENT]: {} } };

let asked = 0;
let keys: Awaited<ReturnType<typeof generateKeyPair>>;
let tokens: ReturnType<typeof createLogoutTokens>;
beforeAll(async () => {
  keys = await generateKeyPair('ES256');
  const set = { keys: [{ ...(await exportJWK(keys.publicKey)), alg: 'ES256' }] };
  const answerKeys = () => {
    asked += 1;
    return Promise.resolve(Response.json(set));
  };
  tokens = createLogoutTokens({ fetch: answerKeys as never, clock: { now: () => NOW } as never });
});

interface Signed {
  claims?: object;
  typ?: string;
  audience?: string | string[];
  age?: number;
}

function signToken({ claims: own = claims, typ, audience = 'assay', age = 0 }: Signed) {
  return new SignJWT({ ...own })
    .setProtectedHeader({ alg: 'ES256', ...(typ !== undefined && { typ }) })
    .setIssuer(provider.issuer)
    .setAudience(audience)
    .setIssuedAt(NOW.getTime() / 1000 - age)
    .sign(keys.privateKey);
}

test.each<[string, Signed]>([
  ['a person', {}],
  ['a session', { claims: { ...claims, sub: undefined, sid: 'x' } }],
  ['both', { claims: { ...claims, sid: 'x' } }],
  ['the longest ids', { claims: { ...claims, jti: 'a'.repeat(255), sub: 's'.repeat(255) } }],
  ['its type', { typ: 'logout+jwt' }],
  ['its media type', { typ: 'application/Logout+JWT' }],
  ['a list of one audience', { audience: ['assay'] }],
  ['an age of five minutes, and one for the clocks', { age: 360 }],
  ['a clock that is a minute ahead', { age: -60 }],
])('one with %s is verified', async (_what, signed) => {
  const { jti = claims.jti } = (signed.claims ?? {}) as { jti?: string };
  const { id, claims: verified } = await tokens.verify(await signToken(signed), provider);
  expect(id).toBe(jti);
  expect(verified).toMatchObject(JSON.parse(JSON.stringify(signed.claims ?? claims)) as object);
  expect(asked).toBe(1);
});

test.each<[string, Signed, RegExp]>([
  ['no id', { claims: { ...claims, jti: undefined } }, /jti/],
  ['an empty id', { claims: { ...claims, jti: '' } }, /`jti`.*not usable/],
  ['an id that is too long', { claims: { ...claims, jti: 'a'.repeat(256) } }, /`jti`.*not usable/],
  ['a number as id', { claims: { ...claims, jti: 7 } }, /jti/],
  ['neither person nor session', { claims: { ...claims, sub: undefined } }, /neither/],
  ['an empty person', { claims: { ...claims, sub: '' } }, /neither/],
  ['an unusable session', { claims: { ...claims, sid: '' } }, /`sub` or `sid`.*not usable/],
  ['a second audience', { audience: ['assay', 'other'] }, /second audience/],
  ['another audience', { audience: 'other' }, /aud/],
  ['a nonce', { claims: { ...claims, nonce: 'n' } }, /nonce/],
  ['no event', { claims: { ...claims, events: undefined } }, /events/],
  ['another event', { claims: { ...claims, events: { other: {} } } }, /names no logout/],
  ['a text as event', { claims: { ...claims, events: { [EVENT]: 'x' } } }, /names no logout/],
  ['a list as event', { claims: { ...claims, events: { [EVENT]: [] } } }, /names no logout/],
  ['a text as events', { claims: { ...claims, events: EVENT } }, /names no logout/],
  ['the type of another token', { typ: 'at+jwt' }, /`typ`/],
  ['a greater age', { age: 361 }, /iat/],
  ['a clock far ahead', { age: -61 }, /iat/],
])('one with %s is refused', async (_what, signed, reason) => {
  await expect(tokens.verify(await signToken(signed), provider)).rejects.toThrow(reason);
});

test('one of another issuer is refused', async () => {
  const token = await signToken({});
  const other = { ...provider, issuer: 'https://other.example' };
  await expect(tokens.verify(token, other)).rejects.toThrow(/iss/);
});

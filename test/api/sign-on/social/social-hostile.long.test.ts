// Social login: attacks, none of which signs in.
// @module-tag long
import { describe, expect, test } from 'vitest';
import { Browser, SESSION, TEMP_TOKEN } from '../../../setup/browser.ts';
import { toObjectId } from '../../../setup/harness.ts';
import {
  createKeyPair,
  parseAuthorization,
  createReply,
  type Claims,
} from '../../../setup/providers/identity-provider.ts';
import { ENTRA, TENANT, ended, signedIn, refused, socialStage } from './social-stage.ts';

const foreign = createKeyPair();
const stage = socialStage();
const { person, setOut, through, byGoogle, byEntra, byGitHub, me, users, registered } = stage;

describe('the login is refused', () => {
  const vouchless: [string, Claims][] = [
    ['an address that is not verified', { email_verified: false }],
    ['an address of which nothing is said', { email_verified: undefined }],
    ['an address that is verified in words', { email_verified: 'true' }],
    ['an address that is verified by a number', { email_verified: 1 }],
    ['no address', { email: undefined }],
    ['what is no address', { email: 'sam' }],
    ['two addresses', { email: ['a@example.net', 'b@example.net'] }],
    ['a claim that only Entra is trusted with', { email_verified: undefined, xms_edov: true }],
  ];
  test.for(vouchless)('with %s: no account is created, linked or signed in', async ([, claims]) => {
    const registrant = await registered(true);
    const before = await users({});
    const stranger = person({
      ...(claims.email === undefined && { email: registrant.email }),
      ...claims,
    });
    expect(ended((await byGoogle(stranger)).answer)).toEqual(refused('FORBIDDEN'));
    const known = person();
    await byGoogle(known);
    expect(ended((await byGoogle({ ...known, ...claims })).answer)).toEqual(refused('FORBIDDEN'));
    expect(await users({})).toBe(before + 1);
    expect(
      await users({ _id: toObjectId(registrant.userId), 'identities.0': { $exists: true } }),
    ).toBe(0);
  });

  test('as another account at the provider with a recycled address', async () => {
    const one = person();
    await byGoogle(one);
    expect(ended((await byGoogle({ ...one, sub: 'recycled' })).answer)).toEqual(
      refused('CONFLICT'),
    );
  });

  test('by the same name at another provider', async () => {
    const one = person();
    const { user } = await me((await byGoogle(one)).answer);
    const other = await me((await byEntra(person({ sub: one.sub, xms_edov: true }))).answer);
    expect(other.user._id).not.toBe(user._id);
  });

  const entraClaims: [string, Claims, string][] = [
    ['no claim vouches for the address', { email_verified: undefined }, 'FORBIDDEN'],
    [
      'the owner of the domain did not give it',
      { email_verified: undefined, xms_edov: false },
      'FORBIDDEN',
    ],
    [
      'verified, and the owner of the domain did not',
      { email_verified: false, xms_edov: true },
      'FORBIDDEN',
    ],
    ['the issuer is another tenant’s', { tid: 'another-tenant' }, 'TOKEN_VERIFICATION_FAILED'],
    ['there is no tenant', { tid: undefined }, 'TOKEN_VERIFICATION_FAILED'],
    ['the issuer is the pattern', { iss: `${ENTRA}/{tenantid}/v2.0` }, 'TOKEN_VERIFICATION_FAILED'],
    [
      'the issuer is not Entra',
      { iss: `https://sts.example.net/${TENANT}/v2.0` },
      'TOKEN_VERIFICATION_FAILED',
    ],
  ];
  test.for(entraClaims)('by Entra where %s', async ([, claims, code]) => {
    expect(ended((await byEntra(person(claims))).answer)).toEqual(refused(code));
  });

  const sam = { id: 7, login: 'sam', name: 'Sam' };
  const good = [{ email: 'sam@example.net', primary: true, verified: true }];
  const gitHubAnswers: [string, unknown, unknown, string][] = [
    ['the primary address is not verified', sam, [{ ...good[0], verified: false }], 'FORBIDDEN'],
    [
      'another address is verified',
      sam,
      [
        { ...good[0], verified: false },
        { ...good[0], email: 'x@example.net', primary: false },
      ],
      'FORBIDDEN',
    ],
    ['there is no address', sam, [], 'FORBIDDEN'],
    ['addresses are not listed', sam, { message: 'Not Found' }, 'TOKEN_VERIFICATION_FAILED'],
    ['no profile is given', { message: 'Bad credentials' }, good, 'TOKEN_VERIFICATION_FAILED'],
    ['the number is a text', { ...sam, id: '7' }, good, 'TOKEN_VERIFICATION_FAILED'],
  ];
  test.for(gitHubAnswers)('by GitHub where %s', async ([, user, emails, code]) => {
    expect(ended((await byGitHub(user, emails)).answer)).toEqual(refused(code));
  });

  test('by GitHub where the code is refused with the status of a success, or the API refuses', async () => {
    stage.gitHub.tricks = { token: createReply({ error: 'bad_verification_code' }) };
    const denied = await through('oauth-b', () => ({ realm: stage.gitHub, idToken: null }));
    expect(ended(denied.answer)).toEqual(refused('TOKEN_VERIFICATION_FAILED'));
    stage.gitHub.tricks = {
      user: createReply(sam),
      'user/emails': createReply({ message: 'Not Found' }, 404),
    };
    const scopeless = await through('oauth-b', () => ({ realm: stage.gitHub, idToken: null }));
    expect(ended(scopeless.answer)).toEqual(refused('IDENTITY_PROVIDER_UNAVAILABLE'));
    stage.gitHub.tricks = {};
  });

  const forgeries: [string, (claims: Claims) => string | null][] = [
    ['is unsigned', (claims) => stage.google.sign(claims, { alg: 'none' }, null)],
    [
      'is signed by the client secret',
      (claims) => stage.google.sign(claims, { alg: 'HS256' }, stage.google.clientSecret),
    ],
    ['is signed by a foreign key', (claims) => stage.google.sign(claims, {}, foreign.privateKey)],
    [
      'is for another client',
      (claims) => stage.google.sign({ ...claims, aud: stage.entra.clientId }),
    ],
    ['is of another issuer', (claims) => stage.google.sign({ ...claims, iss: stage.entra.issuer })],
    ['is of another sign-on', (claims) => stage.google.sign({ ...claims, nonce: 'another' })],
    ['is over', (claims) => stage.google.sign({ ...claims, exp: 1 })],
    ['names no subject', (claims) => stage.google.sign({ ...claims, sub: undefined })],
    ['is missing', () => null],
  ];
  test.for(forgeries)('when the ID token %s', async ([, forge]) => {
    const { answer } = await through('oauth-a', (asked) => ({
      realm: stage.google,
      idToken: forge(stage.google.claims(asked, person())),
    }));
    expect(ended(answer)).toEqual(refused('TOKEN_VERIFICATION_FAILED'));
  });

  test('with a state of another callback, of another browser, of no request, or a second time', async () => {
    const [one, two] = [new Browser(stage.harness.app), new Browser(stage.harness.app)];
    const back = stage.google.authorizePerson(await setOut(one, 'oauth-a'), person());
    const wrong = refused('INVALID_TOKEN');
    expect(ended(await one.returnFromProvider('oauth-b/callback', back))).toEqual(wrong);
    expect(ended(await one.returnFromProvider('sso/callback', back))).toEqual(wrong);
    expect(ended(await two.returnFromProvider('oauth-a/callback', back))).toEqual(wrong);
    expect(
      ended(await one.returnFromProvider('oauth-a/callback', { ...back, state: 'x' })),
    ).toEqual(wrong);
    expect(
      ended(await one.returnFromProvider('oauth-a/callback', { error: 'access_denied' })),
    ).toEqual(wrong);
    const cookies = new Map(one.cookies);
    expect(ended(await one.returnFromProvider('oauth-a/callback', back))).toEqual(signedIn);
    cookies.forEach((value, name) => one.cookies.set(name, value));
    expect(ended(await one.returnFromProvider('oauth-a/callback', back))).toEqual(wrong);
  });

  test('when the person or the provider says no', async () => {
    const browser = new Browser(stage.harness.app);
    const { state } = parseAuthorization(await setOut(browser, 'oauth-a'));
    const answer = await browser.returnFromProvider('oauth-a/callback', {
      error: 'access_denied',
      state,
    });
    expect(ended(answer)).toEqual(refused('FORBIDDEN'));
    expect(browser.cookies.size).toBe(0);
  });

  test('with a forged cookie', async () => {
    for (const value of [
      '',
      'x',
      'a.b.c',
      `${Buffer.from('{"alg":"none"}').toString('base64url')}.e30.`,
    ]) {
      const headers = { cookie: `${SESSION}=${value}; ${TEMP_TOKEN}=${value}` };
      for (const path of ['oauth-token', 'sso/mfa-exchange'])
        expect(
          (await stage.harness.app.call('GET', `/api/v1/auth/${path}`, { headers })).status,
        ).toBe(401);
    }
  });
});

// The set-up for tests of social login: three independent providers, and people who sign in with them.
import { afterAll, beforeAll, expect } from 'vitest';
import { Browser, readCookie, parseLanding, SESSION } from '../../../setup/browser.ts';
import { toObjectId, startHarness, type Harness } from '../../../setup/harness.ts';
import {
  parseAuthorization,
  createReply,
  startHandmadeProvider,
  type AuthorizationRequest,
  type Claims,
  type HandmadeProvider,
  type Realm,
} from '../../../setup/providers/identity-provider.ts';
import { assertOk, createOwner, PASSWORD, type Owner } from '../../../setup/personas.ts';
import { MovedClock } from '../../../setup/second-factor.ts';
import type { Answer } from '../../../setup/start-app.ts';

export const HOME = 'https://app.example.com/signed-on';
export const ENTRA = 'https://login.microsoftonline.com';
export const TENANT = '9188040d-6c67-4c5b-b112-36a304b66dad';
export type Door = 'oauth-a' | 'oauth-b' | 'oauth-c';

export const ended = (answer: Answer) => ({
  ...parseLanding(answer),
  session: readCookie(answer, SESSION) !== null,
});
export const signedIn = { status: 302, at: HOME, query: {}, session: true };
export const refused = (error: string) => ({
  status: 302,
  at: HOME,
  query: { error },
  session: false,
});
export const tokenIn = (answer: Answer): string => readCookie(answer, SESSION) ?? '';

/** Starts and stops everything by itself; call it once per file. */
export function socialStage() {
  const clock = new MovedClock();

  let harness: Harness;
  let provider: HandmadeProvider;
  let google: Realm;
  let gitHub: Realm;
  let entra: Realm;
  let environment: Record<string, string>;
  const parts = {
    clock,
    // Entra is known by its name, so that is what it is called; it answers on the loopback.
    fetch: ((url: string, options?: RequestInit) =>
      fetch(url.replace(ENTRA, provider.origin), options)) as typeof globalThis.fetch,
  };
  beforeAll(async () => {
    provider = await startHandmadeProvider();
    [google, gitHub, entra] = [
      provider.createRealm(),
      provider.createRealm(),
      provider.createRealm(`${ENTRA}/common/v2.0`),
    ];
    entra.metadata = { issuer: `${ENTRA}/{tenantid}/v2.0` };
    const client = (letter: string, { clientId, clientSecret }: Realm) => ({
      [`ASSAY_OAUTH_${letter}_CLIENT_ID`]: clientId,
      [`ASSAY_OAUTH_${letter}_CLIENT_SECRET`]: clientSecret,
    });
    environment = {
      ASSAY_PUBLIC_URL: 'https://assay.example.com',
      ASSAY_RETURN_URLS: HOME,
      ASSAY_OAUTH_A_ISSUER: google.issuer,
      ASSAY_OAUTH_B_AUTHORIZATION_URL: `${gitHub.issuer}/authorize`,
      ASSAY_OAUTH_B_TOKEN_URL: `${gitHub.issuer}/token`,
      ASSAY_OAUTH_B_API_URL: gitHub.issuer,
      ...client('A', google),
      ...client('B', gitHub),
      ...client('C', entra),
    };
    harness = await startHarness(environment, parts);
  });
  afterAll(async () => {
    await harness.stop();
    await provider.stop();
  });

  let made = 0;
  /** A person at a provider, whose address it vouches for. */
  const person = (more: Claims = {}): Claims & { sub: string; email: string } => {
    made += 1;
    return {
      sub: `s${made}`,
      email: `s${made}@example.net`,
      email_verified: true,
      name: `Sam ${made}`,
      ...more,
    };
  };
  const start = (browser: Browser, door: Door, query = ''): Promise<Answer> =>
    browser.call('GET', `/api/v1/auth/${door}${query}`);
  async function setOut(browser: Browser, door: Door): Promise<string> {
    const { status, headers } = await start(browser, door);
    expect(status).toBe(302);
    return headers.get('location') ?? '';
  }

  /** Completes a login at one provider, with the given claims. */
  async function through(
    door: Door,
    answer: (asked: AuthorizationRequest) => { realm: Realm; idToken: string | null },
  ) {
    const browser = new Browser(harness.app);
    const asked = parseAuthorization(await setOut(browser, door));
    const { realm, idToken } = answer(asked);
    const back = { code: realm.code(asked, idToken), state: asked.state };
    return { browser, back, answer: await browser.returnFromProvider(`${door}/callback`, back) };
  }
  const byGoogle = (claims: Claims) =>
    through('oauth-a', (asked) => ({
      realm: google,
      idToken: google.sign(google.claims(asked, claims)),
    }));
  const byEntra = (claims: Claims) =>
    through('oauth-c', (asked) => {
      const mine = { iss: `${ENTRA}/${TENANT}/v2.0`, tid: TENANT, ...claims };
      return { realm: entra, idToken: entra.sign(entra.claims(asked, mine)) };
    });
  function byGitHub(user: unknown, emails: unknown) {
    gitHub.tricks = { user: createReply(user), 'user/emails': createReply(emails) };
    return through('oauth-b', () => ({ realm: gitHub, idToken: null }));
  }

  const me = async (answer: Answer): Promise<Answer['body']> =>
    assertOk(await harness.app.call('GET', '/api/v1/auth/me', { token: tokenIn(answer) })).body
      .data;
  const login = (email: string): Promise<Answer> =>
    harness.app.call('POST', '/api/v1/auth/login', { body: { email, password: PASSWORD } });
  const users = (where: object) => harness.db.collection('users').countDocuments(where);
  /** Registers an account with a password; its address is unproved unless `proved`. */
  async function registered(proved: boolean): Promise<Owner> {
    const registrant = await createOwner(harness.app, 'Reg');
    if (proved)
      await harness.db
        .collection('users')
        .updateOne(
          { _id: toObjectId(registrant.userId) },
          { $set: { emailVerifiedAt: new Date() } },
        );
    return registrant;
  }

  return {
    clock,
    parts,
    person,
    start,
    setOut,
    through,
    byGoogle,
    byEntra,
    byGitHub,
    me,
    login,
    users,
    registered,
    get harness() {
      return harness;
    },
    get provider() {
      return provider;
    },
    get google() {
      return google;
    },
    get gitHub() {
      return gitHub;
    },
    get entra() {
      return entra;
    },
    get environment() {
      return environment;
    },
  };
}

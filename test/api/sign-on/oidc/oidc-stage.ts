// A stage for hostile OpenID providers: one organisation, what must not sign anybody in, and how that is seen.
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { Browser, readCookie, parseLanding, SESSION, TEMP_TOKEN } from '../../../setup/browser.ts';
import { startHarness, type Harness } from '../../../setup/harness.ts';
import {
  parseAuthorization,
  startHandmadeProvider,
  type AuthorizationRequest,
  type HandmadeProvider,
  type Realm,
} from '../../../setup/providers/identity-provider.ts';
import { assertOk } from '../../../setup/personas.ts';
import { MovedClock } from '../../../setup/second-factor.ts';
import {
  setSsoConfig,
  createSsoOrganization,
  startLogin,
  type SsoOrganization,
} from '../../../setup/providers/sso.ts';
import type { Answer } from '../../../setup/start-app.ts';

export const HOME = 'https://app.example.com/signed-on';

export const mallory = (at: SsoOrganization) => ({
  sub: 'mallory',
  email: `mallory@${at.domain}`,
});

/** Call it once in a file: it starts and stops everything by itself. */
export function oidcStage() {
  const clock = new MovedClock();
  let harness: Harness;
  let provider: HandmadeProvider;
  let home: SsoOrganization;
  beforeAll(async () => {
    provider = await startHandmadeProvider();
    harness = await startHarness(
      {
        ASSAY_OUTBOUND_ALLOW: '127.0.0.1',
        ASSAY_PUBLIC_URL: 'https://assay.example.com',
        ASSAY_RETURN_URLS: HOME,
        ASSAY_LIMIT_ACCOUNT: '1000',
      },
      { clock },
    );
    home = await createSsoOrganization(harness, provider.createRealm());
  });
  afterAll(async () => {
    await harness.stop();
    await provider.stop();
  });

  const sessions = (): Promise<number> => harness.db.collection('sessions').countDocuments();
  /** How many there are, and the newest. */
  async function failures({
    owner,
  }: SsoOrganization): Promise<{ total: number; newest: Record<string, unknown> | undefined }> {
    const path = '/api/v1/audit?action=auth.sso.failure&limit=1';
    const { data, pagination } = assertOk(
      await harness.app.call('GET', path, { token: owner.token }),
    ).body;
    return { total: pagination.total as number, newest: data.entries[0] };
  }
  let isAway = false;
  /** The organisation of `home`, at another realm for the rest of the test. */
  async function moved(realm: Realm): Promise<SsoOrganization> {
    isAway = true;
    await setSsoConfig(harness, { ...home, realm });
    return { ...home, realm };
  }
  afterEach(async () => {
    if (isAway) await setSsoConfig(harness, home);
    isAway = false;
  });

  /** Runs what must not sign in; returns the code that the browser gets. */
  async function refusal(
    at: SsoOrganization,
    attack: () => Promise<Answer>,
    { audited = true } = {},
  ): Promise<string | undefined> {
    const [before, noted] = [await sessions(), (await failures(at)).total];
    const answer = await attack();
    const { status, at: place, query } = parseLanding(answer);
    expect([status, place]).toEqual([302, HOME]);
    expect([readCookie(answer, SESSION), readCookie(answer, TEMP_TOKEN)]).toEqual([null, null]);
    expect(await sessions()).toBe(before);
    const { total, newest } = await failures(at);
    expect(total).toBe(noted + (audited ? 1 : 0));
    if (audited)
      expect(newest).toMatchObject({
        status: 'failure',
        detail: expect.stringMatching(/\w/),
        metadata: { method: 'oidc', code: query.error },
      });
    return query.error;
  }

  /** Goes the whole way; the provider's answer is `forge`'s. */
  async function withToken(
    at: SsoOrganization,
    forge: (asked: AuthorizationRequest, realm: Realm) => string | null,
  ): Promise<Answer> {
    const browser = new Browser(harness.app);
    const asked = parseAuthorization(await startLogin(browser, at));
    return browser.returnFromProvider('sso/callback', {
      code: at.realm.code(asked, forge(asked, at.realm)),
      state: asked.state,
    });
  }

  return {
    clock,
    sessions,
    failures,
    moved,
    refusal,
    withToken,
    get harness() {
      return harness;
    },
    get provider() {
      return provider;
    },
    get home() {
      return home;
    },
  };
}

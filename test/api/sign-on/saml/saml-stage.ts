// A stage for SAML: Assay with keys of its own, and for each test an organisation that signs on at one identity provider.
import { SAML } from '@node-saml/node-saml';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { Browser } from '../../../setup/browser.ts';
import { startHarness, type Harness } from '../../../setup/harness.ts';
import {
  EMAIL_ATTRIBUTE,
  SamlIdentityProvider,
  useSaml,
  type SamlRequest,
  type ResponseContent,
} from '../../../setup/providers/identity-provider-saml.ts';
import { createSelfSigned } from '../../../setup/providers/self-signed.ts';
import { assertOk, createOwner, type Owner } from '../../../setup/personas.ts';
import { MovedClock } from '../../../setup/second-factor.ts';
import type { Answer } from '../../../setup/start-app.ts';

export const PUBLIC = 'https://assay.example.com';
export const HOME = `${PUBLIC}/app`;
export const SAML_PATH = '/api/v1/auth/saml';
export const CALLBACK = `${SAML_PATH}/callback`;
export const LOGOUT = `${SAML_PATH}/logout/callback`;

/** What the provider says instead of the ordinary, or a whole response. */
export type Saying = (asked: SamlRequest) => Partial<ResponseContent> | string | Promise<string>;

export const whereTo = (answer: Answer): string | null =>
  answer.status === 302 ? answer.headers.get('location') : null;

/** Whether an address is signed by the key of a certificate, as another implementation sees it. */
export async function signedBy(certificate: string, address: URL): Promise<boolean> {
  const query = Object.fromEntries(address.searchParams);
  const saml = new SAML({ callbackUrl: PUBLIC, issuer: 'x', idpCert: certificate });
  if (!query.Signature) return false;
  return saml['hasValidSignatureForRedirect'](query as never, address.search.slice(1)).then(
    () => true,
    () => false,
  );
}

/** Call it once in a file: it starts and stops everything by itself. */
export function samlStage() {
  const ours = createSelfSigned('assay');
  const clock = new MovedClock();
  const idp = new SamlIdentityProvider(clock.now);
  let harness: Harness;
  let home: Owner;
  let domain = '';
  let made = 0;
  beforeAll(async () => {
    harness = await startHarness(
      {
        ASSAY_PUBLIC_URL: PUBLIC,
        ASSAY_RETURN_URLS: `${HOME},${PUBLIC}/admin`,
        ASSAY_SAML_KEY: ours.key.replaceAll('\n', '\\n'),
        ASSAY_SAML_CERTIFICATE: ours.certificate,
      },
      { clock },
    );
  });
  beforeEach(async () => {
    home = await createOwner(harness.app);
    domain = `d${++made}.example.com`;
    await useSaml(harness, home, { idp, domain });
  });
  afterAll(() => harness.stop());

  /** Begins in a browser; answers what the identity provider receives. */
  async function begin(
    browser: Browser,
    body: object = { organizationId: home.organizationId },
  ): Promise<SamlRequest> {
    const answer = assertOk(await browser.call('POST', `${SAML_PATH}/initiate`, { body }));
    expect(answer.body.data.provider).toBe('saml');
    return idp.receive(answer.body.data.redirectUrl);
  }

  /** A whole sign-on. */
  async function signOn(nameId: string, saying: Saying = () => ({}), body?: object) {
    const browser = new Browser(harness.app);
    const asked = await begin(browser, body);
    const said = await saying(asked);
    const SAMLResponse = typeof said === 'string' ? said : idp.createResponse(asked, nameId, said);
    const answer = await browser.postForm(CALLBACK, { SAMLResponse, RelayState: asked.relayState });
    return { browser, asked, answer, token: browser.cookies.get('svc_oauth_token') ?? '' };
  }

  const person = (name = 'grace'): string => `${name}@${domain}`;
  return {
    ours,
    clock,
    idp,
    begin,
    signOn,
    person,
    withEmail: (attributes: ResponseContent['attributes'] = {}) => ({
      attributes: { [EMAIL_ATTRIBUTE]: [person()], ...attributes },
    }),
    me: async (token: string) =>
      assertOk(await harness.app.call('GET', '/api/v1/auth/me', { token })).body.data,
    get harness() {
      return harness;
    },
    /** The owner of the organisation of this test. */
    get home() {
      return home;
    },
    /** Proved. */
    get domain() {
      return domain;
    },
  };
}

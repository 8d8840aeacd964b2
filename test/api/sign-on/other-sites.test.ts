// SAML across sites: the cookies that a browser sends with the form of another site, over http and https.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Browser } from '../../setup/browser.ts';
import { listAuditEntries, startHarness, type Harness } from '../../setup/harness.ts';
import { SamlIdentityProvider, useSaml } from '../../setup/providers/identity-provider-saml.ts';
import { assertOk, createOwner, type Owner } from '../../setup/personas.ts';
import { startApp, type Answer } from '../../setup/start-app.ts';

const SAML_PATH = '/api/v1/auth/saml';
const idp = new SamlIdentityProvider(() => new Date());

/** A sign-on in a browser, at an organisation of its own. */
async function signOn(harness: Harness, owner: Owner, name: string): Promise<Answer> {
  const browser = new Browser(harness.app);
  const body = { organizationId: owner.organizationId };
  const begun = await browser.call('POST', `${SAML_PATH}/initiate`, { body });
  const asked = idp.receive(assertOk(begun).body.data.redirectUrl);
  const SAMLResponse = idp.createResponse(asked, name);
  return browser.postForm(`${SAML_PATH}/callback`, { SAMLResponse, RelayState: asked.relayState });
}

async function harnessAt(publicUrl: string): Promise<{ harness: Harness; owner: Owner }> {
  const harness = await startHarness({ ASSAY_PUBLIC_URL: publicUrl });
  const owner = await createOwner(harness.app);
  await useSaml(harness, owner, { idp, domain: 'example.com' });
  return { harness, owner };
}

describe.each(['https://assay.example.com', 'http://assay.example.com'])('at %s', (publicUrl) => {
  const isSecure = publicUrl.startsWith('https:');
  let harness: Harness;
  let owner: Owner;
  beforeAll(async () => ({ harness, owner } = await harnessAt(publicUrl)));
  afterAll(() => harness.stop());

  test('the form of the identity provider brings the cookie of the login exactly over https', async () => {
    const answer = await signOn(harness, owner, 'ada@example.com');
    const refused = `${publicUrl}/signed-on?error=INVALID_TOKEN`;
    expect(answer.headers.get('location')).toBe(isSecure ? `${publicUrl}/signed-on` : refused);
    const failures = await listAuditEntries(harness.app, owner, 'action=auth.sso.failure');
    if (isSecure) return expect(failures).toEqual([]);
    expect(failures).toMatchObject([
      {
        status: 'failure',
        detail: 'Login request was not begun in this browser: begin again',
        metadata: { method: 'saml', code: 'INVALID_TOKEN' },
      },
    ]);
  });

  test('every cookie is Secure and goes along, or is not and stays', async () => {
    const body = { organizationId: owner.organizationId };
    const answer = await harness.app.call('POST', `${SAML_PATH}/initiate`, { body });
    const [cookie = ''] = answer.headers.getSetCookie();
    expect([/; Secure/.test(cookie), /SameSite=(\w+)/.exec(cookie)?.[1]]).toEqual(
      isSecure ? [true, 'None'] : [false, 'Lax'],
    );
  });

  test('settings that cannot work give a warning when saved, and to the operator at the start', async () => {
    const part = { entityId: idp.entityId, certificates: [idp.pair.certificate] };
    const put = async (ssoUrl: string): Promise<string[]> => {
      const body = { provider: 'saml', saml: { ...part, ssoUrl } };
      const { token } = owner;
      const answer = await harness.app.call('PUT', '/api/v1/organization/sso', { token, body });
      return assertOk(answer).body.data.warnings;
    };
    const problem = [expect.stringContaining('ASSAY_PUBLIC_URL')];
    expect(await put('https://login.example.com/sso')).toEqual(isSecure ? [] : problem);
    expect(await put('https://idp.example.org/sso')).toEqual(isSecure ? [] : problem);
    const environment = { ASSAY_PUBLIC_URL: publicUrl };
    const again = await startApp(environment, { mongoUri: harness.mongoUri });
    const loggedWarnings = again.logged.filter((line) => line.includes(owner.organizationId));
    await again.stop();
    expect(loggedWarnings).toEqual(isSecure ? [] : problem);
  });
});

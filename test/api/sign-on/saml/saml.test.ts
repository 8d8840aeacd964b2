// Signing on by SAML, with an identity provider that signs and encrypts (document 1, sections 3 and 4.1).
import { useMessageOnce } from '../../../../src/identity/sign-on/login/used-messages.service.ts';
import { SAML, ValidateInResponseTo } from '@node-saml/node-saml';
import { describe, expect, test } from 'vitest';
import { trimSamlNames } from '../../../../src/identity/organization/sso-settings/saml-names.migration.ts';
import { Browser } from '../../../setup/browser.ts';
import { createSelfSigned } from '../../../setup/providers/self-signed.ts';
import { listAuditEntries, toObjectId } from '../../../setup/harness.ts';
import {
  findAssertion,
  toBase64,
  EMAIL_FORMAT,
  renderResponse,
  useDomain,
  useSaml,
  type SamlRequest,
} from '../../../setup/providers/identity-provider-saml.ts';
import { assertOk, createOwner } from '../../../setup/personas.ts';
import { registerFactor } from '../../../setup/second-factor.ts';
import type { Answer } from '../../../setup/start-app.ts';
import {
  CALLBACK,
  HOME,
  LOGOUT,
  PUBLIC,
  SAML_PATH,
  samlStage,
  signedBy,
  whereTo,
} from './saml-stage.ts';

const stage = samlStage();
const { ours, clock, idp, begin, signOn, person, withEmail, me } = stage;

describe('signing on', () => {
  test('a stranger of a proved domain becomes a member by the first sign-on', async () => {
    const saying = () =>
      withEmail({ displayName: ['Grace Hopper'], groups: ['engineers', 'staff'] });
    const { answer, token, browser } = await signOn('g-1', saying);
    expect(whereTo(answer)).toBe(HOME);
    expect(answer.headers.getSetCookie().join('\n')).toMatch(
      /svc_oauth_token=[^;]+; Max-Age=604800;[^\n]*HttpOnly/,
    );
    expect([...browser.cookies.keys()]).toEqual(['svc_oauth_token']);
    const { user, role, organization } = await me(token);
    expect([user.email, user.name, role, organization._id]).toEqual([
      person(),
      'Grace Hopper',
      'member',
      stage.home.organizationId,
    ]);
    const [entry] = await listAuditEntries(stage.harness.app, stage.home, 'action=auth.login');
    expect(entry).toMatchObject({
      status: 'success',
      userEmail: person(),
      metadata: { method: 'saml' },
    });
    const [begun] = await listAuditEntries(
      stage.harness.app,
      stage.home,
      'action=auth.sso.initiate',
    );
    expect(begun).toMatchObject({ status: 'success', metadata: { provider: 'saml' } });
  });

  test('works as an owner sets it up', async () => {
    const owner = await createOwner(stage.harness.app);
    const saml = {
      entityId: idp.entityId,
      ssoUrl: idp.ssoUrl,
      certificates: [idp.pair.certificate],
    };
    const body = { provider: 'saml', saml };
    const { data } = assertOk(
      await stage.harness.app.call('PUT', '/api/v1/organization/sso', { token: owner.token, body }),
    ).body;
    await useDomain(stage.harness, owner, `own.${stage.domain}`);
    const start = { organizationId: owner.organizationId };
    const { token, asked } = await signOn(
      `ann@own.${stage.domain}`,
      () => ({ sessionIndex: null }),
      start,
    );
    expect(asked.issuer).toBe(data.serviceProvider.samlEntityId);
    expect((await me(token)).organization._id).toBe(owner.organizationId);
  });

  test('the session ends with that of the provider, and no refresh moves its end', async () => {
    const { token } = await signOn('g-5', (asked) => ({
      ...withEmail(),
      sessionUntil: idp.createContent(asked, 'g-5').notOnOrAfter,
    }));
    const { data } = assertOk(
      await stage.harness.app.call('POST', '/api/v1/auth/refresh', { token }),
    ).body;
    const lasts = Date.parse(data.expiresAt) - clock.now().getTime();
    expect(lasts).toBeGreaterThan(200_000);
    expect(lasts).toBeLessThan(300_000);
  });

  test('the second time the name at the provider suffices, whatever the address is now', async () => {
    const first = await me((await signOn('g-2', () => withEmail())).token);
    const second = await me((await signOn('g-2')).token);
    expect(second.user._id).toBe(first.user._id);
  });

  test('an address in the NameID is the address', async () => {
    const { token } = await signOn(person('ada'), () => ({ nameIdFormat: EMAIL_FORMAT }));
    expect((await me(token)).user.email).toBe(person('ada'));
    const other = await signOn(person('bob'), () => ({ nameIdFormat: null }));
    expect((await me(other.token)).user.email).toBe(person('bob'));
  });

  test('beginning with an address finds the organisation, and the wanted place is returned to', async () => {
    const body = { email: person(), returnTo: `${PUBLIC}/admin?tab=1` };
    const { answer } = await signOn(person(), undefined, body);
    expect(whereTo(answer)).toBe(`${PUBLIC}/admin?tab=1`);
  });

  test('the dispatcher leads here as well', async () => {
    const browser = new Browser(stage.harness.app);
    const { data } = assertOk(
      await browser.call('POST', '/api/v1/auth/sso/initiate', { body: { email: person() } }),
    ).body;
    expect(data.provider).toBe('saml');
    const asked = idp.receive(data.redirectUrl);
    await browser.postForm(CALLBACK, {
      SAMLResponse: idp.createResponse(asked, person()),
      RelayState: asked.relayState,
    });
    const { token } = assertOk(await browser.call('GET', '/api/v1/auth/oauth-token')).body.data;
    expect((await me(token)).user.email).toBe(person());
  });

  test('role mapping by the groups of the assertion', async () => {
    const roleMapping = [{ pattern: '^eng-leads$', role: 'admin' }];
    await stage.harness.db
      .collection('organizations')
      .updateOne({ _id: toObjectId(stage.home.organizationId) }, { $set: { roleMapping } });
    const saying = () => withEmail({ groups: ['all', 'eng-leads'] });
    expect((await me((await signOn('g-3', saying)).token)).role).toBe('admin');
    expect((await me((await signOn('g-3', () => withEmail({ groups: ['all'] }))).token)).role).toBe(
      'member',
    );
    expect((await me((await signOn('g-3', saying)).token)).role).toBe('admin');
    // Entra sends a link instead of many groups; Keycloak leaves the attribute out for a user without groups.
    const link = 'http://schemas.microsoft.com/claims/groups.link';
    const linked = await signOn('g-3', () => withEmail({ [link]: ['https://graph.example.com'] }));
    expect((await me(linked.token)).role).toBe('admin');
    expect((await me((await signOn('g-3', () => withEmail())).token)).role).toBe('member');
  });

  test('groups in a form that is not understood leave the role as it is', async () => {
    const roleMapping = [{ pattern: '^eng-leads$', role: 'admin' }];
    await stage.harness.db
      .collection('organizations')
      .updateOne({ _id: toObjectId(stage.home.organizationId) }, { $set: { roleMapping } });
    const roleWith = async (change: (xml: string) => string): Promise<string> => {
      const { token } = await signOn('g-6', (asked) => {
        const said = { ...idp.createContent(asked, 'g-6'), ...withEmail({ groups: ['GROUP'] }) };
        return toBase64(idp.sign(change(renderResponse(said)), 'Assertion'));
      });
      return (await me(token)).role;
    };
    const named = (text: string) => (xml: string) => xml.replace('GROUP', text);
    expect(await roleWith(named('\n   eng-leads\n  '))).toBe('admin');
    for (const text of ['["staff"]', '{"name":"staff"}', '%2Feng-leads', '<x>staff</x>'])
      expect(await roleWith(named(text)), text).toBe('admin');
    const encrypted = (xml: string): string =>
      xml.replace(
        /<saml:Attribute Name="groups">[\s\S]*?<\/saml:Attribute>/,
        '<saml:EncryptedAttribute/>',
      );
    expect(await roleWith(encrypted)).toBe('admin');
    expect(await roleWith(named('/eng-leads'))).toBe('admin');
    expect(await roleWith(named('[EXT] staff'))).toBe('member');
  });

  test('a message that was indented before it was signed, for us among others, without a Destination', async () => {
    const indented = (asked: SamlRequest): string => {
      const said = { ...idp.createContent(asked, 'g-7'), ...withEmail(), destination: null };
      const xml = renderResponse(said)
        .replace(
          /<saml:SubjectConfirmation [\s\S]*<\/saml:SubjectConfirmation>/,
          (one) =>
            one.replace(/Recipient="[^"]+"/, 'Recipient="https://other.example.com/acs"') + one,
        )
        .replace(/></g, '>\n  <')
        .replace(/>([^<>\s][^<>]*)</g, '>\n    $1\n  <');
      return toBase64(idp.sign(xml, 'Assertion'));
    };
    const first = await me((await signOn('g-7', indented)).token);
    expect(first.user.email).toBe(person());
    const second = await me((await signOn('g-7', () => withEmail())).token);
    expect(second.user._id).toBe(first.user._id);
  });

  test('a name that an earlier version stored with its blanks is that of the same member after an upgrade', async () => {
    const member = await me((await signOn('g-8', () => withEmail())).token);
    const memberships = stage.harness.db.collection('memberships');
    const where = { userId: toObjectId(member.user._id) };
    await memberships.updateOne(where, { $set: { 'signOn.subject': '\n      g-8\n    ' } });
    const { connection } = stage.harness.app.instance.platform;
    for (let run = 0; run < 2; run++) await trimSamlNames(connection);
    const again = await me((await signOn('g-8', () => withEmail())).token);
    expect(again.user._id).toBe(member.user._id);
    expect((await memberships.findOne(where))?.['signOn'].subject).toBe('g-8');
  });

  test('the second factor of Assay where the organisation wants it', async () => {
    const { token } = await signOn('g-4', () => withEmail());
    const authenticator = await registerFactor(stage.harness.app, clock, token);
    await useSaml(stage.harness, stage.home, { idp, requireMfaEvenWithSso: true });
    const { answer, browser } = await signOn('g-4');
    expect(whereTo(answer)).toBe(`${HOME}?ssoMfa=1`);
    expect([...browser.cookies.keys()]).toEqual(['svc_sso_mfa_token']);
    const body = {
      tempToken: browser.cookies.get('svc_sso_mfa_token'),
      code: authenticator.generateNextCode(),
    };
    const session = assertOk(
      await stage.harness.app.call('POST', '/api/v1/auth/mfa/login', { body }),
    ).body.data.token;
    expect((await me(session)).organization._id).toBe(stage.home.organizationId);
    await useSaml(stage.harness, stage.home, { idp });
    expect((await signOn('g-4')).token).not.toBe('');
  });

  const signed: Record<string, (asked: SamlRequest) => string | Promise<string>> = {
    'response and assertion signed': (asked) =>
      toBase64(
        idp.sign(
          idp.sign(renderResponse(idp.createContent(asked, person())), 'Assertion'),
          'Response',
        ),
      ),
    'RSA with SHA-512': (asked) =>
      toBase64(
        idp.sign(renderResponse(idp.createContent(asked, person())), 'Assertion', {
          signatureAlgorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
          digestAlgorithm: 'http://www.w3.org/2001/04/xmlenc#sha512',
        }),
      ),
    'RSA-PSS': (asked) =>
      toBase64(
        idp.sign(renderResponse(idp.createContent(asked, person())), 'Assertion', {
          signatureAlgorithm: 'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1',
        }),
      ),
    'a declaration, line breaks in the base64 and in the XML': (asked) =>
      toBase64(
        `<?xml version="1.0" encoding="UTF-8"?>\r\n${idp.sign(renderResponse(idp.createContent(asked, person())).replaceAll('><', '>\r\n<'), 'Assertion')}\n`,
      ).replace(/.{76}/g, '$&\r\n'),
    'text beyond ASCII and with entities': (asked) =>
      idp.createResponse(asked, person(), { attributes: { displayName: ['Žofie & <Söhne> 𝒳'] } }),
  };
  test.for(Object.entries(signed))('%s', async ([, saying]) => {
    const { answer, token } = await signOn(person(), saying);
    expect(whereTo(answer)).toBe(HOME);
    expect((await me(token)).user.email).toBe(person());
  });

  const ciphers = [
    '2001/04/xmlenc#aes128-cbc',
    '2001/04/xmlenc#aes256-cbc',
    '2009/xmlenc11#aes128-gcm',
  ];
  test.for([...ciphers, '2009/xmlenc11#aes256-gcm'])('encrypted with %s', async (cipher) => {
    const { token } = await signOn(person(), async (asked) => {
      const plain = idp.sign(renderResponse(idp.createContent(asked, person())), 'Assertion');
      const sealed = await idp.encrypt(plain, ours.certificate, {
        content: `http://www.w3.org/${cipher}`,
      });
      expect(findAssertion(sealed)).toEqual([]);
      return toBase64(idp.sign(sealed, 'Response'));
    });
    expect((await me(token)).user.email).toBe(person());
  });

  test(
    'two certificates while one is replaced, whatever their dates',
    { tags: ['long'] },
    async () => {
      const [next, old] = [createSelfSigned('next'), createSelfSigned('old', '2021-01-01')];
      await useSaml(stage.harness, stage.home, {
        idp,
        certificates: [old.certificate, next.certificate],
      });
      for (const pair of [old, next]) {
        const { token } = await signOn(person(), (asked) =>
          toBase64(
            idp.sign(renderResponse(idp.createContent(asked, person())), 'Assertion', { pair }),
          ),
        );
        expect((await me(token)).user.email).toBe(person());
      }
    },
  );

  test('the same response twenty times at once opens one session', { tags: ['long'] }, async () => {
    const browser = new Browser(stage.harness.app);
    const asked = await begin(browser);
    const SAMLResponse = idp.createResponse(asked, person());
    const cookies = new Map(browser.cookies);
    const again = (): Promise<Answer> => {
      const copy = new Browser(stage.harness.app);
      cookies.forEach((value, name) => copy.cookies.set(name, value));
      return copy.postForm(CALLBACK, { SAMLResponse, RelayState: asked.relayState });
    };
    const answers = await Promise.all(Array.from({ length: 20 }, again));
    const signedIn = answers.filter((answer) =>
      answer.headers.getSetCookie().join().includes('svc_oauth_token='),
    );
    expect(signedIn).toHaveLength(1);
    expect(answers.filter((answer) => whereTo(answer)?.includes('error='))).toHaveLength(19);
    const signOns = {
      organizationId: toObjectId(stage.home.organizationId),
      signOn: { $ne: null },
    };
    expect(await stage.harness.db.collection('sessions').countDocuments(signOns)).toBe(1);
  });

  test('an assertion is good once, also for another attempt that it would fit', async () => {
    const { organizationId } = stage.home;
    const use = (issuer: string): Promise<void> =>
      useMessageOnce(stage.harness.app.instance.platform, organizationId, {
        issuer,
        id: '_same',
      });
    const uses = await Promise.allSettled(Array.from({ length: 20 }, () => use('a')));
    expect(uses.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expect(use('b')).resolves.toBeUndefined();
  });
});

describe('what we send', () => {
  test('the request is signed, names where the answer goes, and another implementation reads the response to it', async () => {
    const browser = new Browser(stage.harness.app);
    const answer = assertOk(
      await browser.call('POST', `${SAML_PATH}/initiate`, {
        body: { organizationId: stage.home.organizationId },
      }),
    );
    const address = new URL(answer.body.data.redirectUrl);
    const asked = idp.receive(address.href);
    expect(address.href.startsWith(`${idp.ssoUrl}&SAMLRequest=`)).toBe(true);
    expect(asked.relayState.length).toBeLessThanOrEqual(80);
    expect(asked.issuer).toBe(`${PUBLIC}${SAML_PATH}/metadata/${stage.home.organizationId}`);
    expect(asked.xml).toContain(`Destination="${idp.ssoUrl}"`);
    const other = new SAML({
      callbackUrl: PUBLIC + CALLBACK,
      issuer: asked.issuer,
      idpCert: idp.pair.certificate,
      wantAuthnResponseSigned: false,
      validateInResponseTo: ValidateInResponseTo.never,
    });
    const { profile } = await other.validatePostResponseAsync({
      SAMLResponse: idp.createResponse(asked, person()),
    });
    expect(profile).toMatchObject({
      nameID: person(),
      issuer: idp.entityId,
      inResponseTo: asked.id,
    });
    expect(await signedBy(ours.certificate, address)).toBe(true);
    expect(await signedBy(idp.pair.certificate, address)).toBe(false);
  });

  test('metadata of every organisation, with keys', async () => {
    const path = `${SAML_PATH}/metadata/${stage.home.organizationId}`;
    const answer = await stage.harness.app.call('GET', path);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/samlmetadata+xml; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toBeNull();
    expect(answer.text).toContain(`entityID="${PUBLIC}${path}"`);
    expect(answer.text).toMatch(/WantAssertionsSigned="true"/);
    expect(answer.text).toContain(`Location="${PUBLIC}${CALLBACK}"`);
    expect(answer.text).toContain(`Location="${PUBLIC}${LOGOUT}?org=${stage.home.organizationId}"`);
    const certificate = ours.certificate.replace(/-----[^-]+-----|\s/g, '');
    expect(answer.text.split(certificate)).toHaveLength(3);
    const unset = await createOwner(stage.harness.app);
    expect(
      (await stage.harness.app.call('GET', `${SAML_PATH}/metadata/${unset.organizationId}`)).status,
    ).toBe(200);
    const none = await stage.harness.app.call('GET', `${SAML_PATH}/metadata/${'0'.repeat(24)}`);
    expect(none).toMatchObject({ status: 404, body: { code: 'ORG_NOT_FOUND' } });
  });

  test.for<[string, () => object | Promise<object>, string]>([
    ['an unknown organisation', () => ({ organizationId: '0'.repeat(24) }), 'NOT_FOUND'],
    ['an address of no proved domain', () => ({ email: 'a@unproved.example.com' }), 'NOT_FOUND'],
    [
      'an organisation without sign-on',
      async () => ({ organizationId: (await createOwner(stage.harness.app)).organizationId }),
      'NOT_FOUND',
    ],
    [
      'both',
      () => ({ organizationId: stage.home.organizationId, email: person() }),
      'VALIDATION_ERROR',
    ],
    ['neither', () => ({}), 'VALIDATION_ERROR'],
    [
      'another place to return to',
      () => ({ email: person(), returnTo: 'https://evil.example.net/' }),
      'VALIDATION_ERROR',
    ],
  ])('no start: %s', async ([, body, code]) => {
    const answer = await stage.harness.app.call('POST', `${SAML_PATH}/initiate`, {
      body: await body(),
    });
    expect(answer.body).toMatchObject({ success: false, code });
    expect(answer.headers.getSetCookie()).toEqual([]);
  });

  test('no start for another protocol, nor on a plan without sign-on', async () => {
    const start = () =>
      stage.harness.app.call('POST', `${SAML_PATH}/initiate`, {
        body: { organizationId: stage.home.organizationId },
      });
    await useSaml(stage.harness, stage.home, { idp, provider: 'oidc' });
    expect((await start()).body.code).toBe('NOT_FOUND');
    const [refused] = await listAuditEntries(
      stage.harness.app,
      stage.home,
      'action=auth.sso.initiate',
    );
    expect(refused).toMatchObject({ status: 'failure', metadata: { code: 'NOT_FOUND' } });
    await useSaml(stage.harness, stage.home, { idp });
    const change = { $set: { 'subscription.plan': 'sandbox' } };
    await stage.harness.db
      .collection('organizations')
      .updateOne({ _id: toObjectId(stage.home.organizationId) }, change);
    expect((await start()).body.code).toBe('UPGRADE_REQUIRED');
  });
});

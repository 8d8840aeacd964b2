// Single logout by SAML, begun here and at the provider, and what must end nothing (document 1, section 4.1).
// @module-tag long
import { describe, expect, test } from 'vitest';
import { Browser } from '../../../setup/browser.ts';
import { createSelfSigned } from '../../../setup/providers/self-signed.ts';
import { listAuditEntries, toObjectId } from '../../../setup/harness.ts';
import { toBase64, useSaml } from '../../../setup/providers/identity-provider-saml.ts';
import { assertOk, createOwner } from '../../../setup/personas.ts';
import type { Answer } from '../../../setup/start-app.ts';
import { HOME, LOGOUT, PUBLIC, SAML_PATH, samlStage, signedBy, whereTo } from './saml-stage.ts';

const stage = samlStage();
const { ours, idp, signOn, person, withEmail } = stage;
let made = 0;

describe('single logout', () => {
  const sessionsOf = async (token: string): Promise<number> =>
    (await stage.harness.app.call('GET', '/api/v1/auth/me', { token })).status;
  const leave = (browser: Browser, token: string, body?: object): Promise<Answer> =>
    browser.call('POST', `${SAML_PATH}/logout/initiate`, { token, ...(body && { body }) });
  const destination = (): string => `${PUBLIC}${LOGOUT}?org=${stage.home.organizationId}`;
  const message = (name: string, attributes: string, content: string): string =>
    `<samlp:${name} xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_l${++made}" Version="2.0" IssueInstant="${idp.toInstant(0)}" Destination="${destination()}"${attributes}><saml:Issuer>${idp.entityId}</saml:Issuer>${content}</samlp:${name}>`;
  const done = (requestId: string): string =>
    message(
      'LogoutResponse',
      ` InResponseTo="${requestId}"`,
      '<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>',
    );
  const wish = (nameId: string, sessionIndex?: string): string =>
    message(
      'LogoutRequest',
      '',
      `<saml:NameID>${nameId}</saml:NameID>${sessionIndex ? `<samlp:SessionIndex>${sessionIndex}</samlp:SessionIndex>` : ''}`,
    );
  const path = (): string => `${LOGOUT}?org=${stage.home.organizationId}`;

  test.for(['POST', 'GET'])('begun here, ended by %s', async (method) => {
    const { browser, token } = await signOn('g-5', () => ({
      ...withEmail(),
      sessionIndex: 'session-5',
    }));
    const { data } = assertOk(await leave(browser, token, { returnTo: `${PUBLIC}/admin` })).body;
    expect(data.revoked).toBe(1);
    expect(await sessionsOf(token)).toBe(401);
    const asked = idp.receive(data.redirectUrl);
    expect(asked.xml).toContain('<samlp:SessionIndex>session-5</samlp:SessionIndex>');
    expect(asked.xml).toMatch(/<saml:NameID Format="[^"]+persistent">g-5</);
    expect(await signedBy(ours.certificate, new URL(data.redirectUrl))).toBe(true);
    const answer =
      method === 'POST'
        ? await browser.postForm(path(), {
            SAMLResponse: toBase64(idp.sign(done(asked.id), 'LogoutResponse')),
            RelayState: asked.relayState,
          })
        : await browser.call(
            'GET',
            `${path()}&${idp.signRedirect('SAMLResponse', done(asked.id), asked)}`,
          );
    expect(whereTo(answer)).toBe(`${PUBLIC}/admin`);
    expect([...browser.cookies.keys()]).toEqual(['svc_oauth_token']);
    const [entry] = await listAuditEntries(stage.harness.app, stage.home, 'action=auth.logout');
    expect(entry).toMatchObject({
      status: 'success',
      userEmail: person(),
      metadata: { method: 'saml' },
    });
  });

  test('begun here: whatever the sign-on opened ends, also what a refresh has replaced', async () => {
    const saying = (sessionIndex: string) => () => ({ ...withEmail(), sessionIndex });
    const { browser, token } = await signOn('g-10', saying('one'));
    const elsewhere = await signOn('g-10', saying('two'));
    const refreshed = assertOk(
      await stage.harness.app.call('POST', '/api/v1/auth/refresh', { token }),
    );
    const { data } = assertOk(await leave(browser, refreshed.body.data.token)).body;
    expect(data.revoked).toBe(1);
    expect(await sessionsOf(token)).toBe(401);
    expect(await sessionsOf(refreshed.body.data.token)).toBe(401);
    expect(await sessionsOf(elsewhere.token)).toBe(200);
  });

  test('a person with several sessions at the provider: each of them ends ours, and ours all of them', async () => {
    const statements = `<saml:AuthnStatement AuthnInstant="${idp.toInstant(-5)}" SessionIndex="two"><saml:AuthnContext/></saml:AuthnStatement>`;
    const saying = () => ({ ...withEmail(), sessionIndex: 'one', statements });
    for (const index of ['one', 'two']) {
      const { token } = await signOn('g-11', saying);
      const stranger = new Browser(stage.harness.app);
      const xml = idp.sign(wish('g-11', index), 'LogoutRequest');
      await stranger.postForm(path(), { SAMLRequest: toBase64(xml), RelayState: 'theirs' });
      expect(await sessionsOf(token), index).toBe(401);
    }
    const { browser, token } = await signOn('g-11', saying);
    const { data } = assertOk(await leave(browser, token)).body;
    expect(idp.receive(data.redirectUrl).xml).toContain(
      '<samlp:SessionIndex>one</samlp:SessionIndex><samlp:SessionIndex>two</samlp:SessionIndex>',
    );
  });

  test('a device that a sign-on approved has its limits, and ends with it', async () => {
    const { app } = stage.harness;
    const endsAt = idp.toInstant(1800);
    const saying = () => ({ ...withEmail(), sessionIndex: 'one', sessionUntil: endsAt });
    const openDevice = async (token: string): Promise<string> => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const post = async (to: string, raw: string) =>
        assertOk(await app.call('POST', `/api/v1/auth/device/${to}`, { raw, headers })).body;
      const codes = await post('code', 'client_id=assay');
      const body = { userCode: codes.user_code, decision: 'approve' };
      assertOk(await app.call('POST', '/api/v1/auth/device/approve', { token, body }));
      const grant = 'urn:ietf:params:oauth:grant-type:device_code';
      const asked = `grant_type=${grant}&device_code=${codes.device_code}&client_id=assay`;
      return (await post('token', asked)).access_token;
    };
    const { token } = await signOn('g-12', saying);
    const device = await openDevice(token);
    const elsewhere = await createOwner(app, 'Elsewhere');
    const { organizationId } = elsewhere;
    const away = { token: device, body: { organizationId } };
    expect((await app.call('POST', '/api/v1/auth/switch-org', away)).status).toBe(404);
    const refreshed = assertOk(await app.call('POST', '/api/v1/auth/refresh', { token: device }));
    const { exp } = JSON.parse(atob(refreshed.body.data.token.split('.')[1]));
    expect(exp * 1000).toBeLessThanOrEqual(Date.parse(endsAt));
    expect(await sessionsOf(refreshed.body.data.token)).toBe(200);
    const xml = idp.sign(wish('g-12', 'one'), 'LogoutRequest');
    const form = { SAMLRequest: toBase64(xml), RelayState: 'theirs' };
    await new Browser(app).postForm(path(), form);
    expect(await sessionsOf(refreshed.body.data.token)).toBe(401);
    for (const to of ['logout', 'revoke-sessions', 'saml/logout/initiate']) {
      const again = await signOn('g-12', saying);
      const other = await openDevice(again.token);
      assertOk(await app.call('POST', `/api/v1/auth/${to}`, { token: again.token, body: {} }));
      expect(await sessionsOf(other), to).toBe(401);
    }
    const last = await openDevice((await signOn('g-12', saying)).token);
    await stage.harness.db
      .collection('memberships')
      .updateMany({ organizationId: toObjectId(stage.home.organizationId) }, [
        { $set: { isActive: false } },
      ]);
    expect(await sessionsOf(last)).toBe(401);
  });

  test('a session that was not opened by SAML ends, and leads nowhere', async () => {
    const { data } = assertOk(await leave(new Browser(stage.harness.app), stage.home.token)).body;
    expect(data).toEqual({ revoked: 1, redirectUrl: null });
    expect(await sessionsOf(stage.home.token)).toBe(401);
  });

  test('nor does one whose provider has no single logout', async () => {
    await useSaml(stage.harness, stage.home, { idp, saml: { sloUrl: null } });
    const { browser, token } = await signOn('g-6', () => ({ ...withEmail(), sessionIndex: null }));
    expect(assertOk(await leave(browser, token)).body.data).toEqual({
      revoked: 1,
      redirectUrl: null,
    });
    expect(await sessionsOf(token)).toBe(401);
  });

  test.for(['POST', 'GET'])(
    'begun at the provider, sent by %s: the sessions end, and it is answered',
    async (method) => {
      const [one, two] = [
        await signOn('g-7', () => ({ ...withEmail(), sessionIndex: 'one' })),
        await signOn('g-7', () => ({ sessionIndex: 'two' })),
      ];
      const send = (xml: string, RelayState = 'theirs'): Promise<Answer> => {
        const stranger = new Browser(stage.harness.app);
        if (method === 'GET')
          return stranger.call(
            'GET',
            `${path()}&${idp.signRedirect('SAMLRequest', xml, { relayState: RelayState })}`,
          );
        return stranger.postForm(path(), {
          SAMLRequest: toBase64(idp.sign(xml, 'LogoutRequest')),
          RelayState,
        });
      };
      const asked = wish('g-7', 'one');
      const answer = await send(asked);
      const address = new URL(whereTo(answer) ?? '');
      expect(address.origin + address.pathname).toBe(idp.sloUrl);
      const receivedAnswer = idp.receive(address.href);
      expect(receivedAnswer.relayState).toBe('theirs');
      expect(receivedAnswer.xml).toContain(
        `InResponseTo="${/ ID="([^"]+)"/.exec(asked)?.[1] ?? ''}"`,
      );
      expect(await signedBy(ours.certificate, address)).toBe(true);
      expect([await sessionsOf(one.token), await sessionsOf(two.token)]).toEqual([401, 200]);
      const [entry] = await listAuditEntries(stage.harness.app, stage.home, 'action=auth.logout');
      expect(entry).toMatchObject({ metadata: { by: 'identity_provider', revoked: 1 } });
      expect(whereTo(await send(asked))).toContain('error=TOKEN_VERIFICATION_FAILED');
      await send(wish('g-7'));
      expect(await sessionsOf(two.token)).toBe(401);
    },
  );

  test('no message that is not signed for this organisation ends anything', async () => {
    const { token } = await signOn('g-8', () => withEmail());
    const theirs = await createOwner(stage.harness.app);
    await useSaml(stage.harness, theirs, { idp, domain: `x${stage.domain}` });
    const stranger = createSelfSigned('stranger');
    const shared = wish('g-8');
    const elsewhere = shared.replace(
      destination(),
      `${PUBLIC}${LOGOUT}?org=${theirs.organizationId}`,
    );
    const sign = (xml: string, how = {}): string => toBase64(idp.sign(xml, 'LogoutRequest', how));
    const sha1 = 'http://www.w3.org/2000/09/xmldsig#rsa-sha1';
    const forms: Record<string, Record<string, string>> = {
      unsigned: { SAMLRequest: toBase64(shared) },
      'signed by a stranger': { SAMLRequest: sign(shared, { pair: stranger }) },
      'signed with SHA-1': { SAMLRequest: sign(shared, { signatureAlgorithm: sha1 }) },
      'for another organisation': { SAMLRequest: sign(elsewhere) },
      'of another issuer': {
        SAMLRequest: sign(shared.replace(idp.entityId, 'https://other.example.org')),
      },
      'without a destination': { SAMLRequest: sign(shared.replace(/ Destination="[^"]+"/, '')) },
      'too old': {
        SAMLRequest: sign(
          shared.replace(/IssueInstant="[^"]+"/, `IssueInstant="${idp.toInstant(-600)}"`),
        ),
      },
      'a request sent as a response': { SAMLResponse: sign(shared) },
      'both at once': { SAMLRequest: sign(shared), SAMLResponse: sign(shared) },
      nothing: {},
      'no XML': { SAMLRequest: toBase64('<a') },
    };
    for (const [name, form] of Object.entries(forms)) {
      const answer = await new Browser(stage.harness.app).postForm(path(), form);
      expect(whereTo(answer), name).toBe(`${HOME}?error=TOKEN_VERIFICATION_FAILED`);
      expect(await sessionsOf(token), name).toBe(200);
    }
    const queries: Record<string, string> = {
      unsigned: idp.signRedirect('SAMLRequest', shared).replace(/&SigAlg.*/, ''),
      'signed by a stranger': idp.signRedirect('SAMLRequest', shared, { pair: stranger }),
      'signed with SHA-1': idp.signRedirect('SAMLRequest', shared, { algorithm: sha1 }),
      'for another organisation': idp.signRedirect('SAMLRequest', elsewhere),
      'with another state':
        `${idp.signRedirect('SAMLRequest', shared, { relayState: 'a' })}`.replace('=a&', '=b&'),
      'with another message': `SAMLResponse=x&${idp.signRedirect('SAMLRequest', shared)}`,
      'no deflate': `SAMLRequest=abcd&SigAlg=x&Signature=y`,
    };
    for (const [name, query] of Object.entries(queries)) {
      const answer = await new Browser(stage.harness.app).call('GET', `${path()}&${query}`);
      expect(whereTo(answer), name).toBe(`${HOME}?error=TOKEN_VERIFICATION_FAILED`);
      expect(await sessionsOf(token), name).toBe(200);
    }
    const failures = await listAuditEntries(
      stage.harness.app,
      stage.home,
      'action=auth.sso.failure',
    );
    expect(failures).toHaveLength(Object.keys(forms).length + Object.keys(queries).length);
    // The other organisation's provider is the same, and the request is good there: it ends nothing here.
    const there = `${LOGOUT}?org=${theirs.organizationId}`;
    const answer = await new Browser(stage.harness.app).postForm(there, {
      SAMLRequest: sign(elsewhere),
    });
    expect(whereTo(answer)).toContain(idp.sloUrl);
    expect(await sessionsOf(token)).toBe(200);
  });

  test('a message beyond 64 KB or 300 elements is refused by form and by address, and says so', async () => {
    const { token } = await signOn('g-10', () => withEmail());
    const large = wish('g-10', 'x'.repeat(66_000));
    const many = wish('g-10').replace(
      '</samlp:LogoutRequest>',
      `${'<samlp:SessionIndex>s</samlp:SessionIndex>'.repeat(300)}</samlp:LogoutRequest>`,
    );
    for (const [xml, reason] of [
      [large, /65536 bytes/],
      [many, /too many elements/],
    ] as const)
      for (const isForm of [true, false]) {
        const browser = new Browser(stage.harness.app);
        const answer = isForm
          ? await browser.postForm(path(), {
              SAMLRequest: toBase64(idp.sign(xml, 'LogoutRequest')),
            })
          : await browser.call('GET', `${path()}&${idp.signRedirect('SAMLRequest', xml)}`);
        expect(whereTo(answer)).toBe(`${HOME}?error=TOKEN_VERIFICATION_FAILED`);
        const [entry] = await listAuditEntries(
          stage.harness.app,
          stage.home,
          'action=auth.sso.failure',
        );
        expect(entry).toMatchObject({ detail: expect.stringMatching(reason) });
      }
    expect(await sessionsOf(token)).toBe(200);
  });

  test(
    'sixty forged requests of 60 KB do not delay honest sign-ons',
    { tags: ['long'] },
    async () => {
      await signOn('g-11', () => withEmail());
      const heavy = wish('g-11').replace(
        '</samlp:LogoutRequest>',
        `${`<samlp:SessionIndex>${'s'.repeat(160)}</samlp:SessionIndex>`.repeat(280)}</samlp:LogoutRequest>`,
      );
      const SAMLRequest = toBase64(
        idp.sign(heavy, 'LogoutRequest', { pair: createSelfSigned('stranger') }),
      );
      const forged = Array.from({ length: 60 }, () =>
        new Browser(stage.harness.app).postForm(path(), { SAMLRequest }),
      );
      const began = process.cpuUsage();
      expect((await signOn('g-11', () => withEmail())).token).not.toBe('');
      // They took 40 s of a processor when each was canonicalised before its signature value was looked at.
      expect(process.cpuUsage(began).user / 1000).toBeLessThan(10_000);
      for (const answer of await Promise.all(forged))
        expect(whereTo(answer)).toBe(`${HOME}?error=TOKEN_VERIFICATION_FAILED`);
    },
  );

  test('an end that answers another logout, or comes to another browser, is refused', async () => {
    const { browser, token } = await signOn('g-9', () => withEmail());
    const asked = idp.receive(assertOk(await leave(browser, token)).body.data.redirectUrl);
    const answerWith = (from: Browser, xml: string): Promise<Answer> =>
      from.postForm(path(), {
        SAMLResponse: toBase64(idp.sign(xml, 'LogoutResponse')),
        RelayState: asked.relayState,
      });
    expect(whereTo(await answerWith(new Browser(stage.harness.app), done(asked.id)))).toBe(
      `${HOME}?error=INVALID_TOKEN`,
    );
    expect(whereTo(await answerWith(browser, done('_other')))).toContain(
      'error=TOKEN_VERIFICATION_FAILED',
    );
    expect(whereTo(await answerWith(browser, done(asked.id)))).toContain('error=INVALID_TOKEN');
  });
});

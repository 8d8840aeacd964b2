// Forged and stolen SAML messages: none signs in, and each is refused for the intended reason.
// @module-tag long
import { beforeAll, describe, expect, test } from 'vitest';
import { useHarness, useOwner } from '../../../setup/fixtures.ts';
import { Browser } from '../../../setup/browser.ts';
import { toObjectId } from '../../../setup/harness.ts';
import {
  toBase64,
  renderResponse,
  useSaml,
  type SamlRequest,
  type ResponseContent,
} from '../../../setup/providers/identity-provider-saml.ts';
import { assertOk } from '../../../setup/personas.ts';
import type { Answer } from '../../../setup/start-app.ts';
import {
  clock,
  DENIED,
  DOMAIN,
  FORGERIES,
  honest,
  idp,
  ours,
  signed,
  stranger,
} from './saml-forgeries.ts';

const PUBLIC = 'https://assay.example.com';
const SAML_PATH = '/api/v1/auth/saml';
const CALLBACK = `${SAML_PATH}/callback`;

const harness = useHarness(
  {
    ASSAY_PUBLIC_URL: PUBLIC,
    ASSAY_SAML_KEY: ours.key,
    ASSAY_SAML_CERTIFICATE: ours.certificate,
  },
  { clock },
);
const home = useOwner(harness);
const theirs = useOwner(harness, 'Bob');
beforeAll(async () => {
  await useSaml(harness, home, { idp, domain: DOMAIN });
  // The same provider, for another organisation.
  await useSaml(harness, theirs, { idp, domain: 'other.example.com' });
});

async function begin(browser: Browser, { organizationId } = home): Promise<SamlRequest> {
  const answer = await browser.call('POST', `${SAML_PATH}/initiate`, { body: { organizationId } });
  return idp.receive(assertOk(answer).body.data.redirectUrl);
}
const send = (browser: Browser, SAMLResponse: string, RelayState: string): Promise<Answer> =>
  browser.postForm(CALLBACK, { SAMLResponse, RelayState });
const sessions = (): Promise<number> => harness.db.collection('sessions').countDocuments();
const FAILURE = { action: 'auth.sso.failure' };
const failures = (): Promise<number> =>
  harness.db.collection('audit_entries').countDocuments(FAILURE);
const lastFailure = () =>
  harness.db.collection('audit_entries').findOne(FAILURE, { sort: { _id: -1 } });

function expectNobody(answer: Answer, code = 'TOKEN_VERIFICATION_FAILED'): void {
  expect(answer.status).toBe(302);
  expect(answer.headers.get('location')).toBe(`${PUBLIC}/signed-on?error=${code}`);
  expect(answer.headers.getSetCookie().join()).not.toMatch(/svc_(oauth|sso_mfa)_token=[^;]/);
}

test('the honest response, from which each forgery differs in one point, signs in', async () => {
  const browser = new Browser(harness.app);
  const asked = await begin(browser);
  const answer = await send(browser, toBase64(signed(asked)), asked.relayState);
  expect(answer.headers.get('location')).toBe(`${PUBLIC}/signed-on`);
  expect(browser.cookies.has('svc_oauth_token')).toBe(true);
});

describe.each(FORGERIES)('%s', (_, rows) => {
  test.for(rows)('%s', async ([name, reason, forge]) => {
    const browser = new Browser(harness.app);
    const asked = await begin(browser);
    const before = [await sessions(), await failures()];
    const answer = await send(browser, await forge(asked), asked.relayState);
    expectNobody(answer, name === DENIED ? 'FORBIDDEN' : 'TOKEN_VERIFICATION_FAILED');
    expect([await sessions(), (await failures()) - 1]).toEqual(before);
    const entry = await lastFailure();
    expect(entry).toMatchObject({ status: 'failure', resource: 'session' });
    expect(String(entry?.organizationId)).toBe(home.organizationId);
    expect(entry?.detail).toMatch(reason);
  });
});

describe('a refusal of the provider', () => {
  const SUCCESS = 'urn:oasis:names:tc:SAML:2.0:status:Success';
  const STATUS = 'urn:oasis:names:tc:SAML:2.0:status:';
  /** Unsigned and without an assertion, as Keycloak sends it. */
  const refusal = (asked: SamlRequest, change: (xml: string) => string = (xml) => xml): string => {
    const said = honest(asked, { responseInResponseTo: null });
    const xml = renderResponse(said).replace(/<saml:Assertion[\s\S]*<\/saml:Assertion>/, '');
    const codes = `Value="${STATUS}Responder"><samlp:StatusCode Value="${STATUS}RequestDenied"/></samlp:StatusCode>`;
    return toBase64(change(xml.replace(`Value="${SUCCESS}"/>`, codes)));
  };

  test.for<[string, (xml: string) => string, string, RegExp]>([
    ['as it is', (xml) => xml, 'FORBIDDEN', /\(Responder, RequestDenied\)$/],
    [
      'with text of its own',
      (xml) => xml.replace(`${STATUS}RequestDenied`, 'Call +1 555 0100'),
      'FORBIDDEN',
      /\(Responder, another status\)$/,
    ],
    [
      'of another request',
      (xml) => xml.replace(' Destination', ' InResponseTo="_other" Destination'),
      'TOKEN_VERIFICATION_FAILED',
      /InResponseTo/,
    ],
    [
      'of another provider',
      (xml) => xml.replace(idp.entityId, 'https://other.example.org'),
      'TOKEN_VERIFICATION_FAILED',
      /Issuer/,
    ],
    [
      'that says success',
      (xml) => xml.replace(`${STATUS}Responder`, SUCCESS),
      'TOKEN_VERIFICATION_FAILED',
      /no InResponseTo/,
    ],
  ])('%s', async ([, change, code, reason]) => {
    const browser = new Browser(harness.app);
    const asked = await begin(browser);
    expectNobody(await send(browser, refusal(asked, change), asked.relayState), code);
    expect((await lastFailure())?.detail).toMatch(reason);
  });
});

describe('the attempt', () => {
  const trial = async () => {
    const browser = new Browser(harness.app);
    const asked = await begin(browser);
    return { browser, asked, SAMLResponse: toBase64(signed(asked)) };
  };

  test.for<[string, (parts: Awaited<ReturnType<typeof trial>>) => Promise<Answer>, string]>([
    [
      'a response without a request',
      ({ browser, SAMLResponse }) => send(browser, SAMLResponse, ''),
      'INVALID_TOKEN',
    ],
    [
      'an unknown RelayState',
      ({ browser, SAMLResponse }) => send(browser, SAMLResponse, 'x'.repeat(43)),
      'INVALID_TOKEN',
    ],
    [
      'another browser',
      ({ asked, SAMLResponse }) => send(new Browser(harness.app), SAMLResponse, asked.relayState),
      'INVALID_TOKEN',
    ],
    [
      'the RelayState of another attempt of this browser',
      async ({ browser, SAMLResponse }) =>
        send(browser, SAMLResponse, (await begin(browser)).relayState),
      'TOKEN_VERIFICATION_FAILED',
    ],
    [
      'the response of another attempt, for the browser that began this one',
      async ({ browser, asked }) => send(browser, (await trial()).SAMLResponse, asked.relayState),
      'TOKEN_VERIFICATION_FAILED',
    ],
    [
      'an attempt that was used',
      async ({ browser, asked, SAMLResponse }) => {
        const cookies = new Map(browser.cookies);
        await send(browser, toBase64('<x/>'), asked.relayState);
        cookies.forEach((value, name) => browser.cookies.set(name, value));
        return send(browser, SAMLResponse, asked.relayState);
      },
      'INVALID_TOKEN',
    ],
    [
      'the attempt of another organisation with the same provider',
      async ({ browser, SAMLResponse }) =>
        send(browser, SAMLResponse, (await begin(browser, theirs)).relayState),
      'TOKEN_VERIFICATION_FAILED',
    ],
    [
      'an assertion made for another organisation, answering the request of this one',
      async ({ browser, asked }) => {
        const other = await begin(new Browser(harness.app), theirs);
        return send(browser, toBase64(signed(asked, { audience: other.issuer })), asked.relayState);
      },
      'TOKEN_VERIFICATION_FAILED',
    ],
    [
      'the state of a logout',
      async ({ browser }) => {
        const session = await trial();
        await send(session.browser, session.SAMLResponse, session.asked.relayState);
        const token = session.browser.cookies.get('svc_oauth_token') ?? '';
        const left = assertOk(
          await browser.call('POST', `${SAML_PATH}/logout/initiate`, { token }),
        );
        const asked = idp.receive(left.body.data.redirectUrl);
        return send(browser, toBase64(renderResponse(honest(asked))), asked.relayState);
      },
      'INVALID_TOKEN',
    ],
  ])('%s', async ([, act, code]) => {
    const parts = await trial();
    const before = await harness.db.collection('sessions').countDocuments({ revokedAt: null });
    expectNobody(await act(parts), code);
    expect(await harness.db.collection('sessions').countDocuments({ revokedAt: null })).toBe(
      before,
    );
  });

  test('an attempt that is too old', async () => {
    const { browser, asked } = await trial();
    clock.aheadMs += 11 * 60_000;
    expectNobody(await send(browser, toBase64(signed(asked)), asked.relayState), 'EXPIRED');
  });

  test('settings that have changed since then', async () => {
    const { browser, asked, SAMLResponse } = await trial();
    await useSaml(harness, home, { idp, certificates: [stranger.certificate] });
    expectNobody(await send(browser, SAMLResponse, asked.relayState));
    await useSaml(harness, home, { idp });
  });
});

describe('who is vouched for', () => {
  const arrive = async (more: Partial<ResponseContent>): Promise<Answer> => {
    const browser = new Browser(harness.app);
    const asked = await begin(browser);
    return send(browser, toBase64(signed(asked, more)), asked.relayState);
  };

  test.for<[string, Partial<ResponseContent>]>([
    ['an address of a domain that is not proved', { nameId: 'ceo@unproved.example.com' }],
    ['an address of another organisation’s domain', { nameId: 'owner@other.example.com' }],
    ['no address at all', { nameId: 'u-4711', nameIdFormat: null }],
  ])('%s', async ([, more]) => {
    const before = await sessions();
    expectNobody(await arrive(more), 'FORBIDDEN');
    expect(await sessions()).toBe(before);
  });

  test('the owner of another organisation, by their own address', async () => {
    expectNobody(await arrive({ nameId: theirs.email }), 'FORBIDDEN');
  });

  test('a suspended member', async () => {
    expect((await arrive({ nameId: `s@${DOMAIN}` })).headers.get('location')).toBe(
      `${PUBLIC}/signed-on`,
    );
    const user = await harness.db.collection('users').findOne({ email: `s@${DOMAIN}` });
    const where = { userId: user?._id, organizationId: toObjectId(home.organizationId) };
    await harness.db.collection('memberships').updateOne(where, { $set: { isActive: false } });
    expectNobody(await arrive({ nameId: `s@${DOMAIN}` }), 'ACCOUNT_DEACTIVATED');
  });
});

describe('the form', () => {
  const post = (raw: string, headers: Record<string, string> = {}): Promise<Answer> =>
    harness.app.call('POST', CALLBACK, {
      raw,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    });
  const LIMIT = 5 * 1024 * 1024;
  const form = (bytes: number): string => 'SAMLResponse='.padEnd(bytes, 'A');

  test('five megabytes are read, and not a byte more', async () => {
    expect((await post(form(LIMIT))).status).toBe(302);
    const answer = await post(form(LIMIT + 1));
    expect(answer).toMatchObject({ status: 413, body: { code: 'PAYLOAD_TOO_LARGE' } });
  });

  test.for<[string, string, Record<string, string>, number]>([
    ['an empty form', '', {}, 302],
    ['other members', 'a=b', {}, 302],
    ['a member twice', 'SAMLResponse=a&SAMLResponse=b', {}, 400],
    ['too many members', 'a=&'.repeat(101), {}, 400],
    ['JSON', '{}', { 'content-type': 'application/json' }, 415],
    ['NUL', 'SAMLResponse=%00', {}, 400],
  ])('%s', async ([, raw, headers, status]) => {
    expect((await post(raw, headers)).status).toBe(status);
  });
});

// The start of a sign-on: the organisation of an address, what the answers reveal, and the allowed return addresses.
import { beforeAll, describe, expect, test } from 'vitest';
import { useFixture, useHarness } from '../../setup/fixtures.ts';
import { Browser } from '../../setup/browser.ts';
import { listAuditEntries, toObjectId } from '../../setup/harness.ts';
import {
  parseAuthorization,
  startHandmadeProvider,
} from '../../setup/providers/identity-provider.ts';
import { assertOk, createOwner } from '../../setup/personas.ts';
import {
  claimDomain,
  createSsoOrganization,
  beginLogin,
  withdrawDomainProof,
  type SsoOrganization,
} from '../../setup/providers/sso.ts';
import { toOutcome, type Answer } from '../../setup/start-app.ts';

let home: SsoOrganization;
const provider = useFixture(startHandmadeProvider, (started) => started.stop());
const harness = useHarness({
  ASSAY_OUTBOUND_ALLOW: '127.0.0.1',
  ASSAY_PUBLIC_URL: 'https://assay.example.com',
  ASSAY_RETURN_URLS: 'https://app.example.com/signed-on,http://localhost:5173/',
});
beforeAll(async () => {
  home = await createSsoOrganization(harness, provider.createRealm());
});

const begin = (email: string, more: object = {}): Promise<Answer> =>
  beginLogin(new Browser(harness.app), email, more);
const change = ({ owner }: SsoOrganization, set: object) =>
  harness.db
    .collection('organizations')
    .updateOne({ _id: toObjectId(owner.organizationId) }, { $set: set });

describe('an address', () => {
  test('of a proved domain leads to its organisation’s provider, with a cookie for this browser', async () => {
    const browser = new Browser(harness.app);
    const answer = await beginLogin(browser, `  Person@${home.domain.toUpperCase()} `);
    expect([answer.status, answer.body.data.provider]).toEqual([200, 'oidc']);
    expect(Object.keys(answer.body.data).sort()).toEqual(['provider', 'redirectUrl']);
    expect(answer.body.data.redirectUrl).toMatch(`${home.realm.issuer}/authorize?`);
    const [cookie, ...more] = answer.headers.getSetCookie();
    expect([cookie, more]).toEqual([
      expect.stringMatching(/^svc_sign_on_\w{16}=[\w-]{43}; Max-Age=600; .*HttpOnly/),
      [],
    ]);
    const [entry] = await listAuditEntries(harness.app, home.owner, 'action=auth.sso.initiate');
    expect(entry).toMatchObject({
      status: 'success',
      userId: null,
      resource: 'session',
      metadata: { provider: 'oidc', email: `person@${home.domain}` },
    });
  });

  test('is answered alike whether it has an account or not', async () => {
    await harness.db
      .collection('users')
      .updateOne(
        { _id: toObjectId(home.owner.userId) },
        { $set: { email: `owner@${home.domain}` } },
      );
    const bare = ({ status, headers, body }: Answer) => ({
      status,
      headers: [...headers.keys()].filter((name) => !/^(date|ratelimit|x-request-id)/.test(name)),
      at: (body.data.redirectUrl as string).split('?')[0],
      query: [...parseAuthorization(body.data.redirectUrl as string).params.keys()],
    });
    expect(bare(await begin(`owner@${home.domain}`))).toEqual(
      bare(await begin(`stranger@${home.domain}`)),
    );
  });

  test.for([
    'person@unknown.example.org',
    'person@example.com',
    'person@sub.{domain}',
    'person@x{domain}',
  ])('of no proved domain leads nowhere: %s', async (email) => {
    expect(toOutcome(await begin(email.replace('{domain}', home.domain)))).toEqual([
      404,
      'NOT_FOUND',
    ]);
  });

  test('of a domain that is only claimed leads nowhere', async () => {
    await claimDomain(harness, home.owner, 'claimed.example.org');
    expect((await begin('person@claimed.example.org')).status).toBe(200);
    await withdrawDomainProof(harness, home.owner, 'claimed.example.org');
    expect(toOutcome(await begin('person@claimed.example.org'))).toEqual([404, 'NOT_FOUND']);
  });

  test.for(['', 'x', '@example.org', 'a@b@c.example.org', 7, null])(
    'that is none is refused: %s',
    async (email) => {
      const answer = await beginLogin(new Browser(harness.app), email as string);
      expect(toOutcome(answer)).toEqual([400, 'VALIDATION_ERROR']);
    },
  );

  test('is asked for twenty times in a quarter of an hour', async () => {
    const email = `often@${home.domain}`;
    for (let times = 0; times < 20; times += 1) assertOk(await begin(email));
    expect(toOutcome(await begin(email))).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
  });
});

describe('an organisation', () => {
  test('whose plan lacks sign-on: refused with the plans that have it, and audited', async () => {
    const other = await createSsoOrganization(harness, provider.createRealm());
    await change(other, { 'subscription.plan': 'scale' });
    const answer = await begin(`person@${other.domain}`);
    expect(toOutcome(answer)).toEqual([403, 'UPGRADE_REQUIRED']);
    expect(answer.body.data).toEqual({
      currentPlan: 'scale',
      feature: 'sso',
      requiredPlans: ['governance', 'enterprise', 'custom'],
    });
    const [entry] = await listAuditEntries(harness.app, other.owner, 'action=auth.sso.initiate');
    expect(entry).toMatchObject({ status: 'failure', metadata: { code: 'UPGRADE_REQUIRED' } });
  });

  test('without settings is answered like an unknown domain, and audited', async () => {
    const owner = await createOwner(harness.app, 'Bare');
    await claimDomain(harness, owner, 'bare.example.org');
    const [bare, unknown] = [
      await begin('x@bare.example.org'),
      await begin('x@unknown.example.org'),
    ];
    expect([toOutcome(bare), bare.text]).toEqual([[404, 'NOT_FOUND'], unknown.text]);
    const [entry] = await listAuditEntries(harness.app, owner, 'action=auth.sso.initiate');
    expect(entry).toMatchObject({ status: 'failure', detail: 'SSO is not configured' });
  });

  test('with half of its settings is answered likewise', async () => {
    const other = await createSsoOrganization(harness, provider.createRealm());
    await change(other, { 'ssoConfig.oidc': null });
    expect(toOutcome(await begin(`x@${other.domain}`))).toEqual([404, 'NOT_FOUND']);
  });
});

describe('the address to return to', () => {
  test.for([
    'https://app.example.com/signed-on?a=1',
    'http://localhost:5173/',
    'http://localhost:5173/?x#y',
  ])('may be %s', async (returnTo) => {
    expect((await begin(`r@${home.domain}`, { returnTo })).status).toBe(200);
  });

  test.for([
    'https://evil.example.net/signed-on',
    'https://app.example.com.evil.example.net/signed-on',
    'https://app.example.com:443@evil.example.net/signed-on',
    'https://app.example.com/signed-on/../other',
    'https://app.example.com/',
    'http://app.example.com/signed-on',
    'https://app.example.com:8443/signed-on',
    'javascript:alert(1)//app.example.com/signed-on',
    '//evil.example.net/signed-on',
    '/signed-on',
    'https://example.com:pass@app.example.com/signed-on',
    '',
  ])('may not be %s', async (returnTo) => {
    const answer = await begin(`q@${home.domain}`, { returnTo });
    expect([...toOutcome(answer), answer.headers.getSetCookie()]).toEqual([
      400,
      'VALIDATION_ERROR',
      [],
    ]);
  });
});

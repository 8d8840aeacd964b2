// E-mail domains of organisations over HTTP: claimed, proved at a real name server, approved, lost, given up.
import { signIn } from '../../../src/identity/auth/sessions/sign-in.service.ts';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { generateHex } from '../../../src/platform/ids.ts';
import {
  findDomainOwner,
  hasVerifiedDomain,
} from '../../../src/identity/organization/sso-domains/verified-domains.service.ts';
import { useFixture, useHarness, useOwner } from '../../setup/fixtures.ts';
import { listAuditEntries, createMember, toObjectId } from '../../setup/harness.ts';
import { startNameServer } from '../../setup/providers/name-server.ts';
import { assertOk, createOwner, createWorkspaceKey, type Owner } from '../../setup/personas.ts';
import { toOutcome, startApp, type Answer } from '../../setup/start-app.ts';

const at = '/api/v1/organization/sso/domains';
const ROOT = 'root@example.com';
/** The app's clock: the system's, and what tests add to it. */
let aheadMs = 0;
const clock = { now: () => new Date(Date.now() + aheadMs) };

const names = useFixture(startNameServer, (started) => started.stop());
const harness = useHarness(() => ({ ASSAY_DNS_SERVERS: names.address, SYSTEM_OWNERS: ROOT }), {
  clock,
});
const { app } = harness;
const ada = useOwner(harness);
beforeEach(() => {
  names.mood = 'well';
});

interface Claim {
  _id: string;
  domain: string;
  challenge: string;
  status: string;
  record: { type: string; name: string; value: string };
}

const newDomain = (): string => `d${generateHex(6)}.example.com`;
const list = ({ token }: Owner): Promise<Answer> => app.call('GET', at, { token });
const claim = ({ token }: Owner, domain: unknown): Promise<Answer> =>
  app.call('POST', at, { token, body: { domain } });
const verify = ({ token }: Owner, { _id }: { _id: string }): Promise<Answer> =>
  app.call('POST', `${at}/${_id}/verify`, { token });
const remove = ({ token }: Owner, { _id }: { _id: string }): Promise<Answer> =>
  app.call('DELETE', `${at}/${_id}`, { token });
const approve = (token: string, body: unknown): Promise<Answer> =>
  app.call('POST', '/api/v1/system/sso-domains', { token, body });
const claimed = async (who: Owner, domain = newDomain()): Promise<Claim> =>
  assertOk(await claim(who, domain)).body.data;
const publish = (...claims: Claim[]): void => {
  for (const { record } of claims)
    names.records.set(
      record.name,
      claims.map((each) => each.record.value),
    );
};
const proved = async (who: Owner, domain = newDomain()): Promise<Claim> => {
  const made = await claimed(who, domain);
  publish(made);
  return assertOk(await verify(who, made)).body.data;
};
const routed = (domain: string): Promise<string | null> =>
  findDomainOwner(app.instance.platform, `person@${domain}`);

describe('a claim', () => {
  test('says what to publish, and routes no address', async () => {
    const domain = newDomain();
    const { status, body } = await claim(ada, ` ${domain.toUpperCase()}. `);
    expect(status).toBe(201);
    expect(body.data).toEqual({
      _id: expect.any(String),
      domain,
      status: 'claimed',
      verifiedAt: null,
      verifiedBy: null,
      challenge: expect.stringMatching(/^[0-9a-f]{32}$/),
      record: {
        type: 'TXT',
        name: `_assay-challenge.${domain}`,
        value: `assay-domain-verification=${body.data.challenge}`,
      },
      createdAt: expect.any(String),
    });
    expect((await list(ada)).body.data[0]).toEqual(body.data);
    expect(await routed(domain)).toBeNull();
    const [entry] = await listAuditEntries(app, ada, 'action=organization.sso_domain.claimed');
    expect(entry).toMatchObject({
      resource: 'ssoDomain',
      resourceId: body.data._id,
      detail: domain,
      metadata: { domain },
    });
  });

  test('is made once, in ASCII', async () => {
    const tail = newDomain();
    const made = await claimed(ada, `bücher.${tail}`);
    expect(made.domain).toBe(`xn--bcher-kva.${tail}`);
    for (const again of [`bücher.${tail}`, `BÜCHER.${tail}`, made.domain])
      expect(toOutcome(await claim(ada, again))).toEqual([409, 'ALREADY_EXISTS']);
    // Others may claim it as well, and do not learn of this claim.
    expect((await claim(await createOwner(app, 'Other'), made.domain)).status).toBe(201);
  });

  test.each([
    '',
    'example',
    'co.uk',
    'gmail.com',
    'ada@example.com',
    '127.0.0.1',
    '*.example.com',
    7,
    null,
    {},
    ['example.com'],
  ])('of %j is refused', async (domain) => {
    expect(toOutcome(await claim(ada, domain))).toEqual([400, 'VALIDATION_ERROR']);
  });

  test('is one of at most fifty, also when they come together', { tags: ['long'] }, async () => {
    const owner = await createOwner(app, 'Many');
    const row = {
      organizationId: toObjectId(owner.organizationId),
      verifiedAt: null,
      verifiedBy: null,
    };
    const rows = Array.from({ length: 47 }, () => ({
      ...row,
      domain: newDomain(),
      challenge: 'x',
    }));
    const times = { createdAt: new Date(), updatedAt: new Date() };
    await harness.db
      .collection('sso_domains')
      .insertMany(rows.map((each) => ({ ...each, ...times })));
    const answers = await Promise.all(Array.from({ length: 6 }, () => claim(owner, newDomain())));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 400, 400, 400]);
    expect(answers.find(({ status }) => status === 400)?.body.code).toBe('INVALID_OPERATION');
    expect((await list(owner)).body.data).toHaveLength(50);
  });
});

describe('a proof', () => {
  test('routes the domain, exactly, and covers its addresses', async () => {
    const { domain, status, ...rest } = await proved(ada);
    expect([status, rest]).toMatchObject([
      'verified',
      { verifiedAt: expect.any(String), verifiedBy: 'dns' },
    ]);
    expect(await routed(domain)).toBe(ada.organizationId);
    expect(await routed(domain.toUpperCase())).toBe(ada.organizationId);
    for (const near of [`mail.${domain}`, `x${domain}`, 'example.com'])
      expect(await routed(near)).toBeNull();
    expect(
      await hasVerifiedDomain(app.instance.platform, ada.organizationId, `grace@${domain}`),
    ).toBe(true);
    expect(
      await hasVerifiedDomain(
        app.instance.platform,
        (await createOwner(app, 'Other')).organizationId,
        `grace@${domain}`,
      ),
    ).toBe(false);
    const [entry] = await listAuditEntries(app, ada, 'action=organization.sso_domain.verified');
    expect(entry).toMatchObject({ status: 'success', resourceId: rest._id, detail: domain });
  });

  test('needs the record, with this value, of this organisation', async () => {
    const made = await claimed(ada);
    const theirs = await claimed(await createOwner(app, 'Other'), made.domain);
    const other = await claimed(ada);
    const { name, value } = made.record;
    for (const texts of [
      null,
      [],
      [''],
      ['v=spf1 -all'],
      [`${value}x`],
      [value.toUpperCase()],
      [theirs.record.value, other.record.value],
    ]) {
      if (texts) names.records.set(name, texts);
      expect(toOutcome(await verify(ada, made)), String(texts)).toEqual([400, 'INVALID_OPERATION']);
    }
    // The record belongs to the name, not to the domain itself.
    names.records.delete(name);
    names.records.set(made.domain, [value]);
    expect(toOutcome(await verify(ada, made))).toEqual([400, 'INVALID_OPERATION']);
    expect([await routed(made.domain), new Set(names.asked.slice(-8))]).toEqual([
      null,
      new Set([name]),
    ]);
    names.records.set(name, ['v=spf1 -all', 'x'.repeat(600), value]);
    expect((await verify(ada, made)).body.data.status).toBe('verified');
    expect((await verify(ada, made)).status).toBe(200);
  });

  test('is refused clearly while the name server cannot answer', async () => {
    const made = await claimed(ada);
    publish(made);
    names.mood = 'failing';
    const answer = await verify(ada, made);
    expect([answer.status, answer.body.code, answer.text]).toEqual([
      400,
      'INVALID_OPERATION',
      expect.stringContaining('could not be looked up'),
    ]);
    names.mood = 'well';
    expect((await verify(ada, made)).status).toBe(200);
  });

  test(
    'of another organisation counts while its record stands, and no longer',
    { tags: ['long'] },
    async () => {
      const other = await createOwner(app, 'Other');
      const [mine, theirs] = [await proved(ada), await claimed(other)];
      const late = await claimed(other, mine.domain);
      publish(mine, late);
      const refused = await verify(other, late);
      expect([
        refused.status,
        refused.body.code,
        refused.text.includes(ada.organizationId),
      ]).toEqual([409, 'ALREADY_EXISTS', false]);
      expect(await routed(mine.domain)).toBe(ada.organizationId);
      publish(late);
      expect((await verify(other, late)).status).toBe(200);
      expect(await routed(mine.domain)).toBe(other.organizationId);
      expect((await list(ada)).body.data.find(({ _id }: Claim) => _id === mine._id)).toMatchObject({
        status: 'claimed',
        verifiedBy: null,
      });
      expect((await list(other)).body.data.map(({ _id }: Claim) => _id)).toEqual([
        late._id,
        theirs._id,
      ]);
      aheadMs = 10_000;
      await app.instance.runJobsOnce();
      aheadMs = 0;
      const [entry] = await listAuditEntries(app, ada, 'action=organization.sso_domain.superseded');
      expect(entry).toMatchObject({
        resourceId: mine._id,
        detail: mine.domain,
        userId: null,
        userEmail: null,
      });
      expect(JSON.stringify(entry)).not.toContain(other.email);
      // The first organisation takes it back.
      publish(mine);
      expect((await verify(ada, mine)).status).toBe(200);
      expect(await routed(mine.domain)).toBe(ada.organizationId);
    },
  );

  test('of two at the same time: one has the domain', { tags: ['long'] }, async () => {
    const [one, two] = [await createOwner(app, 'One'), await createOwner(app, 'Two')];
    for (let round = 0; round < 5; round += 1) {
      const first = await claimed(one);
      const second = await claimed(two, first.domain);
      publish(first, second);
      const answers = await Promise.all([verify(one, first), verify(two, second)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    }
  });
});

describe('a domain that is given up', () => {
  test('is routed nowhere and free; its people stay members with their sessions', async () => {
    const other = await createOwner(app, 'Other');
    const grace = await createMember(harness, ada, 'member');
    const mine = await proved(ada);
    const answer = await remove(ada, mine);
    expect([answer.status, answer.body.data]).toEqual([200, { _id: mine._id, deleted: true }]);
    expect([await routed(mine.domain), toOutcome(await remove(ada, mine))]).toEqual([
      null,
      [404, 'NOT_FOUND'],
    ]);
    expect((await app.call('GET', '/api/v1/auth/me', { token: grace.token })).status).toBe(200);
    const [entry] = await listAuditEntries(app, ada, 'action=organization.sso_domain.removed');
    expect(entry).toMatchObject({ resourceId: mine._id, detail: mine.domain });
    await proved(other, mine.domain);
    expect(await routed(mine.domain)).toBe(other.organizationId);
    // A new claim has a new challenge: the old record proves nothing.
    publish(mine);
    expect(toOutcome(await verify(ada, await claimed(ada, mine.domain)))).toEqual([
      400,
      'INVALID_OPERATION',
    ]);
  });

  test('goes with its organisation at once', async () => {
    const owner = await createOwner(app, 'Doomed');
    const { domain } = await proved(owner);
    assertOk(
      await app.call('DELETE', '/api/v1/organization', {
        token: owner.token,
        body: { name: 'Doomed Ltd' },
      }),
    );
    expect(await routed(domain)).toBeNull();
    const where = { organizationId: toObjectId(owner.organizationId) };
    expect(await harness.db.collection('sso_domains').countDocuments(where)).toBe(0);
    await proved(ada, domain);
  });
});

describe('an approval', () => {
  /** The administrator of the installation. */
  let root: string;
  beforeAll(async () => {
    const body = {
      name: 'Root',
      email: ROOT,
      password: 'Correct-Horse-9',
      organizationName: 'Root Ltd',
    };
    root = assertOk(await app.call('POST', '/api/v1/auth/register', { body })).body.data.token;
    expect(
      toOutcome(await approve(root, { organizationId: ada.organizationId, domain: newDomain() })),
    ).toEqual([403, 'FORBIDDEN']);
    await harness.db
      .collection('users')
      .updateOne({ email: ROOT }, { $set: { emailVerifiedAt: new Date() } });
  });

  test('needs no record and no claim, and is audited in the organisation', async () => {
    const { organizationId } = ada;
    const asked = names.asked.length;
    const waiting = await claimed(ada);
    for (const domain of [newDomain(), waiting.domain]) {
      const answer = await approve(root, { organizationId, domain });
      expect([answer.status, answer.body.data]).toMatchObject([
        201,
        { domain, status: 'verified', verifiedBy: 'system' },
      ]);
      expect(await routed(domain)).toBe(organizationId);
      const [entry] = await listAuditEntries(app, ada, 'action=organization.sso_domain.approved');
      expect(entry).toMatchObject({
        resourceId: answer.body.data._id,
        detail: domain,
        userEmail: ROOT,
      });
    }
    expect([(await list(ada)).body.data[1]._id, names.asked.length]).toEqual([waiting._id, asked]);
  });

  test('is not taken over by a record, and takes nothing over', async () => {
    const other = await createOwner(app, 'Other');
    const { organizationId } = ada;
    const { domain } = assertOk(await approve(root, { organizationId, domain: newDomain() })).body
      .data;
    const late = await claimed(other, domain);
    publish(late);
    expect(toOutcome(await verify(other, late))).toEqual([409, 'ALREADY_EXISTS']);
    const theirs = await proved(other);
    expect(toOutcome(await approve(root, { organizationId, domain: theirs.domain }))).toEqual([
      409,
      'ALREADY_EXISTS',
    ]);
    expect([await routed(domain), await routed(theirs.domain)]).toEqual([
      organizationId,
      other.organizationId,
    ]);
  });

  test.each([
    [{ organizationId: 'f'.repeat(24), domain: 'example.org' }, [404, 'ORG_NOT_FOUND']],
    [{ organizationId: 'x', domain: 'example.org' }, [400, 'VALIDATION_ERROR']],
    [{ organizationId: { $ne: null }, domain: 'example.org' }, [400, 'VALIDATION_ERROR']],
    [{ organizationId: 'f'.repeat(24), domain: 'gmail.com' }, [400, 'VALIDATION_ERROR']],
    [{ domain: 'example.org' }, [400, 'VALIDATION_ERROR']],
    [
      { organizationId: 'f'.repeat(24), domain: 'example.org', force: true },
      [400, 'VALIDATION_ERROR'],
    ],
  ])('of %j is refused', async (body, expected) => {
    expect(toOutcome(await approve(root, body))).toEqual(expected);
  });

  test('is for the system-level roles, which no sign-on gives', async () => {
    const body = { organizationId: ada.organizationId, domain: newDomain() };
    expect(toOutcome(await approve(ada.token, body))).toEqual([403, 'FORBIDDEN']);
    const person = await createOwner(app, 'System');
    const users = harness.db.collection('users');
    await users.updateOne({ email: person.email }, { $set: { systemRole: 'admin' } });
    expect((await approve(person.token, body)).status).toBe(201);
    const home = harness.db.collection('organizations');
    const ssoConfig = {
      provider: 'saml',
      saml: { entityId: 'urn:example:idp', certificates: [] },
      oidc: null,
    };
    await home.updateOne({ _id: toObjectId(person.organizationId) }, { $set: { ssoConfig } });
    const user = await users.findOne({ email: person.email });
    const signOn = {
      protocol: 'saml',
      issuer: 'urn:example:idp',
      subject: 'x',
      format: null,
      sessionIndex: null,
    } as const;
    const origin = { ip: '127.0.0.1', userAgent: null };
    const session = await signIn(app.instance.platform, user as never, {
      origin,
      proof: {
        method: 'saml',
        secondFactor: 'identity_provider',
        signOn: { ...signOn, organizationId: person.organizationId },
      },
    });
    const token = session.mfaRequired ? '' : session.token;
    await expect
      .poll(async () => (await app.call('GET', '/api/v1/auth/me', { token })).status)
      .toBe(200);
    expect(toOutcome(await approve(token, { ...body, domain: newDomain() }))).toEqual([
      403,
      'FORBIDDEN',
    ]);
  });
});

describe('domains', () => {
  test('are for owners; admins see them; other organisations do not', async () => {
    const mine = await proved(ada);
    for (const role of ['admin', 'reviewer', 'member', 'viewer', 'auditor']) {
      const person = await createMember(harness, ada, role);
      expect((await list(person)).status, role).toBe(role === 'admin' ? 200 : 403);
      for (const refused of [
        await claim(person, newDomain()),
        await verify(person, mine),
        await remove(person, mine),
      ])
        expect(toOutcome(refused), role).toEqual([403, 'FORBIDDEN']);
    }
    const { key } = await createWorkspaceKey(app, ada);
    expect(toOutcome(await app.call('GET', at, { key }))).toEqual([403, 'FORBIDDEN']);
    const other = await createOwner(app, 'Other');
    expect((await list(other)).body.data).toEqual([]);
    for (const refused of [await verify(other, mine), await remove(other, mine)])
      expect(toOutcome(refused)).toEqual([404, 'NOT_FOUND']);
    expect(toOutcome(await verify(ada, { _id: 'f'.repeat(24) }))).toEqual([404, 'NOT_FOUND']);
    expect(await routed(mine.domain)).toBe(ada.organizationId);
  });

  test('need a plan that has sign-on', async () => {
    const small = await startApp({ DEFAULT_PLAN: 'scale' });
    const { token } = await createOwner(small);
    for (const [method, path] of [
      ['GET', at],
      ['POST', at],
      ['POST', `${at}/${'f'.repeat(24)}/verify`],
      ['DELETE', `${at}/${'f'.repeat(24)}`],
    ] as const)
      expect(toOutcome(await small.call(method, path, { token }))).toEqual([
        403,
        'UPGRADE_REQUIRED',
      ]);
    await small.stop();
  });
});

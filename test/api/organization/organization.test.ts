// The organisation over HTTP: settings, SCIM token, and deletion (document 1, sections 2 and 5).
import { queueAttestation } from '../../../src/evidence/hash-chain/attestations.service.ts';
import { composeInvitation } from '../../../src/identity/team/invitation-mails.service.ts';
import {
  eraseDeletedOrganizations,
  repeatErasures,
} from '../../../src/identity/organization/deletion/organization-deletion.service.ts';
import { authenticateDirectory } from '../../../src/identity/scim/tokens/scim-tokens.service.ts';
import { verifyAuditLog } from '../../../src/identity/audit/audit-log.service.ts';
import { describe, expect, test } from 'vitest';
import type { Tenant } from '../../../src/domain/identity/tenant.ts';
import type { Stored } from '../../../src/ledger/entry.ts';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { listAuditEntries, createMember, toObjectId, openEntry } from '../../setup/harness.ts';
import {
  createAgent,
  buildDecision,
  assertOk,
  createOwner,
  PASSWORD,
  createWorkspaceKey,
  type Owner,
} from '../../setup/personas.ts';
import {
  toOutcome,
  startApp,
  type Answer,
  type Call,
  type TestApp,
} from '../../setup/start-app.ts';
import { verifyLedger } from '../../../src/evidence/hash-chain/chain-verification.service.ts';

const at = '/api/v1/organization';
/** The app's clock: the system's, and what tests add to it. */
let aheadMs = 0;
const clock = { now: () => new Date(Date.now() + aheadMs) };

const harness = useHarness({}, { clock, subscribesToEvents: () => Promise.resolve(true) });
const { app } = harness;
const ada = useOwner(harness);

const read = (call: Call): Promise<Answer> => app.call('GET', at, call);
const change = ({ token }: Owner, body: unknown): Promise<Answer> =>
  app.call('PATCH', at, { token, body });
const remove = ({ token }: Owner, body?: unknown): Promise<Answer> =>
  app.call('DELETE', at, { token, ...(body !== undefined && { body }) });

describe('settings', () => {
  test('are those of a new organisation at first', async () => {
    expect((await read({ token: ada.token })).body.data).toEqual({
      _id: ada.organizationId,
      id: ada.organizationId,
      name: 'Ada Ltd',
      slug: expect.stringMatching(/^ada-ltd-/),
      plan: 'enterprise',
      defaultWorkspaceId: ada.workspaceId,
      scrubNationalIds: true,
      endSessionsOnScimDeactivate: false,
      requirePolicyApproval: false,
      insuranceFeed: { enabled: false },
      reclaimedAt: null,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
  });

  test('change one by one, keep the rest, and are audited', async () => {
    const named = await change(ada, { name: '  Lovelace ' });
    expect([named.status, named.body.data.name, named.body.data.scrubNationalIds]).toEqual([
      200,
      'Lovelace',
      true,
    ]);
    const switched = await change(ada, { endSessionsOnScimDeactivate: true });
    expect(switched.body.data).toMatchObject({
      name: 'Lovelace',
      endSessionsOnScimDeactivate: true,
    });
    expect((await read({ token: ada.token })).body.data).toEqual(switched.body.data);
    expect(
      (await app.call('GET', '/api/v1/auth/me', { token: ada.token })).body.data.organization.name,
    ).toBe('Lovelace');
    const entries = await listAuditEntries(
      app,
      ada,
      `action=organization.update&resourceId=${ada.organizationId}`,
    );
    expect(entries.map(({ metadata }) => metadata)).toEqual([
      { endSessionsOnScimDeactivate: true },
      { name: 'Lovelace' },
    ]);
  });

  test('decide at once what is scrubbed', async () => {
    const owner = await createOwner(app, 'Scrub');
    const { key } = await createWorkspaceKey(app, owner);
    const tags = async (): Promise<string[]> =>
      assertOk(
        await app.call('POST', '/api/v1/traces', {
          key,
          body: buildDecision('x', { inputContext: { prompt: 'ssn: 536-90-4399' } }),
        }),
      ).body.data.tags;
    expect(await tags()).toContain('PII_NATIONAL_ID');
    assertOk(await change(owner, { scrubNationalIds: false }));
    expect(await tags()).not.toContain('PII_NATIONAL_ID');
  });

  test.each([
    { name: '' },
    { name: ' ' },
    { name: 'x'.repeat(201) },
    { name: { $ne: null } },
    { scrubNationalIds: 'false' },
    { endSessionsOnScimDeactivate: 1 },
    { plan: 'custom' },
    { slug: 'mine' },
    { subscription: { plan: 'custom' } },
    { membershipChanges: 7 },
    { _id: 'f'.repeat(24) },
    [],
  ])('%j is refused', async (body) => {
    const before = (await read({ token: ada.token })).body.data;
    expect(toOutcome(await change(ada, body))).toEqual([400, 'VALIDATION_ERROR']);
    expect((await read({ token: ada.token })).body.data).toEqual(before);
  });

  test('are read by everybody who reads, changed by owners and admins', async () => {
    expect(
      (await change(await createMember(harness, ada, 'admin'), { name: 'By admin' })).status,
    ).toBe(200);
    for (const role of ['reviewer', 'member', 'viewer']) {
      const person = await createMember(harness, ada, role);
      expect((await read(person)).status, role).toBe(200);
      expect(toOutcome(await change(person, { name: 'No' })), role).toEqual([403, 'FORBIDDEN']);
    }
    expect(toOutcome(await read(await createMember(harness, ada, 'auditor')))).toEqual([
      403,
      'FORBIDDEN',
    ]);
    const { key } = await createWorkspaceKey(app, ada);
    expect((await read({ key })).status).toBe(200);
    expect(toOutcome(await app.call('PATCH', at, { key, body: { name: 'No' } }))).toEqual([
      403,
      'FORBIDDEN',
    ]);
  });
});

describe('the SCIM token', () => {
  const mint = ({ token }: Owner): Promise<Answer> =>
    app.call('POST', `${at}/scim-token`, { token });

  test('is shown once, kept as a digest, audited, and replaced by the next', async () => {
    const first = await mint(ada);
    expect([first.status, first.body.data.token]).toEqual([
      201,
      expect.stringMatching(/^scim_[0-9a-f]{48}$/),
    ]);
    const authenticate = ({ body }: Answer) =>
      authenticateDirectory(app.instance.platform, body.data.token);
    expect((await authenticate(first)).tenant.organizationId).toBe(ada.organizationId);
    const second = await mint(ada);
    await expect(authenticate(first)).rejects.toMatchObject({ code: 'TOKEN_REVOKED' });
    expect((await authenticate(second)).tenant.organizationId).toBe(ada.organizationId);
    const kept = await harness.db.collection('scim_tokens').find().toArray();
    expect([kept.length, JSON.stringify(kept).includes(second.body.data.token)]).toEqual([
      1,
      false,
    ]);
    const entries = await listAuditEntries(app, ada, 'action=scim.token.minted');
    expect(entries.map(({ resourceId }) => resourceId)).toEqual([
      second.body.data._id,
      first.body.data._id,
    ]);
    expect(JSON.stringify(entries)).not.toContain('scim_');
  });

  test('is for owners, on plans that have it', async () => {
    for (const role of ['admin', 'reviewer', 'member', 'viewer', 'auditor'])
      expect(toOutcome(await mint(await createMember(harness, ada, role))), role).toEqual([
        403,
        'FORBIDDEN',
      ]);
    const small = await startApp({ DEFAULT_PLAN: 'governance' });
    const { token } = await createOwner(small);
    const answer = await small.call('POST', `${at}/scim-token`, { token });
    expect([answer.status, answer.body.code, answer.body.data]).toEqual([
      403,
      'UPGRADE_REQUIRED',
      { currentPlan: 'governance', requiredPlans: ['enterprise', 'custom'], feature: 'scim' },
    ]);
    await small.stop();
  });
});

describe('deletion', () => {
  const CANARY = 'canary-of-the-deleted';

  /** Creates an organisation with marked records of every kind, and members who also belong elsewhere. */
  async function populated() {
    const owner = await createOwner(app, 'Doomed');
    const guest = await createMember(harness, owner, 'viewer');
    const { token } = owner;
    const machine = await createAgent(app, owner, CANARY);
    const { key } = await createWorkspaceKey(app, owner, { name: CANARY });
    const scim = assertOk(await app.call('POST', `${at}/scim-token`, { token })).body.data
      .token as string;
    const post = (path: string, body: object): Promise<Answer> =>
      app.call('POST', `/api/v1${path}`, { token, body });
    assertOk(await post('/workspaces', { name: CANARY }));
    assertOk(
      await post('/policies', {
        name: CANARY,
        conditions: [{ field: 'outputDecision.action', operator: 'equals', value: CANARY }],
        actions: [{ type: 'flag_for_review', config: { reason: CANARY } }],
      }),
    );
    const email = `${CANARY}-${owner.userId}@example.com`;
    const { _id: invitationId } = assertOk(await post('/team/invite', { email })).body.data;
    for (const action of ['reply', CANARY]) {
      const outputDecision = { action, rationale: CANARY };
      assertOk(
        await app.call('POST', '/api/v1/traces', {
          key,
          body: buildDecision(machine.id, {
            outputDecision,
            metadata: { note: CANARY },
            triggeringCondition: CANARY,
          }),
        }),
      );
    }
    await app.instance.runJobsOnce();
    const row = await harness.db
      .collection('outbox')
      .findOne({ 'payload.invitationId': invitationId });
    const mail = await composeInvitation(app.instance.platform, row as never);
    return { owner, guest, key, agentKey: machine.key, scim, invitation: mail?.action.token ?? '' };
  }

  /** Returns every stored value of an organisation as text, by collection. */
  async function stored({ organizationId }: Owner): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    for (const { name } of await harness.db.listCollections().toArray()) {
      const rows = await harness.db
        .collection(name)
        .find({ organizationId: toObjectId(organizationId) })
        .toArray();
      if (rows.length > 0) found.set(name, JSON.stringify(rows));
    }
    return found;
  }
  const tenant = ({ organizationId }: Owner): Tenant => ({
    organizationId,
    workspaceId: null,
    defaultWorkspaceId: organizationId,
    plan: 'custom',
    agentIds: null,
    actor: { kind: 'system', id: null },
  });
  const verifyBoth = async (of: Owner) => ({
    decisions: await verifyLedger({ platform: app.instance.platform, tenant: tenant(of) }),
    audit: await verifyAuditLog(app.instance.platform, tenant(of)),
  });

  test('needs an owner and the name', async () => {
    const owner = await createOwner(app, 'Kept');
    const bodies = [
      { name: 'kept ltd' },
      { name: 'Kept' },
      { name: '' },
      {},
      { name: null },
      { name: ['Kept Ltd'] },
    ];
    for (const body of [
      ...bodies,
      { name: 'Kept Ltd', force: true },
      { name: { $ne: '' } },
      undefined,
    ])
      expect(toOutcome(await remove(owner, body)), JSON.stringify(body)).toEqual([
        400,
        'VALIDATION_ERROR',
      ]);
    for (const role of ['admin', 'reviewer', 'member', 'viewer', 'auditor'])
      expect(
        toOutcome(await remove(await createMember(harness, owner, role), { name: 'Kept Ltd' })),
      ).toEqual([403, 'FORBIDDEN']);
    const { key } = await createWorkspaceKey(app, owner);
    expect(toOutcome(await app.call('DELETE', at, { key, body: { name: 'Kept Ltd' } }))).toEqual([
      403,
      'FORBIDDEN',
    ]);
    expect((await read({ token: owner.token })).body.data.name).toBe('Kept Ltd');
    const failures = await listAuditEntries(
      app,
      owner,
      'action=organization.delete&status=failure',
    );
    expect(failures).toHaveLength(5);
  });

  test('ends every access at once, here and on another instance', async () => {
    const { owner, guest, key, agentKey, scim, invitation } = await populated();
    const second = await startApp({}, { mongoUri: harness.mongoUri, clock });
    const trace = (on: TestApp, credential: string): Promise<Answer> =>
      on.call('POST', '/api/v1/traces', { key: credential, body: buildDecision('x') });
    assertOk(await trace(second, key));
    const answer = await remove(owner, { name: 'Doomed Ltd' });
    expect([answer.status, answer.body.data]).toEqual([
      200,
      { _id: owner.organizationId, deleted: true },
    ]);

    for (const { token } of [owner, guest])
      expect((await app.call('GET', '/api/v1/auth/me', { token })).status).toBe(401);
    for (const credential of [key, agentKey])
      expect(toOutcome(await trace(app, credential))).toEqual([401, 'INVALID_API_KEY']);
    await expect
      .poll(async () => toOutcome(await trace(second, key)))
      .toEqual([401, 'INVALID_API_KEY']);
    expect((await second.call('GET', '/api/v1/auth/me', { token: owner.token })).status).toBe(401);
    await second.stop();
    await expect(authenticateDirectory(app.instance.platform, scim)).rejects.toMatchObject({
      code: 'TOKEN_REVOKED',
    });
    const body = { name: 'Late', password: PASSWORD };
    const late = await app.call('POST', `/api/v1/team/invites/${invitation}/accept`, { body });
    expect(toOutcome(late)).toEqual([404, 'NOT_FOUND']);
    expect(
      (await app.call('GET', `/api/v1/team/invites/validate/${invitation}`)).text,
    ).not.toContain('Doomed');
  });

  test(
    'takes people with it who belong nowhere else, and leaves the others',
    { tags: ['long'] },
    async () => {
      const { owner, guest } = await populated();
      assertOk(await remove(owner, { name: 'Doomed Ltd' }));
      const login = ({ email }: Owner): Promise<Answer> =>
        app.call('POST', '/api/v1/auth/login', { body: { email, password: PASSWORD } });
      expect(toOutcome(await login(owner))).toEqual([401, 'INVALID_CREDENTIALS']);
      const again = {
        name: 'Owner',
        email: owner.email,
        password: PASSWORD,
        organizationName: 'Doomed Ltd',
      };
      expect((await app.call('POST', '/api/v1/auth/register', { body: again })).status).toBe(201);
      const elsewhere = assertOk(await login(guest)).body.data;
      expect(elsewhere.organizationId).not.toBe(owner.organizationId);
      const { data } = assertOk(
        await app.call('GET', '/api/v1/auth/me/orgs', { token: elsewhere.token }),
      ).body;
      expect(data).toHaveLength(1);
    },
  );

  test('erases what was stored; both chains stay, verify, and show who deleted', async () => {
    const { owner } = await populated();
    const before = await stored(owner);
    const marked = [...before].filter(([, text]) => text.includes(CANARY)).map(([name]) => name);
    for (const name of [
      'agents',
      'audit_entries',
      'invitations',
      'ledger',
      'outbox',
      'policies',
      'workspaces',
    ])
      expect(marked).toContain(name);
    assertOk(await remove(owner, { name: 'Doomed Ltd' }));
    await app.instance.runJobsOnce();
    await app.instance.runJobsOnce();

    const after = await stored(owner);
    const chains = ['audit_entries', 'cursors', 'heads_audit_entries', 'heads_ledger', 'ledger'];
    expect([...after.keys()].sort()).toEqual([...chains, 'organization_deletions'].sort());
    const count = async (name: string): Promise<number> =>
      harness.db
        .collection(name)
        .countDocuments({ organizationId: toObjectId(owner.organizationId) });
    expect(await count('ledger')).toBe(4);
    const { decisions, audit } = await verifyBoth(owner);
    expect(decisions).toMatchObject({ verified: true, payload: { mismatched: [], missing: [] } });
    expect(decisions.payload.erased).toBeGreaterThan(5);
    expect(audit).toMatchObject({ verified: true });

    const entries = await harness.db
      .collection('audit_entries')
      .find({ organizationId: toObjectId(owner.organizationId) })
      .sort({ sequence: 1 })
      .toArray();
    const [last, ...others] = entries.reverse();
    expect(last).toMatchObject({ action: 'organization.delete', userId: owner.userId });
    expect(JSON.stringify(last?.sealed)).toContain(owner.email);
    expect(others.length).toBeGreaterThan(5);
    expect(JSON.stringify(others)).not.toContain(owner.email);
    // What stays of a decision beside its proof, as after every erasure: the name of a registered agent.
    const decisionsLeft = await harness.db
      .collection('ledger')
      .find({ organizationId: toObjectId(owner.organizationId) }, { projection: { agentName: 0 } })
      .toArray();
    expect(JSON.stringify(decisionsLeft)).not.toContain(CANARY);
    expect(after.get('audit_entries')).not.toContain(CANARY);
  });

  test(
    'erases what attestations committed to; nothing else explains that they lack it',
    { tags: ['long'] },
    async () => {
      const { owner } = await populated();
      const { organizationId, userId } = owner;
      const assessment = {
        kind: 'assessment',
        organizationId,
        workspaceId: null,
        actor: { kind: 'user', id: userId },
        assessmentId: '65f0000000000000000000c1',
        status: 'approved',
        digest: 'a'.repeat(64),
      } as const;
      await queueAttestation(app.instance.platform, assessment, { approver: CANARY });
      await app.instance.runJobsOnce();
      const where = { organizationId: toObjectId(organizationId), kind: 'assessment' };
      const ledger = harness.db.collection('ledger');
      const entry = await ledger.findOne(where);
      const opened = await openEntry(app, entry as unknown as Stored);
      expect(JSON.stringify(opened['sealed'])).toContain(CANARY);
      await ledger.updateOne(where, { $set: { sealed: {} } });
      expect((await verifyBoth(owner)).decisions.payload.missing).toEqual([
        { sequence: entry?.sequence, field: 'sealed.approver' },
      ]);
      await ledger.updateOne(where, { $set: { sealed: entry?.sealed } });

      assertOk(await remove(owner, { name: 'Doomed Ltd' }));
      await app.instance.runJobsOnce();
      expect(JSON.stringify(await ledger.findOne(where))).not.toContain(CANARY);
      const { decisions } = await verifyBoth(owner);
      expect(decisions).toMatchObject({ verified: true, payload: { mismatched: [], missing: [] } });
    },
  );

  test('is not complete while an audit entry is not sealed yet', async () => {
    const owner = await createOwner(app, 'Doomed');
    assertOk(await remove(owner, { name: 'Doomed Ltd' }));
    await app.instance.runJobsOnce();
    const where = { organizationId: toObjectId(owner.organizationId) };
    const rows = harness.db.collection('audit_rows');
    const readErasedAt = async () =>
      (await harness.db.collection('organization_deletions').findOne(where))?.[
        'erasedAt'
      ] as unknown;
    await rows.insertOne({ ...where, dueAt: new Date('2999-01-01') });
    aheadMs = 2 * 3600 * 1000;
    await eraseDeletedOrganizations(app.instance.platform);
    expect(await readErasedAt()).toBeNull();
    await rows.deleteMany(where);
    await eraseDeletedOrganizations(app.instance.platform);
    aheadMs = 0;
    expect(await readErasedAt()).toBeInstanceOf(Date);
  });

  test(
    'goes on for an hour after an instance wakes that was stopped',
    { tags: ['long'] },
    async () => {
      const owner = await createOwner(app, 'Doomed');
      assertOk(await remove(owner, { name: 'Doomed Ltd' }));
      const where = { organizationId: toObjectId(owner.organizationId) };
      const stopped = new Date();
      const isErased = async () => {
        const found = await harness.db.collection('organization_deletions').findOne(where);
        return found?.['erasedAt'] instanceof Date;
      };
      aheadMs = 2 * 3600 * 1000;
      await eraseDeletedOrganizations(app.instance.platform);
      expect(await isErased()).toBe(true);
      await repeatErasures(app.instance.platform, stopped);
      await harness.db.collection('workspaces').insertOne({ ...where, name: 'late' });
      await eraseDeletedOrganizations(app.instance.platform);
      expect(await harness.db.collection('workspaces').countDocuments(where)).toBe(0);
      expect(await isErased()).toBe(false);
      aheadMs += 3600 * 1000 + 1;
      await eraseDeletedOrganizations(app.instance.platform);
      aheadMs = 0;
      expect(await isErased()).toBe(true);
    },
  );

  test(
    'goes on until nothing can follow, and forgets no late decision',
    { tags: ['long'] },
    async () => {
      const { owner } = await populated();
      assertOk(await remove(owner, { name: 'Doomed Ltd' }));
      await app.instance.runJobsOnce();
      const where = { organizationId: toObjectId(owner.organizationId) };
      const state = () => harness.db.collection('organization_deletions').findOne(where);
      expect((await state())?.erasedAt).toBeNull();
      await harness.db.collection('workspaces').insertOne({ ...where, name: 'late' });
      aheadMs = 2 * 3600 * 1000;
      await app.instance.runJobsOnce();
      expect(await harness.db.collection('workspaces').countDocuments(where)).toBe(0);
      expect((await state())?.erasedAt).toBeInstanceOf(Date);
      aheadMs = 0;
    },
  );

  test(
    'excuses nothing in a chain whose organisation lives, and no change in one that is gone',
    { tags: ['long'] },
    async () => {
      const { owner } = await populated();
      const entries = harness.db.collection('audit_entries');
      const where = { organizationId: toObjectId(owner.organizationId) };
      const first = await entries.findOne({ ...where, sequence: 1 });
      const put = (set: object) => entries.updateOne({ ...where, sequence: 1 }, { $set: set });
      await put({ sealed: {}, detail: null });
      expect((await verifyBoth(owner)).audit).toMatchObject({ verified: false });
      // A forged column does not make the organisation deleted: it is found itself.
      await put({ action: 'organization.delete', status: 'success' });
      expect((await verifyBoth(owner)).audit).toMatchObject({ verified: false });
      await entries.replaceOne({ ...where, sequence: 1 }, first ?? {});
      expect((await verifyBoth(owner)).audit).toMatchObject({ verified: true });

      assertOk(await remove(owner, { name: 'Doomed Ltd' }));
      await app.instance.runJobsOnce();
      expect((await verifyBoth(owner)).audit).toMatchObject({ verified: true });
      await put({ userId: 'f'.repeat(24) });
      expect((await verifyBoth(owner)).audit).toMatchObject({ verified: false });
    },
  );

  test(
    'and a member who joins at the same time leave no membership behind',
    { tags: ['long'] },
    async () => {
      const { owner, invitation } = await populated();
      const body = { name: 'Late', password: PASSWORD };
      const [deleted, joined] = await Promise.all([
        remove(owner, { name: 'Doomed Ltd' }),
        app.call('POST', `/api/v1/team/invites/${invitation}/accept`, { body }),
      ]);
      expect(deleted.status).toBe(200);
      expect([200, 404]).toContain(joined.status);
      const where = { organizationId: toObjectId(owner.organizationId) };
      expect(await harness.db.collection('memberships').countDocuments(where)).toBe(0);
      if (joined.status === 200)
        expect(
          (await app.call('GET', '/api/v1/auth/me', { token: joined.body.data.token })).status,
        ).toBe(401);
    },
  );
});

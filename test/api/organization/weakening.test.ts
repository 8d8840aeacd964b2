// Switches that weaken a control take a second person, over HTTP (decisions: switches that weaken).
import { beforeAll, expect, test } from 'vitest';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { listAuditEntries, createMember, toObjectId } from '../../setup/harness.ts';
import { createOwner, assertOk, type Owner } from '../../setup/personas.ts';
import { toOutcome, type Answer } from '../../setup/start-app.ts';

const HOUR_MS = 3_600_000;
const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);
let admin: Owner;
beforeAll(async () => {
  admin = await createMember(harness, ada, 'admin');
});

const settings = (who: Owner, body: object): Promise<Answer> =>
  app.call('PATCH', '/api/v1/organization', { token: who.token, body });
const setting = (who: Owner, requirePolicyApproval: boolean): Promise<Answer> =>
  settings(who, { requirePolicyApproval });
const noticesOf = async ({ userId }: Owner): Promise<string[]> => {
  const found = harness.db.collection('notifications').find({ userId: toObjectId(userId) });
  return (await found.toArray()).map(({ title }) => title as string);
};
const block = (name: string): object => ({
  name,
  conditions: [{ field: 'outputDecision.action', operator: 'equals', value: 'pay' }],
  actions: [{ type: 'block' }],
});
const create = (who: Owner, name: string): Promise<Answer> =>
  app.call('POST', '/api/v1/policies', { token: who.token, body: block(name) });
/** Moves the time of the request into the past. */
const age = async ({ organizationId }: Owner, ms: number): Promise<void> => {
  const at = { 'policyApprovalRelease.at': new Date(Date.now() - ms) };
  await harness.db
    .collection('organizations')
    .updateOne({ _id: toObjectId(organizationId) }, { $set: at });
};

test('an admin alone cannot switch approvals off, and every manager is notified of the attempt', async () => {
  assertOk(await setting(admin, true));
  const asked = assertOk(await setting(admin, false)).body.data;
  expect(asked).toMatchObject({
    requirePolicyApproval: true,
    policyApprovalRelease: { requestedBy: admin.userId },
  });
  expect(assertOk(await setting(admin, false)).body.data.requirePolicyApproval).toBe(true);
  expect(toOutcome(await create(admin, 'alone'))).toEqual([400, 'INVALID_OPERATION']);
  for (const who of [ada, admin])
    expect(await noticesOf(who)).toEqual([expect.stringContaining('without approval: asked for')]);
  const [entry] = await listAuditEntries(app, ada, 'action=organization.update');
  expect(entry).toMatchObject({ metadata: { requirePolicyApproval: true, waits: true } });
});

test('others of its settings change at once, and switching on withdraws the request', async () => {
  const both = { requirePolicyApproval: false, name: 'Lovelace' };
  expect(assertOk(await settings(admin, both)).body.data).toMatchObject({
    name: 'Lovelace',
    requirePolicyApproval: true,
  });
  expect(assertOk(await setting(ada, true)).body.data).not.toHaveProperty('policyApprovalRelease');
  expect(assertOk(await setting(ada, false)).body.data.requirePolicyApproval).toBe(true);
});

test('a manager from before the request confirms it, one who joined since does not', async () => {
  const late = await createMember(harness, ada, 'admin');
  expect(assertOk(await setting(late, false)).body.data.requirePolicyApproval).toBe(true);
  const off = assertOk(await setting(admin, false)).body.data;
  expect(off.requirePolicyApproval).toBe(false);
  expect(off).not.toHaveProperty('policyApprovalRelease');
  expect(assertOk(await create(admin, 'by hand')).status).toBe(201);
  expect((await noticesOf(ada)).at(-1)).toContain('confirmed by');
});

test('a single owner may confirm after 72 hours, until the request expires', async () => {
  const eve = await createOwner(app, 'Eve');
  assertOk(await setting(eve, true));
  assertOk(await setting(eve, false));
  await age(eve, 71 * HOUR_MS);
  expect(assertOk(await setting(eve, false)).body.data.requirePolicyApproval).toBe(true);
  await age(eve, 15 * 24 * HOUR_MS);
  expect(assertOk(await setting(eve, false)).body.data.requirePolicyApproval).toBe(true);
  await age(eve, 73 * HOUR_MS);
  expect(assertOk(await setting(eve, false)).body.data.requirePolicyApproval).toBe(false);
});

test('a control that is switched off at once is a notice to every manager, whatever they opted out of', async () => {
  const eve = await createOwner(app, 'Eve');
  const bob = await createMember(harness, eve, 'admin');
  const member = await createMember(harness, eve, 'member');
  assertOk(await settings(bob, { endSessionsOnScimDeactivate: true }));
  assertOk(await settings(bob, { endSessionsOnScimDeactivate: true, name: 'Same' }));
  expect(await noticesOf(eve)).toEqual([]);
  assertOk(await settings(bob, { endSessionsOnScimDeactivate: false, scrubNationalIds: false }));
  assertOk(await settings(bob, { scrubNationalIds: false }));
  for (const who of [eve, bob])
    expect(await noticesOf(who)).toEqual([
      'National id numbers in decisions are no longer scrubbed',
      'A deactivation by the directory no longer ends sessions',
    ]);
  expect(await noticesOf(member)).toEqual([]);
});

test('a sign-on that asks for less is a notice, and so is one that is removed', async () => {
  const eve = await createOwner(app, 'Eve');
  await harness.db
    .collection('organizations')
    .updateOne(
      { _id: toObjectId(eve.organizationId) },
      { $set: { 'subscription.plan': 'enterprise' } },
    );
  const put = async (more: object): Promise<void> => {
    const oidc = { issuer: 'https://idp.example.org', clientId: 'assay', clientSecret: 'secret' };
    const body = { provider: 'oidc', oidc, ...more };
    assertOk(await app.call('PUT', '/api/v1/organization/sso', { token: eve.token, body }));
  };
  await put({ requireMfaEvenWithSso: true, requireSso: true });
  await put({ requireMfaEvenWithSso: true, requireSso: true });
  expect(await noticesOf(eve)).toEqual([]);
  await put({ requireSso: true });
  expect(await noticesOf(eve)).toEqual(['A single sign-on no longer needs a second factor']);
  assertOk(await app.call('DELETE', '/api/v1/organization/sso', { token: eve.token }));
  expect((await noticesOf(eve)).slice(1)).toEqual([
    'Members may sign in without the identity provider',
  ]);
});

test('looser automatic approvals need a second person when approvals are required', async () => {
  const { workspaceId } = ada;
  const settle = async (who: Owner, autoApproval: object | null) => {
    const call = { token: who.token, body: { autoApproval } };
    return assertOk(await app.call('PATCH', `/api/v1/workspaces/${workspaceId}`, call)).body.data;
  };
  const loose = { approvals: 20, days: 7 };
  expect((await settle(admin, loose)).autoApproval).toEqual(loose);
  expect((await settle(admin, null)).autoApproval).toBeNull();
  assertOk(await setting(admin, true));
  const asked = await settle(admin, loose);
  expect(asked).toMatchObject({
    autoApproval: null,
    autoApprovalRequest: { requestedBy: admin.userId, autoApproval: loose },
  });
  expect((await settle(admin, loose)).autoApproval).toBeNull();
  expect((await settle(ada, { approvals: 20, days: 8 })).autoApproval).toBeNull();
  expect((await settle(admin, { approvals: 20, days: 8 })).autoApproval).toMatchObject({ days: 8 });
  expect((await settle(admin, { approvals: 30, days: 8 })).autoApproval).toMatchObject({
    approvals: 30,
  });
  expect((await settle(admin, null)).autoApproval).toBeNull();
});

test('what a workspace stops asking of people is a notice, each time it stops', async () => {
  const eve = await createOwner(app, 'Eve');
  const settle = async (body: object): Promise<void> => {
    const path = `/api/v1/workspaces/${eve.workspaceId}`;
    assertOk(await app.call('PATCH', path, { token: eve.token, body }));
  };
  const loose = { approvals: 20, days: 7 };
  await settle({ autoApproval: loose });
  await settle({ autoApproval: { approvals: 30, days: 7 }, observed: { review: true } });
  await settle({ observed: { review: false }, reviewLinks: 'token' });
  await settle({ observed: { review: false }, reviewLinks: 'token', name: 'Desk' });
  await settle({ autoApproval: null, reviewLinks: 'sign-in' });
  const alone = 'The service may approve held decisions by itself';
  const unseen = [
    'Links in mails decide held decisions without a sign-in',
    'Decisions after the fact are no longer held for a review',
  ];
  expect(await noticesOf(eve)).toEqual([alone, ...unseen]);
  await settle({ autoApproval: loose, name: 'Desk again' });
  expect(await noticesOf(eve)).toEqual([alone, ...unseen, alone]);
});

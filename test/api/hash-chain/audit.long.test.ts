// The operations audit log over HTTP (document 3, section 4.4): gates, filters, and the replay of its chain.
// @module-tag long
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { computeChainHash, formatChainTime } from '../../../src/domain/record/chain.ts';
import { commitValue } from '../../../src/domain/record/commitments.ts';
import { createAuditPayload } from '../../../src/domain/record/payload.ts';
import { generateId, draw16Bytes } from '../../../src/platform/ids.ts';
import { AUDIT } from '../../../src/ledger/chains.ts';
import type { Stored } from '../../../src/ledger/entry.ts';
import { toObjectId } from '../../../src/ledger/ledger.model.ts';
import { seeded } from '../../ledger/random.ts';
import { createAgent, createOwner, type Owner, createWorkspaceKey } from '../../setup/personas.ts';
import type { Answer } from '../../setup/start-app.ts';
import { type ChainHarness, startChainHarness } from './hash-chain-history.ts';
import { resealed } from './tampering/mutations.ts';

let harness: ChainHarness;
let ada: Owner;
let intact: Stored[];
beforeAll(async () => {
  harness = await startChainHarness();
  ada = await createOwner(harness.app);
  for (let i = 0; i < 4; i++) await createAgent(harness.app, ada);
  await createWorkspaceKey(harness.app, ada);
  const policy = { name: 'A', conditions: [], actions: [{ type: 'notify' }] };
  const made = await harness.app.call('POST', '/api/v1/policies', {
    token: ada.token,
    body: policy,
  });
  await harness.app.call('DELETE', `/api/v1/policies/${made.body.data._id}`, { token: ada.token });
  intact = await stored();
  const newest = { organizationId: toObjectId(ada.organizationId), sequence: intact.length };
  const heads = harness.db.collection(`heads_${AUDIT.collection}`);
  const isNoted = async (): Promise<boolean> => (await heads.countDocuments(newest)) === 1;
  await vi.waitUntil(isNoted, { timeout: 20_000 });
});
afterAll(() => harness.stop());

function entries() {
  return harness.db.collection<Stored>(AUDIT.collection);
}

async function stored(): Promise<Stored[]> {
  const found = entries()
    .find({ organizationId: toObjectId(ada.organizationId) })
    .sort({ sequence: 1 });
  return (await found.toArray()) as Stored[];
}

async function store(documents: readonly Stored[]): Promise<void> {
  await entries().deleteMany({ organizationId: toObjectId(ada.organizationId) });
  if (documents.length > 0) await entries().insertMany([...documents]);
}

function get(path: string, token = ada.token): Promise<Answer> {
  return harness.app.call('GET', `/api/v1/audit${path}`, { token });
}

async function verify() {
  return (await get('/verify')).body.data;
}

test('managers of an organisation with the plan list and verify, others do not', async () => {
  for (const path of ['', '/verify']) {
    expect((await harness.app.call('GET', `/api/v1/audit${path}`)).body).toMatchObject({
      code: 'NO_TOKEN',
    });
    const { key } = await createWorkspaceKey(harness.app, await createOwner(harness.app, 'Key'));
    expect((await harness.app.call('GET', `/api/v1/audit${path}`, { key })).body).toMatchObject({
      code: 'FORBIDDEN',
    });
    const poor = await createOwner(harness.app, 'Poor');
    const mine = { _id: toObjectId(poor.organizationId) };
    await harness.db
      .collection('organizations')
      .updateOne(mine, { $set: { 'subscription.plan': 'sandbox' } });
    await expect
      .poll(async () => (await get(path, poor.token)).body)
      .toMatchObject({ code: 'UPGRADE_REQUIRED', data: { feature: 'auditLog' } });
    const member = await createOwner(harness.app, 'Member');
    await harness.db
      .collection('memberships')
      .updateOne(
        { organizationId: toObjectId(member.organizationId) },
        { $set: { role: 'member' } },
      );
    await expect
      .poll(async () => (await get(path, member.token)).body)
      .toMatchObject({ code: 'FORBIDDEN' });
  }
});

test('an untouched log verifies, with its length and last hash', async () => {
  await store(intact);
  expect(await verify()).toEqual({
    verified: true,
    totalEntries: intact.length,
    lastHash: intact.at(-1)?.chainHash,
  });
  const { entries: listed } = (await get('?limit=1')).body.data;
  expect(listed[0]).toMatchObject({ sequence: intact.length, chainHash: intact.at(-1)?.chainHash });
});

type Edit = (entry: Stored) => object;
const other = (sealed: unknown, name: string) => ({
  ...(sealed as object),
  [name]: commitValue(name, 'x', draw16Bytes()),
});
const EDITS: readonly [string, Edit][] = [
  ['action', () => ({ action: 'policy.nothing' })],
  ['resource', () => ({ resource: 'nothing' })],
  ['resourceId', () => ({ resourceId: '65f000000000000000000001' })],
  ['status', ({ status }) => ({ status: status === 'failure' ? 'success' : 'failure' })],
  ['userId', () => ({ userId: '65f000000000000000000001' })],
  ['workspaceId', () => ({ workspaceId: '65f000000000000000000001' })],
  ['auditId', () => ({ auditId: '65f000000000000000000001' })],
  ['detail', () => ({ detail: 'nothing happened' })],
  ['sealed.userEmail', ({ sealed }) => ({ sealed: other(sealed, 'userEmail') })],
  ['sealed.metadata', ({ sealed }) => ({ sealed: other(sealed, 'metadata') })],
  ['a lost value', ({ sealed }) => ({ sealed: { ...(sealed as object), userRole: null } })],
  ['view', ({ view }) => ({ view: view.replace('success', 'failure') })],
  ['chainHash', () => ({ chainHash: '0'.repeat(64) })],
  ['createdAt', ({ createdAt }) => ({ createdAt: new Date(createdAt.getTime() + 1) })],
  ['kind', () => ({ kind: 'trace' })],
];

test.for(EDITS)('an edited %s is reported with its place', async ([, edit]) => {
  for (let seed = 0; seed < 4; seed++) {
    const at = seeded(seed).integer(0, intact.length - 1);
    const entry = intact[at] as Stored;
    await store(intact.with(at, { ...entry, ...edit(entry) }));
    const { verified, totalEntries, error } = await verify();
    expect({ verified, totalEntries }).toEqual({ verified: false, totalEntries: intact.length });
    expect(error).toMatch(new RegExp(`^altered entry at sequence ${at + 1}: `));
  }
});

test('a broken link, a lost entry and a cut tail are distinguished', async () => {
  const at = 3;
  const entry = intact[at] as Stored;
  const createdAt = formatChainTime(entry.createdAt);
  const prevHash = '1'.repeat(64);
  const { payloadDigest, sequence } = entry;
  const relinked = {
    ...entry,
    prevHash,
    chainHash: computeChainHash({ prevHash, payloadDigest, sequence, createdAt }),
  };
  await store(intact.with(at, relinked));
  expect((await verify()).error).toMatch(/^previous-hash mismatch at sequence 4: /);
  await store(intact.toSpliced(at, 1));
  expect((await verify()).error).toMatch(
    /^missing entry at sequence 5: found sequence 5, expected 4/,
  );
  await store(intact.slice(0, at));
  expect((await verify()).error).toMatch(
    /^missing entry at sequence 4: the chain ends at 3 but once reached /,
  );
  await store([]);
  expect(await verify()).toMatchObject({ verified: false, totalEntries: 0, lastHash: null });
  await store(intact);
  expect((await verify()).verified).toBe(true);
});

test('a forged entry about the deletion of the organisation excuses no missing value while the organisation exists', async () => {
  const last = intact.at(-1) as Stored;
  const { organizationId } = last;
  const view = createAuditPayload({
    organizationId: ada.organizationId,
    workspaceId: null,
    actor: { kind: 'system', id: null },
    auditId: generateId(),
    action: 'organization.delete',
    status: 'success',
    resource: 'organization',
    resourceId: ada.organizationId,
    commitments: {},
  });
  const { auditId } = JSON.parse(view) as { auditId: string };
  const forged = {
    ...last,
    _id: toObjectId(generateId()),
    auditId,
    view,
    action: 'organization.delete',
  };
  const columns = { resource: 'organization', resourceId: ada.organizationId, userId: null };
  const entry = { ...forged, ...columns, workspaceId: null, detail: null, organizationId };
  const emptied = intact.map((one) => ({ ...one, sealed: {}, detail: null }));
  await store([...emptied, { ...resealed(entry as Stored, last), sealed: {} }]);
  const { verified, error } = await verify();
  expect(verified).toBe(false);
  expect(error).toMatch(/^altered entry at sequence 1: /);
  await store(intact);
});

// Manifests over HTTP (document 3, section 4.6): settings, issuing, lists, verification, revocation, attestation.
import { createHash } from 'node:crypto';
import { compactVerify, createRemoteJWKSet } from 'jose';
import { beforeAll, expect, test } from 'vitest';
import { useOwnHarness, useOwner } from '../../setup/fixtures.ts';
import { listAuditEntries, createMember, toObjectId } from '../../setup/harness.ts';
import { createWorkspaceKey, buildDecision, assertOk, type Owner } from '../../setup/personas.ts';
import { toOutcome, type Answer } from '../../setup/start-app.ts';
import {
  rotateKey,
  generateKey,
  loadActiveKey,
} from '../../../src/evidence/c2pa-kms/signer.service.ts';

const harness = useOwnHarness();
const { app } = harness;
const ada = useOwner(harness);
const eve = useOwner(harness, 'Eve');
const path = '/api/v1/provenance';
const HASH = 'ab'.repeat(32);
const OTHER_HASH = 'cd'.repeat(32);

let traceId: string;
let bob: Owner;
beforeAll(async () => {
  const { key } = await createWorkspaceKey(app, ada);
  const posted = await app.call('POST', '/api/v1/traces', { key, body: buildDecision('bot') });
  ({ traceId } = assertOk(posted).body.data);
  bob = await createMember(harness, ada, 'member');
});

const issue = (more: object = {}, { token } = ada): Promise<Answer> =>
  app.call('POST', `${path}/c2pa/manifests`, {
    token,
    body: { traceId, label: `label ${(labels += 1)}`, contentHash: HASH, ...more },
  });
let labels = 0;
const get = async (below: string, { token } = ada): Promise<Answer> =>
  app.call('GET', `${path}${below}`, { token });
const revoke = (id: string, reason: unknown, { token } = ada): Promise<Answer> =>
  app.call('POST', `${path}/c2pa/manifests/${id}/revoke`, { token, body: { reason } });
const reasonOf = async (id: string, query = ''): Promise<string> =>
  assertOk(await get(`/c2pa/manifests/${id}/verify${query}`)).body.data.reason;
const verify = async (manifest: string, contentHash?: string, { token } = eve) =>
  assertOk(
    await app.call('POST', `${path}/c2pa/verify`, {
      token,
      body: { manifest, ...(contentHash && { contentHash }) },
    }),
  ).body.data;
const rows = () => harness.db.collection('provenance_manifests');

test('a member signs a claim about a decision; any library verifies it by the published keys', async () => {
  const assertions = {
    actions: [{ action: 'c2pa.created', 'a.b': 1, $c: 'd' }],
    ingredients: [{ title: 'prompt', relationship: 'inputTo' }],
    creativeWork: { name: 'Answer' },
    aiTrainingMining: { entries: { 'cawg.ai_training': { use: 'notAllowed' } } },
  };
  const answer = await issue({ label: 'answer', contentHash: HASH.toUpperCase(), assertions }, bob);
  expect(answer.status).toBe(201);
  const { data } = answer.body;
  expect(data).toEqual({
    _id: data.id,
    id: expect.stringMatching(/^[0-9a-f]{24}$/),
    organizationId: ada.organizationId,
    traceId,
    label: 'answer',
    contentHash: HASH,
    signatureAlg: 'ecdsa-p256-jws',
    signature: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
    signerKid: expect.stringMatching(/^[0-9a-f]{64}$/),
    signerMode: 'prod-jwk',
    issuer: expect.stringMatching(/^ada-ltd-/),
    assertions,
    issuedAt: expect.any(String),
    revokedAt: null,
    revocationReason: null,
  });
  const keys = createRemoteJWKSet(new URL(`${app.url}/.well-known/jwks.json`));
  const { payload } = await compactVerify(data.signature, keys);
  expect(JSON.parse(Buffer.from(payload).toString())).toMatchObject({
    v: 1,
    organizationId: ada.organizationId,
    traceId,
    label: 'answer',
    contentHash: HASH,
    assertions: [
      { label: 'c2pa.actions.v2', data: { actions: assertions.actions } },
      { label: 'c2pa.ingredient.v3', data: assertions.ingredients[0] },
      { label: 'cawg.metadata', data: assertions.creativeWork },
      { label: 'cawg.training-mining', data: assertions.aiTrainingMining },
    ],
  });
  expect(assertOk(await get(`/c2pa/manifests/${data.id}`)).body.data).toEqual(data);
  expect(await reasonOf(data.id, `?contentHash=${HASH}`)).toBe('verified');
  const [entry] = await listAuditEntries(app, ada, 'action=c2pa.manifest.issue');
  expect(entry).toMatchObject({ userId: bob.userId, resourceId: data.id, metadata: { traceId } });
});

test('a label is unique for a decision, also under concurrency', async () => {
  const answers = await Promise.all(Array.from({ length: 5 }, () => issue({ label: 'once' })));
  const seen = answers.map(toOutcome).map(([status, code]) => code ?? status);
  expect(seen.filter((code) => code === 201)).toHaveLength(1);
  expect(seen.filter((code) => code === 'ALREADY_EXISTS')).toHaveLength(4);
});

test.for([
  ['an unknown decision', { traceId: 'trc_nothing' }, [404, 'NOT_FOUND']],
  ['no digest', { contentHash: 'ab' }, [400, 'VALIDATION_ERROR']],
  ['an empty label', { label: ' ' }, [400, 'VALIDATION_ERROR']],
  ['an unknown member', { signature: 'x' }, [400, 'VALIDATION_ERROR']],
  ['an unknown assertion', { assertions: { other: {} } }, [400, 'VALIDATION_ERROR']],
  ['an action without a name', { assertions: { actions: [{}] } }, [400, 'VALIDATION_ERROR']],
  [
    'large assertions',
    { assertions: { creativeWork: { x: 'x'.repeat(33_000) } } },
    [400, 'VALIDATION_ERROR'],
  ],
  [
    'many actions',
    { assertions: { actions: Array(51).fill({ action: 'x' }) } },
    [400, 'VALIDATION_ERROR'],
  ],
  [
    'assertions at the limit of nesting',
    { assertions: { creativeWork: nested(29) } },
    [400, 'VALIDATION_ERROR'],
  ],
] as const)('refuses %s', async ([, more, expected]) => {
  expect(toOutcome(await issue(more))).toEqual(expected);
});
function nested(levels: number): object {
  return levels === 0 ? {} : { a: nested(levels - 1) };
}

test('another organisation sees neither the decision nor the manifest', async () => {
  const { id } = assertOk(await issue()).body.data;
  expect(toOutcome(await issue({}, eve))).toEqual([404, 'NOT_FOUND']);
  for (const below of ['', '/verify'])
    expect(toOutcome(await get(`/c2pa/manifests/${id}${below}`, eve))).toEqual([404, 'NOT_FOUND']);
  expect(toOutcome(await revoke(id, 'other', eve))).toEqual([404, 'NOT_FOUND']);
  expect((await get('/c2pa/manifests', eve)).body.total).toBe(0);
});

test('a revocation is final, has a listed reason, and outranks another content', async () => {
  const { id, signature } = assertOk(await issue()).body.data;
  expect(toOutcome(await revoke(id, 'why not'))).toEqual([400, 'VALIDATION_ERROR']);
  expect(toOutcome(await revoke(id, 'other', bob))).toEqual([403, 'FORBIDDEN']);
  const { data } = assertOk(await revoke(id, 'superseded')).body;
  expect(data).toMatchObject({ revocationReason: 'superseded', revokedAt: expect.any(String) });
  expect(toOutcome(await revoke(id, 'other'))).toEqual([400, 'INVALID_OPERATION']);
  expect(await reasonOf(id)).toBe('revoked');
  expect(await reasonOf(id, `?contentHash=${OTHER_HASH}`)).toBe('revoked');
  expect(await verify(signature)).toMatchObject({ verified: false, reason: 'revoked' });
  const [entry] = await listAuditEntries(app, ada, 'action=c2pa.manifest.revoke&status=success');
  expect(entry).toMatchObject({ resourceId: id, metadata: { reason: 'superseded' } });
});

test('one of several concurrent revocations is recorded', async () => {
  const { id } = assertOk(await issue()).body.data;
  const answers = await Promise.all(Array.from({ length: 4 }, () => revoke(id, 'other')));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
});

test('a record that was edited does not verify', async () => {
  const { id, signature } = assertOk(await issue()).body.data;
  const edit = (change: object) => rows().updateOne({ _id: toObjectId(id) }, { $set: change });
  expect(await reasonOf(id, `?contentHash=${OTHER_HASH}`)).toBe('content-hash-mismatch');
  await edit({ contentHash: OTHER_HASH });
  expect(await reasonOf(id, `?contentHash=${OTHER_HASH}`)).toBe('signature-invalid');
  await edit({ contentHash: HASH, signature: `${signature.slice(0, -4)}AAAA` });
  expect(await reasonOf(id)).toBe('signature-invalid');
  await edit({ signature: 'x' });
  expect(await reasonOf(id)).toBe('manifest-malformed');
  await edit({ signature: 'ab'.repeat(32), signatureAlg: 'hmac-sha256' });
  expect(await reasonOf(id)).toBe('key-not-found');
  await edit({ signatureAlg: 'rsa' });
  expect(await reasonOf(id)).toBe('algorithm-unsupported');
});

test('a user can verify the text of a manifest of any organisation', async () => {
  const { signature, signerKid } = assertOk(await issue({ label: 'handed on' })).body.data;
  const verdict = await verify(signature, HASH);
  expect(verdict).toMatchObject({ verified: true, reason: 'verified', signerKid });
  expect(verdict.claim).toMatchObject({ label: 'handed on', organizationId: ada.organizationId });
  expect((await verify(signature, OTHER_HASH)).reason).toBe('content-hash-mismatch');
  expect(await verify(`${signature.slice(0, -4)}AAAA`)).toEqual({
    verified: false,
    reason: 'signature-invalid',
    signerKid: null,
    claim: null,
  });
  expect((await verify('a.b.c')).reason).toBe('manifest-malformed');
});

test('after a rotation old manifests verify as before', async () => {
  const before = assertOk(await issue()).body.data;
  const { platform } = app.instance;
  await rotateKey(platform, await generateKey(platform));
  const after = assertOk(await issue()).body.data;
  expect(after.signerKid).not.toBe(before.signerKid);
  expect(await reasonOf(before.id)).toBe('verified');
  expect(await reasonOf(after.id)).toBe('verified');
});

test('defaults replace the assertions that a request omits', async () => {
  const put = (body: object, { token } = ada): Promise<Answer> =>
    app.call('PUT', `${path}/settings`, { token, body });
  const creativeWork = { name: 'By default' };
  expect(toOutcome(await put({}, bob))).toEqual([403, 'FORBIDDEN']);
  const { data } = assertOk(await put({ defaultAssertions: { creativeWork } })).body;
  const { kid, publicKey } = await loadActiveKey(app.instance.platform);
  expect(data).toEqual({
    signatureAlg: 'ecdsa-p256-jws',
    signerMode: 'prod-jwk',
    kid,
    publicKey: { ...publicKey, kid, alg: 'ES256', use: 'sig' },
    jwksUri: `http://127.0.0.1:0/.well-known/jwks.json`,
    defaultAssertions: { actions: [], ingredients: [], creativeWork, aiTrainingMining: null },
  });
  expect(assertOk(await get('/settings', bob)).body.data).toEqual(data);
  const actions = [{ action: 'c2pa.edited' }];
  const { assertions } = assertOk(await issue({ assertions: { actions } })).body.data;
  expect(assertions).toEqual({ ...data.defaultAssertions, actions });
  const none = assertOk(await issue({ assertions: { creativeWork: null } })).body.data;
  expect(none.assertions.creativeWork).toBe(null);
  assertOk(await put({}));
  expect(assertOk(await issue()).body.data.assertions.creativeWork).toBe(null);
});

test('issuing and revoking are entries of the ledger, which name a digest of the signature', async () => {
  const { id, signature } = assertOk(await issue()).body.data;
  assertOk(await revoke(id, 'issued-in-error'));
  await app.instance.runJobsOnce();
  await harness.db
    .collection('outbox')
    .updateMany({ status: 'pending' }, { $set: { dueAt: new Date(0) } });
  await app.instance.runJobsOnce();
  const about = { organizationId: toObjectId(ada.organizationId), traceId: `manifest:${id}` };
  const entries = await harness.db.collection('ledger').find(about).sort({ sequence: 1 }).toArray();
  const digest = createHash('sha256')
    .update(signature as string)
    .digest('hex');
  const payloads = entries.map(({ view }) => JSON.parse(view as string) as object);
  expect(payloads).toMatchObject([
    { kind: 'manifest', manifestId: id, status: 'issued', digest, actor: { id: ada.userId } },
    { kind: 'manifest', manifestId: id, status: 'revoked', digest },
  ]);
  const chain = await app.call('POST', '/api/v1/hash-chain/verify', ada);
  expect(assertOk(chain).body.data).toMatchObject({ verified: true });
});

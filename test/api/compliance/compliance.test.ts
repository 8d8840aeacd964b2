// The story of compliance mapping over HTTP (document 3, section 4.3): catalogues, attestations, coverage, the chain, the legacy map.
import { describe, expect, test } from 'vitest';
import { useOwnHarness, useOwner } from '../../setup/fixtures.ts';
import { listAuditEntries, createMember } from '../../setup/harness.ts';
import { createWorkspaceKey, assertOk } from '../../setup/personas.ts';
import { type Answer, toOutcome } from '../../setup/start-app.ts';

const path = '/api/v1/compliance';
const harness = useOwnHarness();
const { app } = harness;
const ada = useOwner(harness);
const bob = useOwner(harness, 'Bob');

const mapping = async (framework = '', { token } = ada) =>
  assertOk(
    await app.call('GET', `${path}/mapping${framework && `?framework=${framework}`}`, { token }),
  ).body.data;
const patch = (body: object, { token } = ada): Promise<Answer> =>
  app.call('PATCH', `${path}/mapping`, { token, body });
const attest = async (body: object, owner = ada) => assertOk(await patch(body, owner)).body.data;
const legacy = async ({ token } = ada) =>
  assertOk(await app.call('GET', `${path}/mapping-notes`, { token })).body.data;
const putLegacy = (body: object, { token } = ada): Promise<Answer> =>
  app.call('PUT', `${path}/mapping-notes`, { token, body });
const clause = { framework: 'iso-42001', clauseId: '6.1' };

test.each([
  ['', 'iso-42001', 18],
  ['iso-42001', 'iso-42001', 18],
  ['eu-ai-act', 'eu-ai-act', 22],
  ['nist-rmf', 'nist-rmf', 19],
])('framework %s: all its clauses, none attested', async (asked, framework, totalClauses) => {
  const { clauses, ...rest } = await mapping(asked);
  expect(rest).toEqual({
    framework,
    catalogVersion: expect.stringContaining(framework.split('-')[0] ?? ''),
    totalClauses,
    notes: [],
    coverage: { covered: 0, partial: 0, gap: totalClauses, notApplicable: 0, total: totalClauses },
  });
  expect(clauses).toHaveLength(totalClauses);
});

test('an attestation is kept with who made it, and moves the coverage', async () => {
  const { note, coverage } = await attest(clause);
  expect(note).toMatchObject({
    ...clause,
    organizationId: ada.organizationId,
    status: 'gap',
    evidence: null,
    reviewedBy: ada.userId,
    reviewedByEmail: ada.email,
  });
  expect(Date.now() - Date.parse(note.reviewedAt)).toBeLessThan(60_000);
  expect(coverage.gap).toBe(18);
  const later = await attest({ ...clause, status: 'covered', evidence: 'Risk register 4' });
  expect(later.note).toMatchObject({ id: note.id, status: 'covered', evidence: 'Risk register 4' });
  expect(Date.parse(later.note.reviewedAt)).toBeGreaterThan(Date.parse(note.reviewedAt));
  expect(later.coverage).toEqual({ covered: 1, partial: 0, gap: 17, notApplicable: 0, total: 18 });
  const kept = await attest({ ...clause, evidence: '' });
  expect(kept.note).toMatchObject({ status: 'covered', evidence: '' });
  await attest({ ...clause, clauseId: '4.1', status: 'not-applicable' });
  const listed = await mapping();
  expect(listed.notes.map(({ clauseId }: { clauseId: string }) => clauseId)).toEqual([
    '4.1',
    '6.1',
  ]);
  expect(listed.coverage).toEqual({ covered: 1, partial: 0, gap: 16, notApplicable: 1, total: 18 });
});

test('frameworks and organisations are apart', async () => {
  await attest({ framework: 'nist-rmf', clauseId: 'MAP-1', status: 'partial' });
  expect((await mapping('nist-rmf')).coverage.partial).toBe(1);
  expect((await mapping()).coverage.partial).toBe(0);
  expect((await mapping('nist-rmf', bob)).notes).toEqual([]);
});

test('an attestation is an entry of the audit log and of the chain, after the one before', async () => {
  const [audited] = await listAuditEntries(app, ada, 'action=compliance.mapping.updated');
  expect(audited).toMatchObject({
    status: 'success',
    resource: 'compliance-note',
    metadata: { framework: 'nist-rmf', clauseId: 'MAP-1', status: 'partial' },
  });
  await attest({ ...clause, clauseId: '5.2', status: 'partial', evidence: 'Policy 1' });
  await attest({ ...clause, clauseId: '5.2', status: 'covered', evidence: 'Policy 2' });
  const onChain = () =>
    harness.db
      .collection('ledger')
      .find({ traceId: 'compliance:iso-42001:5.2' })
      .sort({ sequence: 1 })
      .toArray();
  await expect
    .poll(async () => {
      await app.instance.runJobsOnce();
      return (await onChain()).length;
    })
    .toBe(2);
  const views = (await onChain()).map(({ view }) => JSON.parse(view as string));
  expect(views).toMatchObject([
    {
      kind: 'compliance',
      clauseId: '5.2',
      status: 'partial',
      catalogVersion: 'iso-42001-2023.1',
      after: null,
    },
    { status: 'covered', actor: { kind: 'user', id: ada.userId } },
  ]);
  const [first] = await onChain();
  expect(views[1].after).toEqual({ sequence: first?.sequence, chainHash: first?.chainHash });
  expect(JSON.stringify(views)).not.toContain('Policy');
  expect(Object.keys(views[1].commitments).sort()).toEqual(['evidence', 'reviewer']);
  const verified = assertOk(
    await app.call('POST', '/api/v1/hash-chain/verify', { token: ada.token }),
  ).body.data;
  expect(verified.verified).toBe(true);
});

test('concurrent attestations leave one note, and all are answered', async () => {
  const statuses = ['covered', 'partial', 'gap', 'covered', 'partial'];
  const answers = await Promise.all(
    statuses.map((status) => patch({ ...clause, clauseId: '8.4', status }, bob)),
  );
  expect(answers.map(({ status }) => status)).toEqual(statuses.map(() => 200));
  expect((await mapping('', bob)).notes).toHaveLength(1);
});

test.each([
  {},
  { framework: 'iso-42001' },
  { clauseId: '6.1' },
  { ...clause, framework: 'iso-27001' },
  { ...clause, clauseId: '99.9' },
  { ...clause, clauseId: 'GOVERN-1' },
  { ...clause, clauseId: 'x'.repeat(33) },
  { ...clause, status: 'done' },
  { ...clause, evidence: 'x'.repeat(4001) },
  { ...clause, evidence: 3 },
  { ...clause, reviewedBy: 'me' },
])('%o is refused', async (body) => {
  expect(toOutcome(await patch(body))).toEqual([400, 'VALIDATION_ERROR']);
});

test('evidence of 4,000 characters is kept; an unknown framework is refused', async () => {
  const evidence = 'x'.repeat(4000);
  expect((await attest({ ...clause, evidence }, bob)).note.evidence).toBe(evidence);
  const unknown = await app.call('GET', `${path}/mapping?framework=soc-2`, { token: ada.token });
  expect(toOutcome(unknown)).toEqual([400, 'VALIDATION_ERROR']);
});

test('members read and do not attest; keys read', async () => {
  const member = await createMember(harness, ada, 'member');
  expect((await mapping('', member)).notes.length).toBeGreaterThan(0);
  expect(toOutcome(await patch(clause, member))).toEqual([403, 'FORBIDDEN']);
  expect(toOutcome(await putLegacy({ '4.1': 'x' }, member))).toEqual([403, 'FORBIDDEN']);
  const { key } = await createWorkspaceKey(app, ada);
  expect((await app.call('GET', `${path}/mapping`, { key })).status).toBe(200);
});

describe('the legacy map', () => {
  test('is written as a whole, read over the evidence of the notes, and leaves the notes alone', async () => {
    await attest({ ...clause, evidence: 'Structured', status: 'covered' }, bob);
    await attest({ ...clause, clauseId: '4.2', evidence: 'Parties' }, bob);
    const map = { '6.1': 'Free text', 'A.2.3': 'Annex' };
    expect(assertOk(await putLegacy(map, bob)).body.data).toEqual({ ...map, '4.2': 'Parties' });
    expect(await legacy(bob)).toEqual({ ...map, '4.2': 'Parties' });
    const { notes } = await mapping('', bob);
    expect(notes.find(({ clauseId }: { clauseId: string }) => clauseId === '6.1')).toMatchObject({
      evidence: 'Structured',
    });
    expect(assertOk(await putLegacy({}, bob)).body.data).toEqual({
      '6.1': 'Structured',
      '4.2': 'Parties',
    });
    const [entry] = await listAuditEntries(app, bob, 'action=compliance.mapping-notes.updated');
    expect(entry).toMatchObject({ status: 'success', metadata: { clauses: 0 } });
  });

  test.each([
    ['a text too long', { '6.1': 'x'.repeat(4001) }],
    ['no text', { '6.1': 3 }],
    ['a name too long', { ['x'.repeat(33)]: 'x' }],
    ['a name that is an operator', { $where: 'x' }],
    ['too many', Object.fromEntries(Array.from({ length: 201 }, (_, i) => [`c${i}`, 'x']))],
  ])('%s is refused', async (_, body) => {
    expect(toOutcome(await putLegacy(body))).toEqual([400, 'VALIDATION_ERROR']);
  });

  test('accepts the maximum number and length of texts', async () => {
    const map = Object.fromEntries(
      Array.from({ length: 200 }, (_, i) => [`c${i}`, 'x'.repeat(4000)]),
    );
    expect(assertOk(await putLegacy(map)).status).toBe(200);
    expect(Object.keys(await legacy()).length).toBeGreaterThanOrEqual(200);
  });
});

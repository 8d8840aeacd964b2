// The story of an impact assessment over HTTP (document 3, sections 3 and 4.1): drafted, submitted, approved, assessed again.
import { beforeAll, expect, test } from 'vitest';
import { computeAnchor } from '../../../src/domain/fria/assessment.ts';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { listAuditEntries, createMember } from '../../setup/harness.ts';
import { assertOk, type Owner } from '../../setup/personas.ts';
import { toOutcome, type Answer } from '../../setup/start-app.ts';

const path = '/api/v1/fria';
const SECTIONS = {
  purpose: 'Scores applicants',
  affectedPersons: 'Applicants for credit',
  usageContext: 'Retail banking',
  durationOfUse: 'Two years, daily',
  humanOversightSummary: 'A clerk decides',
  complaintsMechanism: 'complaints@example.com',
};

const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);
let bob: Owner;
beforeAll(async () => {
  bob = await createMember(harness, ada, 'member');
});

const call = (method: string, below: string, body?: object, { token } = ada): Promise<Answer> =>
  app.call(method, path + below, { token, ...(body && { body }) });
const draft = async (body: object = {}): Promise<string> =>
  assertOk(await call('POST', '', { systemName: 'Credit scoring', ...body }, bob)).body.data.id;
const move = (id: string, status: string, who = ada): Promise<Answer> =>
  call('POST', `/${id}/transition`, { status }, who);
const read = async (id: string): Promise<Answer['body']> => (await call('GET', `/${id}`)).body.data;

test('from draft to approval, re-assessment and archive', async () => {
  const made = await call('POST', '', { systemName: ' Credit scoring ' }, bob);
  const { id } = made.body.data;
  expect(made.status).toBe(201);
  expect(made.body.data).toEqual({
    _id: id,
    id: expect.stringMatching(/^[0-9a-f]{24}$/),
    organizationId: ada.organizationId,
    systemName: 'Credit scoring',
    deployerProfileId: null,
    ...Object.fromEntries(Object.keys(SECTIONS).map((name) => [name, null])),
    identifiedRisks: [],
    status: 'draft',
    completenessScore: 13,
    submittedAt: null,
    approvedBy: null,
    approvedAt: null,
    chainHash: null,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
  });
  const changed = {
    ...SECTIONS,
    identifiedRisks: [{ title: 'Bias', affectedRights: ['Equality'] }],
  };
  assertOk(await call('PATCH', `/${id}`, changed, bob));
  const full = await read(id);
  expect(full).toMatchObject({ ...SECTIONS, completenessScore: 100, chainHash: null });
  expect(full.identifiedRisks).toEqual([
    {
      title: 'Bias',
      description: null,
      likelihood: 'medium',
      severity: 'medium',
      affectedRights: ['Equality'],
      mitigation: null,
      residualRisk: 'medium',
    },
  ]);
  const submitted = assertOk(await call('POST', `/${id}/submit`, undefined, bob)).body.data;
  expect(submitted).toMatchObject({ status: 'review', chainHash: computeAnchor(full) });
  expect(submitted.submittedAt).not.toBeNull();

  assertOk(await call('PATCH', `/${id}`, { purpose: 'Scores applicants and ranks them' }));
  expect((await read(id)).chainHash).toBe(submitted.chainHash);
  const approved = assertOk(await call('POST', `/${id}/approve`)).body.data;
  expect(approved).toMatchObject({ status: 'approved', approvedBy: ada.userId });
  expect(approved.approvedAt).not.toBeNull();
  expect(approved.chainHash).toBe(computeAnchor(approved));
  expect(approved.chainHash).not.toBe(submitted.chainHash);

  expect(toOutcome(await call('PATCH', `/${id}`, { purpose: 'x' }))).toEqual([
    400,
    'INVALID_OPERATION',
  ]);
  const again = assertOk(await move(id, 'draft')).body.data;
  expect(again).toMatchObject({ status: 'draft', approvedBy: null, approvedAt: null });
  expect(again.chainHash).toBe(approved.chainHash);
  assertOk(await call('PATCH', `/${id}`, { purpose: 'Only scores' }));
  assertOk(await move(id, 'review', bob));
  expect(assertOk(await move(id, 'approved')).body.data.chainHash).not.toBe(approved.chainHash);
  expect(assertOk(await move(id, 'archived')).body.data.status).toBe('archived');
  expect(toOutcome(await call('PATCH', `/${id}`, { purpose: 'x' }))).toEqual([
    400,
    'INVALID_OPERATION',
  ]);
  for (const to of ['draft', 'review', 'approved', 'archived'])
    expect(toOutcome(await move(id, to))).toEqual([400, 'FRIA_TRANSITION_FAILED']);

  const entries = await listAuditEntries(app, ada, `resourceId=${id}`);
  const moves = entries
    .filter(({ action, status }) => action === 'fria.transition' && status === 'success')
    .map(({ metadata }) => metadata as { from: string; to: string })
    .map(({ from, to }) => `${from} ${to}`);
  expect(moves.reverse()).toEqual([
    'draft review',
    'review approved',
    'approved draft',
    'draft review',
    'review approved',
    'approved archived',
  ]);
  expect(entries.at(-1)).toMatchObject({ action: 'fria.create', userId: bob.userId });
  const refused = entries.filter(({ status }) => status === 'failure');
  expect(refused.map(({ action }) => action)).toEqual([
    ...Array(4).fill('fria.transition'),
    'fria.update',
    'fria.update',
  ]);
});

test.each([
  ['draft', 'draft'],
  ['draft', 'approved'],
  ['review', 'review'],
  ['review', 'draft'],
])('no move from %s to %s', async (from, to) => {
  const id = await draft();
  if (from === 'review') assertOk(await move(id, 'review'));
  expect(toOutcome(await move(id, to))).toEqual([400, 'FRIA_TRANSITION_FAILED']);
  expect((await read(id)).status).toBe(from);
});

test('a move names a status', async () => {
  const id = await draft();
  expect(toOutcome(await call('POST', `/${id}/transition`, {}))).toEqual([400, 'VALIDATION_ERROR']);
  expect(toOutcome(await move(id, 'rejected'))).toEqual([400, 'VALIDATION_ERROR']);
  expect(toOutcome(await move('0'.repeat(24), 'review'))).toEqual([404, 'NOT_FOUND']);
});

test('members draft and submit; approving, and undoing it, is for managers', async () => {
  const id = await draft();
  assertOk(await move(id, 'review', bob));
  expect(toOutcome(await call('POST', `/${id}/approve`, undefined, bob))).toEqual([
    403,
    'FORBIDDEN',
  ]);
  expect(toOutcome(await move(id, 'approved', bob))).toEqual([403, 'FORBIDDEN']);
  const unknown = '0'.repeat(24);
  expect(toOutcome(await move(unknown, 'approved', bob))).toEqual([403, 'FORBIDDEN']);
  expect(toOutcome(await call('POST', `/${unknown}/approve`, undefined, bob))).toEqual([
    403,
    'FORBIDDEN',
  ]);
  assertOk(await move(id, 'approved'));
  expect(toOutcome(await move(id, 'draft', bob))).toEqual([403, 'FORBIDDEN']);
  expect(toOutcome(await move(id, 'archived', bob))).toEqual([403, 'FORBIDDEN']);
  const other = await draft();
  expect(assertOk(await move(other, 'archived', bob)).body.data.status).toBe('archived');
});

test('two approvals at once: one wins', async () => {
  const id = await draft();
  assertOk(await move(id, 'review'));
  const answers = await Promise.all([1, 2, 3, 4].map(() => call('POST', `/${id}/approve`)));
  const codes = answers.map(({ status, body }) => `${status} ${body.code ?? ''}`).sort();
  expect(codes).toEqual(['200 ', ...Array(3).fill('400 FRIA_TRANSITION_FAILED')]);
});

test(
  'an edit that meets an approval is either in the anchor or refused',
  { tags: ['long'] },
  async () => {
    for (let round = 0; round < 5; round++) {
      const id = await draft(SECTIONS);
      assertOk(await move(id, 'review'));
      const [edited, approved] = await Promise.all([
        call('PATCH', `/${id}`, { purpose: `Round ${round}` }),
        call('POST', `/${id}/approve`),
      ]);
      const after = await read(id);
      expect(approved.status).toBe(200);
      expect(after.purpose === SECTIONS.purpose).toBe(edited.status === 400);
      expect(after.chainHash).toBe(computeAnchor(after));
    }
  },
);

test('only a draft that was never submitted can be deleted', async () => {
  const id = await draft();
  expect(assertOk(await call('DELETE', `/${id}`, undefined, bob)).body.data).toEqual({
    _id: id,
    id,
    deleted: true,
  });
  expect(toOutcome(await call('GET', `/${id}`))).toEqual([404, 'NOT_FOUND']);
  const reviewed = await draft();
  assertOk(await move(reviewed, 'review'));
  expect(toOutcome(await call('DELETE', `/${reviewed}`))).toEqual([404, 'NOT_FOUND']);
  assertOk(await move(reviewed, 'approved'));
  assertOk(await move(reviewed, 'draft'));
  expect(toOutcome(await call('DELETE', `/${reviewed}`))).toEqual([404, 'NOT_FOUND']);
  const [entry] = await listAuditEntries(app, ada, 'action=fria.delete');
  expect(entry).toMatchObject({ resourceId: id, status: 'success' });
});

test('the two texts of older wizards are one row of risks', async () => {
  const id = await draft({ risksIdentified: 'Bias', mitigations: 'Review' });
  const row = { title: 'Risk Summary', description: 'Bias', mitigation: 'Review' };
  expect((await read(id)).identifiedRisks).toEqual([
    expect.objectContaining({ ...row, likelihood: 'medium', severity: 'medium' }),
  ]);
  assertOk(await call('PATCH', `/${id}`, { mitigations: 'Two reviews' }));
  assertOk(
    await call('PATCH', `/${id}`, { identifiedRisks: [{ title: 'Drift' }], risksIdentified: '' }),
  );
  expect((await read(id)).identifiedRisks).toEqual([expect.objectContaining({ title: 'Drift' })]);
  const rows = Array.from({ length: 100 }, (_, at) => ({ title: `Risk ${at}` }));
  const full = await call('PATCH', `/${id}`, { identifiedRisks: rows });
  expect(full.status).toBe(200);
  const tooMany = await call('PATCH', `/${id}`, { risksIdentified: 'one more' });
  expect(toOutcome(tooMany)).toEqual([400, 'VALIDATION_ERROR']);
});

test('a section can be emptied, and what is not named stays', async () => {
  const id = await draft(SECTIONS);
  assertOk(await call('PATCH', `/${id}`, { purpose: '', usageContext: null, status: 'approved' }));
  const changed = { ...SECTIONS, purpose: null, usageContext: null, status: 'draft' };
  expect(await read(id)).toMatchObject(changed);
});

test('assessments are found by status and by a part of the name', async () => {
  const id = await draft({ systemName: 'Résumé (ranking) v1.0' });
  const found = async (query: string): Promise<string[]> =>
    assertOk(await call('GET', `?${query}`)).body.data.map((row: { id: string }) => row.id);
  expect(await found(`search=${encodeURIComponent('(RANKING) v1.')}`)).toEqual([id]);
  expect(await found('search=ranking.*v1')).toEqual([]);
  expect(await found('search=ranking&status=review')).toEqual([]);
  assertOk(await move(id, 'review'));
  expect(await found('search=ranking&status=review')).toEqual([id]);
  expect((await call('GET', '?limit=1&page=2')).body.pagination).toMatchObject({
    page: 2,
    limit: 1,
  });
  expect((await call('GET', '?limit=100000')).body.pagination.limit).toBe(200);
  expect(toOutcome(await call('GET', '?status=open'))).toEqual([400, 'VALIDATION_ERROR']);
});

test.each([
  ['no name', { systemName: ' ' }],
  ['a name of two lines', { systemName: 'a\nb' }],
  ['a section that is too long', { purpose: 'x'.repeat(10_001) }],
  ['too many risks', { identifiedRisks: Array(101).fill({ title: 'a' }) }],
  ['a risk without a title', { identifiedRisks: [{ description: 'a' }] }],
  ['an unknown level', { identifiedRisks: [{ title: 'a', likelihood: 'certain' }] }],
  ['too many rights', { identifiedRisks: [{ title: 'a', affectedRights: Array(51).fill('a') }] }],
])('%s is refused', async (_, body) => {
  const answer = await call('POST', '', { systemName: 'Refused', ...body });
  expect(toOutcome(answer)).toEqual([400, 'VALIDATION_ERROR']);
});

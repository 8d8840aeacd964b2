// The story of incidents over HTTP (document 3, sections 3 and 4.2): clocks, checkpoints, breaches, closing, filters.
import { beforeAll, expect, test } from 'vitest';
import { useOwnHarness, useOwner } from '../../setup/fixtures.ts';
import { listAuditEntries, createMember } from '../../setup/harness.ts';
import { assertOk, type Owner } from '../../setup/personas.ts';
import { toOutcome, type Answer } from '../../setup/start-app.ts';

const path = '/api/v1/incidents';
const HOUR = 3_600_000;

const harness = useOwnHarness();
const { app } = harness;
const ada = useOwner(harness);
let bob: Owner;
beforeAll(async () => {
  bob = await createMember(harness, ada, 'member');
});

type Incident = Answer['body'];
const call = (method: string, below: string, body?: object, { token } = ada): Promise<Answer> =>
  app.call(method, path + below, { token, ...(body && { body }) });
const open = async (body: object = {}): Promise<Incident> =>
  assertOk(await call('POST', '', { title: 'Leak', ...body }, bob)).body.data;
const read = async (id: string): Promise<Incident> =>
  assertOk(await call('GET', `/${id}`)).body.data;
const ago = (hours: number): string => new Date(Date.now() - hours * HOUR).toISOString();
const after = (start: string, hours: number): string =>
  new Date(Date.parse(start) + hours * HOUR).toISOString();
const complete = (id: string, checkpoint: string, body: object = {}): Promise<Answer> =>
  call('POST', `/${id}/checkpoints/${checkpoint}/complete`, body, bob);
const regulators = (...codes: string[]) => ({ regulators: codes.map((code) => ({ code })) });
const breach = (): Promise<void> => app.instance.runJobsOnce();

test('an incident begins its clocks, each with the deadlines of its regulator', async () => {
  const detectedAt = ago(1);
  const given = {
    title: ' Model leaked prompts ',
    summary: 'Seen by a customer',
    severity: 'high',
    category: 'data_breach',
    triggerTraceIds: ['trc_1'],
    relatedAgentIds: ['support-bot'],
    detectedAt,
    externalRef: 'OPS-7',
    regulators: [
      {
        code: 'gdpr',
        name: 'DPA',
        contactEmail: 'DPA@example.com',
        applicabilityReason: 'Personal data',
      },
      { code: 'nis2' },
    ],
  };
  const made = await call('POST', '', given, bob);
  expect(made.status).toBe(201);
  const { data } = made.body;
  const open = {
    completedAt: null,
    completedBy: null,
    evidenceTraceId: null,
    evidenceUrl: null,
    notes: null,
  };
  const [gdpr, nis2] = data.clocks;
  const of = { applicabilityReason: null, clockStartedAt: detectedAt, status: 'active' };
  expect(data).toEqual({
    _id: data.id,
    id: expect.stringMatching(/^[0-9a-f]{24}$/),
    organizationId: ada.organizationId,
    workspaceId: ada.workspaceId,
    externalRef: 'OPS-7',
    title: 'Model leaked prompts',
    summary: 'Seen by a customer',
    severity: 'high',
    category: 'data_breach',
    status: 'open',
    statusAs: { reporting: 'open', response: 'open' },
    triggerTraceIds: ['trc_1'],
    relatedAgentIds: ['support-bot'],
    reportedTo: [],
    regulators: [
      {
        code: 'gdpr',
        name: 'DPA',
        contactEmail: 'dpa@example.com',
        submittedAt: null,
        submissionRef: null,
      },
      { code: 'nis2', name: null, contactEmail: null, submittedAt: null, submissionRef: null },
    ],
    clocks: [
      {
        ...of,
        _id: gdpr.id,
        id: gdpr.id,
        regulator: 'gdpr',
        articleRef: 'Art. 33',
        ruleVersion: 'gdpr-2018-05-25',
        source: 'Regulation (EU) 2016/679, Article 33(1)',
        applicabilityReason: 'Personal data',
        checkpoints: [{ id: 'cp-0', label: 'final', deadlineAt: after(detectedAt, 72), ...open }],
        nextCheckpointAt: after(detectedAt, 72),
        finalDeadlineAt: after(detectedAt, 72),
      },
      {
        ...of,
        _id: nis2.id,
        id: nis2.id,
        regulator: 'nis2',
        articleRef: 'Art. 23',
        ruleVersion: 'nis2-2024-10-18',
        source: 'Directive (EU) 2022/2555, Article 23(4)',
        checkpoints: [
          { id: 'cp-1', label: 'early', deadlineAt: after(detectedAt, 24), ...open },
          { id: 'cp-2', label: 'intermediate', deadlineAt: after(detectedAt, 72), ...open },
          { id: 'cp-3', label: 'final', deadlineAt: after(detectedAt, 720), ...open },
        ],
        nextCheckpointAt: after(detectedAt, 24),
        finalDeadlineAt: after(detectedAt, 720),
      },
    ],
    nextCheckpointAt: after(detectedAt, 24),
    createdBy: bob.userId,
    createdByEmail: bob.email,
    detectedAt,
    closedAt: null,
    rootCause: null,
    remediation: null,
    notes: null,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
  });
  expect(await read(data.id)).toEqual(data);
  expect(assertOk(await call('GET', `/${data.id}/clocks`)).body.data).toEqual(data.clocks);
  const [entry] = await listAuditEntries(app, ada, 'action=incident.create');
  expect(entry).toMatchObject({ resourceId: data.id, userId: bob.userId, status: 'success' });
});

test('omitted fields have defaults', async () => {
  const made = await open();
  expect(made).toMatchObject({ severity: 'medium', category: 'other', status: 'open', clocks: [] });
  expect(made.detectedAt).toBe(made.createdAt);
  expect(made.nextCheckpointAt).toBeNull();
});

test('a regulator that is named twice has one clock, as it was named first', async () => {
  const twice = [{ code: 'cra', name: 'first' }, { code: 'dora' }, { code: 'cra', name: 'second' }];
  const made = await open({ regulators: twice });
  expect(made.clocks.map(({ regulator }: Incident) => regulator)).toEqual(['cra', 'dora']);
  expect(made.regulators.map(({ name }: Incident) => name)).toEqual(['first', null]);
});

test('both ways to complete a checkpoint write the same record', async () => {
  const made = await open({ ...regulators('gdpr', 'nis2'), detectedAt: ago(2) });
  const [gdpr, nis2] = made.clocks;
  const evidence = { evidenceTraceId: 'trc_9', notes: 'By phone' };
  const legacy = await call(
    'POST',
    `/${made.id}/clocks/${nis2.id}/checkpoint`,
    { checkpointIndex: 1, ...evidence },
    bob,
  );
  const byClock = assertOk(legacy).body.data;
  const byId = assertOk(await complete(made.id, 'cp-3', evidence)).body.data;
  const done = {
    completedBy: bob.userId,
    ...evidence,
    evidenceUrl: null,
    completedAt: expect.any(String),
  };
  expect(byClock.clocks[1].checkpoints[1]).toMatchObject({ id: 'cp-2', ...done });
  expect(byId.clocks[1].checkpoints[2]).toMatchObject({ id: 'cp-3', ...done });
  expect(byId.clocks[1]).toMatchObject({
    status: 'active',
    nextCheckpointAt: after(made.detectedAt, 24),
  });
  expect(byId.clocks[0]).toEqual(gdpr);
  expect(byId.reportedTo).toEqual(['nis2-csirt']);
  expect(byId.regulators).toMatchObject([
    { code: 'gdpr', submittedAt: null },
    { code: 'nis2', submittedAt: byClock.clocks[1].checkpoints[1].completedAt },
  ]);
  const url = 'https://evidence.example.com/1';
  const last = assertOk(await complete(made.id, 'cp-1', { evidenceUrl: url })).body.data.clocks[1];
  expect(last).toMatchObject({ status: 'completed', nextCheckpointAt: null });
  expect(last.checkpoints[0].evidenceUrl).toBe(url);
  const entries = await listAuditEntries(
    app,
    ada,
    `action=incident.checkpoint_complete&resourceId=${made.id}`,
  );
  expect(entries.map(({ metadata }) => metadata)).toEqual([
    { checkpointId: 'cp-1', regulator: 'nis2', label: 'early' },
    { checkpointId: 'cp-3', regulator: 'nis2', label: 'final' },
    { checkpointId: 'cp-2', regulator: 'nis2', label: 'intermediate' },
  ]);
});

test('a checkpoint is completed once, and its first record stays', async () => {
  const made = await open(regulators('gdpr'));
  const clock = `/${made.id}/clocks/${made.clocks[0].id}/checkpoint`;
  const answers = await Promise.all([
    complete(made.id, 'cp-0', { notes: 'a' }),
    complete(made.id, 'cp-0', { notes: 'b' }),
    call('POST', clock, { checkpointIndex: 0, notes: 'c' }),
  ]);
  const codes = answers.map(({ status, body }) => `${status} ${body.code ?? ''}`).sort();
  expect(codes).toEqual(['200 ', '400 INVALID_OPERATION', '400 INVALID_OPERATION']);
  const winner = answers.find(({ status }) => status === 200)?.body.data.clocks[0].checkpoints[0];
  expect(toOutcome(await complete(made.id, 'cp-0', { notes: 'd' }))).toEqual([
    400,
    'INVALID_OPERATION',
  ]);
  expect((await read(made.id)).clocks[0].checkpoints[0]).toEqual(winner);
});

test(
  'checkpoints of different clocks that are completed at once are all recorded',
  { tags: ['long'] },
  async () => {
    const made = await open(regulators('gdpr', 'nis2'));
    const answers = await Promise.all(
      ['cp-0', 'cp-1', 'cp-2', 'cp-3'].map((id) => complete(made.id, id)),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const { clocks } = await read(made.id);
    expect(clocks.map(({ status }: Incident) => status)).toEqual(['completed', 'completed']);
  },
);

test('a checkpoint that is not there', async () => {
  const { id, clocks } = await open(regulators('gdpr'));
  const at = (clock: string, body: object): Promise<Answer> =>
    call('POST', `/${id}/clocks/${clock}/checkpoint`, body);
  expect(toOutcome(await at(clocks[0].id, {}))).toEqual([400, 'VALIDATION_ERROR']);
  expect(toOutcome(await at(clocks[0].id, { checkpointIndex: -1 }))).toEqual([
    400,
    'VALIDATION_ERROR',
  ]);
  expect(toOutcome(await at(clocks[0].id, { checkpointIndex: 1 }))).toEqual([404, 'NOT_FOUND']);
  expect(toOutcome(await at('0'.repeat(24), { checkpointIndex: 0 }))).toEqual([404, 'NOT_FOUND']);
  for (const name of ['cp-1', 'cp--1', 'cp-00', '0', 'x'])
    expect(toOutcome(await complete(id, name))).toEqual([404, 'NOT_FOUND']);
  expect(toOutcome(await complete('0'.repeat(24), 'cp-0'))).toEqual([404, 'NOT_FOUND']);
});

test('a deadline that passes breaches the clock for ever, and the job records it once', async () => {
  const made = await open({ ...regulators('dora', 'gdpr'), detectedAt: ago(4.0001) });
  expect(made.clocks[0]).toMatchObject({
    status: 'breached',
    nextCheckpointAt: after(made.detectedAt, 4),
  });
  const later = await open({ ...regulators('dora', 'gdpr') });
  const late = ago(5);
  await harness.db.collection('incidents').updateOne(
    { title: 'Leak', createdAt: new Date(later.createdAt) },
    {
      $set: {
        'clocks.0.checkpoints.0.deadlineAt': new Date(late),
        breachAt: new Date(late),
      },
    },
  );
  expect((await read(later.id)).clocks[0]).toMatchObject({
    status: 'breached',
    nextCheckpointAt: late,
  });
  await breach();
  await breach();
  const entries = await listAuditEntries(
    app,
    ada,
    `action=incident.clock_breached&resourceId=${later.id}`,
  );
  expect(entries.map(({ metadata, userId }) => ({ metadata, userId }))).toEqual([
    {
      userId: null,
      metadata: {
        actor: 'cron:incident-clocks',
        regulator: 'dora',
        ruleVersion: 'dora-2025-01-17',
        deadlineAt: late,
      },
    },
  ]);
  const stored = await harness.db
    .collection('incidents')
    .findOne({ createdAt: new Date(later.createdAt) });
  expect(stored?.clocks.map(({ status }: Incident) => status)).toEqual(['breached', 'active']);
  expect(stored?.breachAt.toISOString()).toBe(after(later.detectedAt, 72));

  for (const id of ['cp-0', 'cp-1', 'cp-2']) assertOk(await complete(later.id, id));
  const [dora, gdpr] = (await read(later.id)).clocks;
  expect(dora).toMatchObject({ status: 'breached', nextCheckpointAt: null });
  expect(gdpr.status).toBe('active');
  assertOk(await call('POST', `/${later.id}/close`, {}));
  expect((await read(later.id)).clocks).toEqual([dora, gdpr]);
});

test('a report that is late breaches its clock, and the job records that too, once', async () => {
  const late = await open({ ...regulators('gdpr'), detectedAt: ago(80) });
  expect(late.clocks[0].status).toBe('breached');
  const done = assertOk(await complete(late.id, 'cp-0')).body.data;
  expect(done.clocks[0]).toMatchObject({ status: 'breached', nextCheckpointAt: null });
  await breach();
  await breach();
  expect((await read(late.id)).clocks[0].status).toBe('breached');
  const entries = await listAuditEntries(
    app,
    ada,
    `action=incident.clock_breached&resourceId=${late.id}`,
  );
  expect(entries.map(({ metadata }) => metadata)).toEqual([
    {
      actor: 'cron:incident-clocks',
      regulator: 'gdpr',
      ruleVersion: 'gdpr-2018-05-25',
      deadlineAt: after(late.detectedAt, 72),
    },
  ]);
});

test('a corrected detection time moves the open deadlines, and the audit entry shows it', async () => {
  const made = await open({ ...regulators('nis2'), detectedAt: ago(10) });
  assertOk(await complete(made.id, 'cp-0'));
  const detectedAt = ago(20);
  const moved = assertOk(await call('PATCH', `/${made.id}`, { detectedAt }, bob)).body.data;
  const [clock] = moved.clocks;
  expect(clock).toMatchObject({
    clockStartedAt: detectedAt,
    ruleVersion: made.clocks[0].ruleVersion,
  });
  expect(clock.checkpoints.map(({ deadlineAt }: Incident) => deadlineAt)).toEqual([
    after(made.detectedAt, 24),
    after(detectedAt, 72),
    after(detectedAt, 720),
  ]);
  const [entry] = await listAuditEntries(app, ada, `action=incident.update&resourceId=${made.id}`);
  expect(entry?.metadata).toEqual({
    fields: ['detectedAt'],
    detectedAt: { from: made.detectedAt, to: detectedAt },
  });
  const early = assertOk(await call('PATCH', `/${made.id}`, { detectedAt: ago(100) })).body.data;
  expect(early.clocks[0].status).toBe('breached');
  const back = assertOk(await call('PATCH', `/${made.id}`, { detectedAt: ago(1) })).body.data;
  expect(back.clocks[0].status).toBe('breached');
  for (const future of [ago(-1), '2999-01-01T00:00:00Z'])
    expect(toOutcome(await call('PATCH', `/${made.id}`, { detectedAt: future }))).toEqual([
      400,
      'VALIDATION_ERROR',
    ]);
});

test('an offset is a place, not another time', async () => {
  const made = await open({ ...regulators('gdpr'), detectedAt: '2026-03-28T20:00:00+01:00' });
  expect(made.detectedAt).toBe('2026-03-28T19:00:00.000Z');
  expect(made.clocks[0].finalDeadlineAt).toBe('2026-03-31T19:00:00.000Z');
});

test('a manager closes an incident once, with its narrative, and may reopen it', async () => {
  const { id } = await open();
  const narrative = { rootCause: 'A prompt', remediation: 'A filter', notes: 'Done' };
  expect(toOutcome(await call('POST', `/${id}/close`, narrative, bob))).toEqual([403, 'FORBIDDEN']);
  const answers = await Promise.all([1, 2, 3].map(() => call('POST', `/${id}/close`, narrative)));
  const codes = answers.map(({ status, body }) => `${status} ${body.code ?? ''}`).sort();
  expect(codes).toEqual(['200 ', '400 INVALID_OPERATION', '400 INVALID_OPERATION']);
  const closed = await read(id);
  expect(closed).toMatchObject({ status: 'closed', ...narrative });
  expect(closed.statusAs).toEqual({ reporting: 'resolved', response: 'closed' });
  expect(closed.closedAt).not.toBeNull();
  expect(toOutcome(await call('PATCH', `/${id}`, { status: 'open' }, bob))).toEqual([
    403,
    'FORBIDDEN',
  ]);
  const again = assertOk(await call('PATCH', `/${id}`, { status: 'investigating' })).body.data;
  expect(again).toMatchObject({ status: 'investigating', closedAt: null, ...narrative });
  expect(toOutcome(await call('PATCH', `/${id}`, { status: 'closed' }, bob))).toEqual([
    403,
    'FORBIDDEN',
  ]);
  expect(
    assertOk(await call('PATCH', `/${id}`, { status: 'closed' })).body.data.closedAt,
  ).not.toBeNull();
  const entries = await listAuditEntries(
    app,
    ada,
    `action=incident.transition&status=success&resourceId=${id}`,
  );
  expect(entries.map(({ metadata }) => metadata)).toEqual([
    { from: 'investigating', to: 'closed' },
    { from: 'closed', to: 'investigating' },
    { from: 'open', to: 'closed' },
  ]);
});

test('a change of fields and of status are two entries', async () => {
  const { id } = await open({ summary: 'a' });
  const change = { title: 'Outage', summary: '', severity: 'critical', status: 'reported' };
  const changed = assertOk(await call('PATCH', `/${id}`, change, bob)).body.data;
  expect(changed).toMatchObject({ ...change, summary: null });
  expect(changed.statusAs).toEqual({ reporting: 'reported', response: 'investigating' });
  const entries = await listAuditEntries(app, ada, `resourceId=${id}`);
  expect(entries.map(({ action }) => action).sort()).toEqual([
    'incident.create',
    'incident.transition',
    'incident.update',
  ]);
});

test('incidents are found by status, severity, regulator, text and workspace', async () => {
  const made = await open({ ...regulators('aiact'), title: 'A (rare) one', severity: 'info' });
  const other = await open({ summary: 'Another (RARE) text', severity: 'info' });
  const found = async (query: string, headers = {}): Promise<string[]> =>
    assertOk(
      await app.call('GET', `${path}?${query}`, { token: ada.token, headers }),
    ).body.data.map(({ id }: Incident) => id);
  expect(await found(`search=${encodeURIComponent('(rare)')}`)).toEqual([other.id, made.id]);
  expect(await found('search=rare&regulator=aiact')).toEqual([made.id]);
  expect(await found('severity=info')).toEqual([other.id, made.id]);
  assertOk(await call('PATCH', `/${made.id}`, { status: 'mitigated' }));
  expect(await found('severity=info&status=mitigated')).toEqual([made.id]);
  expect(await found('severity=info&status=investigating')).toEqual([]);
  expect(await found('search=r.re')).toEqual([]);
  const workspace = { token: ada.token, body: { name: 'Elsewhere' } };
  const { _id } = assertOk(await app.call('POST', '/api/v1/workspaces', workspace)).body.data;
  const elsewhere = { 'x-workspace-id': _id as string };
  expect(await found('severity=info', elsewhere)).toEqual([]);
  const there = { token: ada.token, headers: elsewhere };
  expect(toOutcome(await app.call('GET', `${path}/${made.id}`, there))).toEqual([404, 'NOT_FOUND']);
  expect((await call('GET', '')).body.pagination.limit).toBe(50);
});

test.each([
  ['no title', { title: ' ' }],
  ['an unknown regulator', { regulators: [{ code: 'hipaa' }] }],
  ['a regulator as a text', { regulators: ['gdpr'] }],
  ['too many regulators', { regulators: Array(21).fill({ code: 'gdpr' }) }],
  ['a detection to come', { detectedAt: '2999-01-01T00:00:00Z' }],
  ['a detection long ago', { detectedAt: '0000-01-01T00:00:00+14:00' }],
  ['a local time', { detectedAt: '2026-01-01T00:00:00' }],
  ['too many traces', { triggerTraceIds: Array(101).fill('a') }],
  ['an unknown severity', { severity: 'worst' }],
])('%s is refused', async (_, body) => {
  expect(toOutcome(await call('POST', '', { title: 'Leak', ...body }))).toEqual([
    400,
    'VALIDATION_ERROR',
  ]);
});

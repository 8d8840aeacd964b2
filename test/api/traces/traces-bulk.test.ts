// Bulk changes of decisions: entries of the chain, audited; deletion empties decisions (document 2, section 4.1).
import { beforeAll, describe, expect, test } from 'vitest';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { listAuditEntries, createMember, toObjectId } from '../../setup/harness.ts';
import {
  createAgent,
  buildDecision,
  assertOk,
  createOwner,
  createWorkspaceKey,
} from '../../setup/personas.ts';
import type { Answer } from '../../setup/start-app.ts';

let key: string;
const harness = useHarness({}, { subscribesToEvents: () => Promise.resolve(true) });
const { app } = harness;
const ada = useOwner(harness);
beforeAll(async () => {
  ({ key } = await createWorkspaceKey(app, ada));
});

interface Posted {
  id: string;
  traceId: string;
  body: object;
}

async function post(more: object = {}, by = key): Promise<Posted> {
  const body = buildDecision('x', more);
  const { traceId } = assertOk(await app.call('POST', '/api/v1/traces', { key: by, body })).body
    .data as {
    traceId: string;
  };
  const stored = await harness.db.collection('ledger').findOne({ traceId, kind: 'trace' });
  return { id: stored?._id.toHexString() ?? '', traceId, body };
}

const setStatus = (ids: unknown, status: unknown, { token } = ada): Promise<Answer> =>
  app.call('POST', '/api/v1/traces/bulk-status', { token, body: { ids, status } });
const remove = (ids: unknown, { token } = ada): Promise<Answer> =>
  app.call('POST', '/api/v1/traces/bulk-delete', { token, body: { ids } });
const read = (id: string, { token } = ada): Promise<Answer> =>
  app.call('GET', `/api/v1/traces/${id}`, { token });
const entriesOf = (traceId: string) =>
  harness.db.collection('ledger').find({ traceId }).sort({ sequence: 1 }).toArray();

async function verified(who = ada): Promise<Record<string, unknown>> {
  return assertOk(await app.call('POST', '/api/v1/hash-chain/verify', { token: who.token })).body
    .data;
}

const UNKNOWN_ID = '0123456789abcdef01234567';

describe('bulk-status', () => {
  test.each(['success', 'flagged', 'escalated', 'pending', 'blocked', 'approved'])(
    'sets %s',
    async (status) => {
      const { id, traceId } = await post(
        status === 'approved' ? { outputDecision: { action: 'a' } } : {},
      );
      if (status === 'approved') assertOk(await setStatus([id], 'pending'));
      const { body } = assertOk(await setStatus([id], status));
      expect(body.data).toEqual({ requested: 1, changed: 1, notFound: [] });
      expect((await read(id)).body.data.status).toBe(status);
      const entries = await entriesOf(traceId);
      const [ingested, before, newest] = [entries[0], entries.at(-2), entries.at(-1)];
      expect(newest).toMatchObject({ kind: 'status', after: before?.sequence as number });
      expect(JSON.parse(newest?.view as string)).toMatchObject({
        traceId,
        actor: { kind: 'user', id: ada.userId },
        subject: {
          sequence: ingested?.sequence as number,
          chainHash: ingested?.chainHash as string,
        },
        after: { sequence: before?.sequence as number, chainHash: before?.chainHash as string },
        set: { status, humanOverride: null },
      });
    },
  );

  test('appends no entry to a decision that has the status already', async () => {
    const [one, two] = [await post(), await post()];
    assertOk(await setStatus([one.id], 'success'));
    expect((await setStatus([one.id, two.id], 'success')).body.data).toMatchObject({
      requested: 2,
      changed: 1,
    });
    expect(await entriesOf(one.traceId)).toHaveLength(2);
  });

  test('never rewrites the verdict that ingestion answered', async () => {
    const { id, body } = await post();
    assertOk(await setStatus([id], 'blocked'));
    const again = await app.call('POST', '/api/v1/traces', { key, body });
    expect([again.status, again.body.data.status]).toEqual([201, 'approved']);
  });

  test.each([
    ['no list', undefined],
    ['no list but an id', UNKNOWN_ID],
    ['an empty list', []],
    ['something that is no id', ['trc_01']],
    ['a query', [{ $ne: null }]],
    ['too many', Array.from({ length: 501 }, (_, n) => n.toString(16).padStart(24, '0'))],
  ])('%s: INVALID_IDS', async (_what, ids) => {
    for (const { status, body } of [await setStatus(ids, 'success'), await remove(ids)])
      expect([status, body.code]).toEqual([400, 'INVALID_IDS']);
  });

  test.each([
    ['unknown'],
    [''],
    [null],
    [undefined],
    [['success']],
    [{ $ne: 'x' }],
    ['constructor'],
  ])('status %o: INVALID_STATUS', async (wanted) => {
    const { id } = await post();
    const { status, body } = await setStatus([id], wanted);
    expect([status, body.code]).toEqual([400, 'INVALID_STATUS']);
  });

  test('reports unknown and foreign ids as not found, and does not change them', async () => {
    const eve = await createOwner(app, 'Eve');
    const { key: eves } = await createWorkspaceKey(app, eve);
    const [mine, theirs] = [await post(), await post({}, eves)];
    const ids = [mine.id.toUpperCase(), mine.id, theirs.id, UNKNOWN_ID];
    for (const [answer, changed] of [
      [await setStatus(ids, 'success'), 1],
      [await remove(ids), 1],
    ] as const)
      expect(answer.body.data).toEqual({
        requested: 3,
        changed,
        notFound: [theirs.id, UNKNOWN_ID],
      });
    expect((await read(theirs.id, eve)).body.data.status).toBe('approved');
    expect(await entriesOf(theirs.traceId)).toHaveLength(1);
  });

  test('changes only decisions of the chosen workspace', async () => {
    const made = await app.call('POST', '/api/v1/workspaces', {
      token: ada.token,
      body: { name: 'Other' },
    });
    const headers = { 'x-workspace-id': assertOk(made).body.data._id as string };
    const { id } = await post();
    const body = { ids: [id], status: 'success' };
    const answer = await app.call('POST', '/api/v1/traces/bulk-status', {
      token: ada.token,
      headers,
      body,
    });
    expect(answer.body.data).toEqual({ requested: 1, changed: 0, notFound: [id] });
  });

  test(
    'many at once by many people: every decision ends on one status, its history is whole',
    { tags: ['long'] },
    async () => {
      const bob = await createOwner(app, 'Bob');
      const { key: bobs } = await createWorkspaceKey(app, bob);
      const posted = await Promise.all(Array.from({ length: 70 }, () => post({}, bobs)));
      const ids = posted.map(({ id }) => id);
      const wanted = ['success', 'escalated', 'pending', 'flagged'];
      const answers = await Promise.all(wanted.map((status) => setStatus(ids, status, bob)));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      const changed = answers.reduce((sum, { body }) => sum + (body.data.changed as number), 0);
      const where = { organizationId: toObjectId(bob.organizationId) };
      expect(
        await harness.db.collection('ledger').countDocuments({ ...where, kind: 'status' }),
      ).toBe(changed);
      for (const { traceId } of posted) {
        const [trace, ...facts] = await entriesOf(traceId);
        expect(facts.map(({ after }) => after as number)).toEqual(
          [trace, ...facts].slice(0, -1).map((entry) => entry?.sequence as number),
        );
        expect(trace?.status).toBe(JSON.parse(facts.at(-1)?.view as string).set.status);
      }
      expect(await verified(bob)).toMatchObject({ verified: true, totalChecked: 70 + changed });
    },
  );
});

describe('bulk-delete', () => {
  const canary = 'vermilion-canary';
  const full = () => ({
    inputContext: { prompt: `${canary} in` },
    outputDecision: {
      action: { tool: canary },
      rationale: canary,
      alternatives: [{ decision: canary }],
    },
    rationale: `${canary} why`,
    alternatives: [{ decision: canary }],
    triggeringCondition: `${canary} when`,
    metadata: { canary },
    conversation: [canary],
    adapter: { canary },
  });

  test('empties the decision, keeps its entries, and verifies', async () => {
    const carl = await createOwner(app, 'Carl');
    const { key: carls } = await createWorkspaceKey(app, carl);
    const [gone, kept] = [await post(full(), carls), await post({}, carls)];
    const [before] = await entriesOf(gone.traceId);
    assertOk(await setStatus([gone.id], 'success', carl));
    const { body } = assertOk(await remove([gone.id], carl));
    expect(body.data).toEqual({ requested: 1, changed: 1, notFound: [] });

    const dump = JSON.stringify(await harness.db.collection('ledger').find().toArray());
    expect(dump).not.toContain(canary);
    const [trace, status, erasure] = await entriesOf(gone.traceId);
    expect(trace).toMatchObject({
      view: before?.view as string,
      chainHash: before?.chainHash as string,
    });
    expect(before?.idempotencyKey).toBeDefined();
    expect(trace?.idempotencyKey).toEqual(before?.idempotencyKey);
    expect(
      Object.entries(trace?.sealed as object).filter(([, value]) => value !== null),
    ).toHaveLength(1);
    expect(JSON.parse(erasure?.view as string)).toMatchObject({
      kind: 'erasure',
      cause: 'bulk-delete',
      subject: { sequence: trace?.sequence as number },
      after: { sequence: status?.sequence as number },
      erased: [
        {
          sequence: trace?.sequence as number,
          names: expect.arrayContaining(['inputContext']) as string[],
        },
      ],
    });

    expect((await read(gone.id, carl)).status).toBe(404);
    const list = await app.call('GET', '/api/v1/traces', { token: carl.token });
    expect(list.body).toMatchObject({ total: 1, data: [{ _id: kept.id }] });
    const search = await app.call('GET', `/api/v1/traces?search=${canary}`, { token: carl.token });
    expect(search.body.total).toBe(0);
    expect((await setStatus([gone.id], 'blocked', carl)).body.data.notFound).toEqual([gone.id]);
    expect((await remove([gone.id], carl)).body.data.notFound).toEqual([gone.id]);
    const report = await verified(carl);
    expect(report).toMatchObject({
      verified: true,
      totalChecked: 4,
      payload: { mismatched: [], missing: [] },
    });
    expect((report.payload as { erased: number }).erased).toBeGreaterThan(0);
  });

  test('erases a free-text agent, which may name a person; keeps a registered one', async () => {
    const rosa = await createOwner(app, 'Rosa');
    const { key: rosas } = await createWorkspaceKey(app, rosa);
    const bot = await createAgent(app, rosa);
    const about = { agentVersion: canary, timestamp: '2026-03-01T10:00:00.000Z' };
    const [free, registered] = [
      await post({ agentId: `Anna ${canary}`, ...about }, rosas),
      await post({ agentId: bot.id, ...about }, rosas),
    ];
    await app.instance.runJobsOnce();
    assertOk(await remove([free.id, registered.id], rosa));
    await app.instance.runJobsOnce();
    const where = { organizationId: toObjectId(rosa.organizationId) };
    for (const name of ['ledger', 'outbox', 'parked'])
      expect(JSON.stringify(await harness.db.collection(name).find(where).toArray())).not.toContain(
        canary,
      );
    const [ofFree] = await entriesOf(free.traceId);
    const [ofRegistered] = await entriesOf(registered.traceId);
    for (const column of ['agentId', 'agentVersion', 'clientInfo', 'timestamp', 'answer'])
      expect(ofFree, column).not.toHaveProperty(column);
    expect(ofRegistered).toMatchObject({ agentId: bot.id, agentName: bot.name });
    expect(ofRegistered).not.toHaveProperty('agentVersion');
    const report = await verified(rosa);
    expect(report).toMatchObject({ verified: true, payload: { mismatched: [], missing: [] } });
  });

  test('appends one entry for two concurrent requests', async () => {
    const { id, traceId } = await post(full());
    const answers = await Promise.all(Array.from({ length: 5 }, () => remove([id])));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(answers.filter(({ body }) => body.data.changed === 1)).toHaveLength(1);
    expect(await entriesOf(traceId)).toHaveLength(2);
  });
});

describe('permissions', () => {
  test.each([
    ['owner', 200, 200],
    ['admin', 200, 200],
    ['reviewer', 200, 403],
    ['member', 200, 403],
    ['viewer', 403, 403],
    ['auditor', 403, 403],
  ])('%s: status %i, delete %i', async (role, status, deleted) => {
    const who = await createMember(harness, ada, role);
    const { id } = await post();
    expect((await setStatus([id], 'success', who)).status).toBe(status);
    expect((await remove([id], who)).status).toBe(deleted);
  });

  test('no key may change in bulk', async () => {
    const { id } = await post();
    for (const path of ['bulk-status', 'bulk-delete']) {
      const body = { ids: [id], status: 'success' };
      const { status, body: answer } = await app.call('POST', `/api/v1/traces/${path}`, {
        key,
        body,
      });
      expect([status, answer.code]).toEqual([403, 'FORBIDDEN']);
    }
  });

  test('both operations are audited with request and result, as are refusals by role', async () => {
    const dora = await createOwner(app, 'Dora');
    const { key: doras } = await createWorkspaceKey(app, dora);
    const { id } = await post({}, doras);
    assertOk(await setStatus([id, UNKNOWN_ID], 'success', dora));
    assertOk(await remove([id], dora));
    const viewer = await createMember(harness, dora, 'viewer');
    await remove([id], viewer);
    const entries = (await listAuditEntries(app, dora)).filter(({ action }) =>
      String(action).startsWith('trace.'),
    );
    expect(entries).toMatchObject([
      { action: 'trace.bulk_delete', status: 'failure', userId: viewer.userId },
      {
        action: 'trace.bulk_delete',
        status: 'success',
        metadata: { ids: [id], requested: 1, changed: 1 },
      },
      {
        action: 'trace.bulk_status_update',
        status: 'success',
        metadata: {
          ids: [id, UNKNOWN_ID],
          status: 'success',
          requested: 2,
          changed: 1,
          notFound: [UNKNOWN_ID],
        },
      },
    ]);
  });
});

test('the chain verifies after all of these changes', async () => {
  expect(await verified()).toMatchObject({
    verified: true,
    payload: { mismatched: [], missing: [] },
  });
});

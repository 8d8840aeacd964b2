// Effects of decisions: agent activity, policy statistics, events; each exactly once (ledger.md, consumers).
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toObjectId, startHarness, type Harness } from '../setup/harness.ts';
import {
  createAgent,
  buildDecision,
  assertOk,
  createOwner,
  createWorkspaceKey,
  type Owner,
} from '../setup/personas.ts';
import type { Answer, TestApp } from '../setup/start-app.ts';

let harness: Harness;
let app: TestApp;
let ada: Owner;
let key: string;
/** Runs of consumers that fail after their effects and before their cursor. */
let failing = 0;
/** Milliseconds that the app's clock is ahead. */
let ahead = 0;
/** Organisations without subscribers to their decisions. */
const unheard = new Set<string>();
beforeAll(async () => {
  harness = await startHarness(
    { ASSAY_MEMORY_INDEXING: 'on' },
    {
      clock: { now: () => new Date(Date.now() + ahead) },
      subscribesToEvents: (organizationId) => Promise.resolve(!unheard.has(organizationId)),
      probe(step) {
        if (step !== 'effects-written' || failing === 0) return;
        failing -= 1;
        throw new Error('killed between effect and cursor');
      },
    },
  );
  app = harness.app;
  ada = await createOwner(app);
  ({ key } = await createWorkspaceKey(app, ada));
});
afterAll(() => harness.stop());

const post = (named: string, more: object = {}, by = key): Promise<Answer> =>
  app.call('POST', '/api/v1/traces', { key: by, body: buildDecision(named, more) });
const acting = (action: string) => ({ outputDecision: { action } });

async function policy(who: Owner, value: string, action: object): Promise<string> {
  const conditions = [{ field: 'outputDecision.action', operator: 'equals', value }];
  const body = { name: value, conditions, actions: [action] };
  return assertOk(await app.call('POST', '/api/v1/policies', { token: who.token, body })).body.data
    ._id as string;
}

const agentOf = async (id: string, { token } = ada) =>
  assertOk(await app.call('GET', `/api/v1/agents/${id}`, { token })).body.data as Record<
    string,
    unknown
  >;
const analyticsOf = async (id: string) =>
  assertOk(await app.call('GET', `/api/v1/agents/${id}/analytics`, { token: ada.token })).body
    .data as object;
const eventsOf = ({ organizationId }: Owner) =>
  harness.db
    .collection('outbox')
    .find({ organizationId: toObjectId(organizationId), topic: 'event' })
    .toArray();

describe('an agent', () => {
  let refunds: string;
  beforeAll(async () => {
    refunds = await policy(ada, 'refund', { type: 'flag_for_review' });
    await policy(ada, 'wire', { type: 'block' });
  });

  test(
    'is counted, dated and rolled once when runs fail in between',
    { tags: ['long'] },
    async () => {
      const bot = await createAgent(app, ada);
      expect(await agentOf(bot.id)).toMatchObject({ status: 'healthy', lastActive: null });
      failing = 4;
      const actions = [
        'reply',
        'reply',
        'refund',
        'wire',
        'wire',
        'reply',
        'refund',
        'reply',
        'wire',
        'wire',
      ];
      let last = '';
      for (const [at, action] of actions.entries()) {
        const { data } = (
          await post(bot.id, { ...acting(action), agentVersion: at < 6 ? '1.0' : '1.1' })
        ).body;
        last = data.createdAt as string;
      }
      await app.instance.runJobsOnce();
      expect(failing).toBe(0);
      await app.instance.runJobsOnce();
      expect(await analyticsOf(bot.id)).toEqual({
        totalTraces: 10,
        approved: 4,
        flagged: 2,
        blocked: 4,
      });
      expect(await agentOf(bot.id)).toMatchObject({ status: 'critical', lastActive: last });
      const { body } = await app.call('GET', `/api/v1/agents/${bot.id}/versions`, {
        token: ada.token,
      });
      expect(body).toMatchObject({ data: ['1.0', '1.1'], history: [{ traces: 6 }, { traces: 4 }] });
      const statistics = await app.call('GET', `/api/v1/policies/${refunds}`, { token: ada.token });
      expect(statistics.body.data).toMatchObject({
        matchCount: 2,
        lastMatched: expect.any(String) as string,
      });
    },
  );

  test(
    'keeps the most recently seen versions when many are named',
    { tags: ['long'] },
    async () => {
      const bot = await createAgent(app, ada);
      await post(bot.id, { agentVersion: 'first' });
      await app.instance.runJobsOnce();
      const seen = (index: number) => new Date(Date.UTC(2026, 0, 1) + index * 1000);
      const versions = Array.from({ length: 200 }, (_version, index) => ({
        version: `v${index}`,
        firstSeenAt: seen(index),
        lastSeenAt: seen(index),
        traces: 1,
      }));
      const activity = harness.db.collection('agent_activity');
      await activity.updateOne({ _id: toObjectId(bot.id) }, { $set: { versions } });
      for (const agentVersion of ['v0', 'new', 'newer']) await post(bot.id, { agentVersion });
      await app.instance.runJobsOnce();
      const { body } = await app.call('GET', `/api/v1/agents/${bot.id}/versions`, {
        token: ada.token,
      });
      const kept = ['v0', ...versions.slice(3).map(({ version }) => version), 'new', 'newer'];
      expect(body.data).toEqual(kept);
      expect(await analyticsOf(bot.id)).toMatchObject({ totalTraces: 4 });
    },
  );

  test('recovers with better decisions', { tags: ['long'] }, async () => {
    const bot = await createAgent(app, ada);
    for (let n = 0; n < 10; n++) await post(bot.id, acting('wire'));
    await app.instance.runJobsOnce();
    expect(await agentOf(bot.id)).toMatchObject({ status: 'critical' });
    await Promise.all(Array.from({ length: 50 }, () => post(bot.id)));
    await app.instance.runJobsOnce();
    expect(await agentOf(bot.id)).toMatchObject({ status: 'healthy' });
  });

  test('keeps its status with too few decisions', async () => {
    const bot = await createAgent(app, ada);
    for (let n = 0; n < 9; n++) await post(bot.id, acting('wire'));
    await app.instance.runJobsOnce();
    expect(await agentOf(bot.id)).toMatchObject({ status: 'healthy' });
  });

  test('is scored by its recent history once that was recomputed', async () => {
    const bot = await createAgent(app, ada);
    const score = async () => (await post(bot.id)).body.data.confidenceScore as number;
    const before = await score();
    for (let n = 0; n < 5; n++) await post(bot.id, acting('wire'));
    await app.instance.runJobsOnce();
    ahead += 31_000;
    expect(await score()).toBeLessThan(before);
  });

  test('is not changed by decisions of another organisation that name its id', async () => {
    const eve = await createOwner(app, 'Eve');
    const { key: eves } = await createWorkspaceKey(app, eve);
    const bot = await createAgent(app, ada);
    expect((await post(bot.id, {}, eves)).status).toBe(201);
    await app.instance.runJobsOnce();
    await post(bot.id);
    await app.instance.runJobsOnce();
    expect(await analyticsOf(bot.id)).toMatchObject({ totalTraces: 1 });
    expect(await harness.db.collection('parked').countDocuments()).toBe(0);
    expect((await app.call('GET', `/api/v1/agents/${bot.id}`, { token: eve.token })).status).toBe(
      404,
    );
  });
});

describe('events', () => {
  test('are one outbox row for each decision, in the shape of the specification', async () => {
    const bob = await createOwner(app, 'Bob');
    const { key: bobs } = await createWorkspaceKey(app, bob);
    const bot = await createAgent(app, bob, 'Claims');
    await policy(bob, 'refund', { type: 'flag_for_review' });
    await policy(bob, 'wire', { type: 'block', config: { reason: 'No wires' } });
    const timestamp = '2026-03-01T10:00:00.000Z';
    const posted = await Promise.all([
      post(bot.id, { timestamp, metadata: { latencyMs: 412.5 } }, bobs),
      post(bot.id, { ...acting('refund'), timestamp }, bobs),
      post('free text', { ...acting('wire'), timestamp }, bobs),
      ...Array.from({ length: 20 }, () => post('x', {}, bobs)),
    ]);
    failing = 3;
    await app.instance.runJobsOnce();
    await app.instance.runJobsOnce();
    const rows = await eventsOf(bob);
    expect(rows).toHaveLength(23);
    const bodies = new Map(
      rows.map(({ payload }) => [payload.data.traceId as string, payload as object]),
    );
    expect(bodies.size).toBe(23);
    const [created, held, blocked] = posted.map(
      ({ body }) => body.data as { traceId: string; createdAt: string },
    );
    if (!created || !held || !blocked) throw new Error('three were posted');
    expect(bodies.get(created.traceId)).toEqual({
      event: 'trace.created',
      timestamp: created.createdAt,
      data: {
        traceId: created.traceId,
        agentName: 'Claims',
        status: 'approved',
        latency: 412.5,
        timestamp,
      },
    });
    const stored = await harness.db.collection('ledger').findOne({ traceId: held.traceId });
    const reviewId = stored?.review._id.toHexString();
    expect(bodies.get(held.traceId)).toEqual({
      event: 'trace.hold_for_review',
      timestamp: held.createdAt,
      data: { traceId: held.traceId, reviewId, agentName: 'Claims', timestamp },
    });
    const about = { traceId: blocked.traceId, agentName: 'free text', timestamp };
    expect(bodies.get(blocked.traceId)).toEqual({
      event: 'trace.blocked',
      timestamp: blocked.createdAt,
      data: { ...about, status: 'blocked', reason: 'No wires' },
    });
  });

  test('contain the original verdict when the decision was amended in the meantime', async () => {
    const carl = await createOwner(app, 'Carl');
    const { key: carls } = await createWorkspaceKey(app, carl);
    const { traceId } = (await post('x', {}, carls)).body.data;
    const stored = await harness.db.collection('ledger').findOne({ traceId });
    const body = { ids: [stored?._id], status: 'blocked' };
    assertOk(await app.call('POST', '/api/v1/traces/bulk-status', { token: carl.token, body }));
    await app.instance.runJobsOnce();
    expect((await eventsOf(carl)).map(({ payload }) => payload as object)).toMatchObject([
      { event: 'trace.created', data: { traceId, status: 'approved' } },
    ]);
  });

  test('about deleted decisions are withdrawn, whether or not they were written or delivered before', async () => {
    const dora = await createOwner(app, 'Dora');
    const { key: doras } = await createWorkspaceKey(app, dora);
    const remove = async (traceId: string) => {
      const stored = await harness.db.collection('ledger').findOne({ traceId });
      const body = { ids: [stored?._id] };
      assertOk(await app.call('POST', '/api/v1/traces/bulk-delete', { token: dora.token, body }));
    };
    const [delivered, undelivered, kept] = await Promise.all(
      [1, 2, 3].map(async () => (await post('Anna', {}, doras)).body.data.traceId as string),
    );
    if (!delivered || !undelivered || !kept) throw new Error('three were posted');
    await remove(undelivered);
    await app.instance.runJobsOnce();
    expect(await eventsOf(dora)).toHaveLength(2);
    await remove(delivered);
    await app.instance.runJobsOnce();
    const left = (await eventsOf(dora)).map(({ payload }) => payload.data.traceId as string);
    expect(left).toEqual([kept]);
    expect(await harness.db.collection('parked').countDocuments()).toBe(0);
  });

  test('are written for subscribers only, from their subscription on', async () => {
    const finn = await createOwner(app, 'Finn');
    unheard.add(finn.organizationId);
    const { key: finns } = await createWorkspaceKey(app, finn);
    await post('x', {}, finns);
    await app.instance.runJobsOnce();
    expect(await eventsOf(finn)).toEqual([]);
    unheard.clear();
    const { traceId } = (await post('x', {}, finns)).body.data;
    await app.instance.runJobsOnce();
    expect((await eventsOf(finn)).map(({ payload }) => payload.data.traceId as string)).toEqual([
      traceId,
    ]);
  });
});

test(
  'cursors that are lost or leap ahead are reported by metric and log, and repeat no effect',
  { tags: ['long'] },
  async () => {
    const gina = await createOwner(app, 'Gina');
    const { key: ginas } = await createWorkspaceKey(app, gina);
    for (let n = 0; n < 6; n++) await post('x', {}, ginas);
    await app.instance.runJobsOnce();
    expect(await eventsOf(gina)).toHaveLength(6);
    const where = { organizationId: toObjectId(gina.organizationId) };
    const cursors = harness.db.collection('cursors');
    const consumers = await cursors.countDocuments(where);
    const { deletedCount } = await cursors.deleteMany({ ...where, consumer: 'trace-events' });
    const leap = { $set: { sequence: 1000 } };
    const { modifiedCount } = await cursors.updateOne(
      { ...where, consumer: 'agent-activity' },
      leap,
    );
    expect([deletedCount, modifiedCount]).toEqual([1, 1]);
    await app.instance.runJobsOnce();
    expect(await eventsOf(gina)).toHaveLength(6);
    const { text } = await app.call('GET', '/metrics');
    for (const [consumer, kind] of [
      ['trace-events', 'missing'],
      ['agent-activity', 'ahead'],
    ])
      expect(text).toMatch(
        new RegExp(
          `^assay_consumer_cursor_faults_total{consumer="${consumer}",kind="${kind}"} 1$`,
          'm',
        ),
      );
    expect(app.logged.filter((line) => line.includes('a cursor was lost'))).toHaveLength(2);
    await post('x', {}, ginas);
    await app.instance.runJobsOnce();
    expect(await eventsOf(gina)).toHaveLength(7);
    const reached = await cursors.find(where).toArray();
    expect(reached.map(({ sequence }) => sequence as number)).toEqual(
      Array.from({ length: consumers }, () => 7),
    );
  },
);

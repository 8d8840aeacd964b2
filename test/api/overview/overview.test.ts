// The overview: what people decide moves decisions along; names, readers and spans that it bounds.
import { describe, expect, test } from 'vitest';
import { useOwnHarness, useOwner } from '../../setup/fixtures.ts';
import {
  assertOk,
  buildDecision,
  createAgent,
  createOwner,
  createWorkspaceKey,
} from '../../setup/personas.ts';
import { toOutcome } from '../../setup/start-app.ts';
import { useOverview } from './overview-stage.ts';

const harness = useOwnHarness();
const { app } = harness;
const ada = useOwner(harness);
const { ask, read, post } = useOverview(harness);
const count = () => app.instance.runJobsOnce();

describe('what people decide and what becomes of it', () => {
  const ofStage = async (stage: string, token: string) => {
    const { nodes } = await read('/flow', '', token);
    const here = nodes.filter((node: { stage: string }) => node.stage === stage);
    return Object.fromEntries(
      here.map((node: { key: string; count: number }) => [node.key, node.count]),
    );
  };

  test('moves decisions along, and is timed', async () => {
    const owner = await createOwner(app, 'Flo');
    const { token, userId } = owner;
    const agent = await createAgent(app, owner, 'Cash');
    const conditions = [
      { field: 'outputDecision.action.tool', operator: 'equals', value: 'refund' },
    ];
    const body = { name: 'Refunds', conditions, actions: [{ type: 'flag_for_review' }] };
    assertOk(await app.call('POST', '/api/v1/policies', { token, body }));
    const held: Record<string, string>[] = [];
    for (let made = 0; made < 5; made++) {
      const decision = buildDecision(agent.id, { outputDecision: { action: { tool: 'refund' } } });
      const answer = await app.call('POST', '/api/v1/traces', { key: agent.key, body: decision });
      held.push(assertOk(answer).body.data);
    }
    await count();
    expect(await ofStage('decider', token)).toEqual({ waiting: 5 });
    expect((await read('', '', token)).queue).toMatchObject({ waiting: 5, truncated: false });
    const decide = async (at: number, decision: string) =>
      assertOk(
        await app.call('POST', `/api/v1/review-queue/${held[at]?.['reviewId']}/decision`, {
          token,
          body: { decision },
        }),
      );
    await decide(0, 'approve');
    await decide(1, 'reject');
    await decide(2, 'approve');
    const withdraw = `/api/v1/traces/${held[3]?.['traceId']}/withdraw`;
    assertOk(await app.call('POST', withdraw, { key: agent.key, body: {} }));
    const rawActionDigest = held[0]?.['actionDigest'];
    const path = `/api/v1/traces/${held[0]?.['traceId']}/executions`;
    const claimed = assertOk(
      await app.call('POST', path, { key: agent.key, body: { rawActionDigest } }),
    ).body.data;
    await count();
    expect(await ofStage('decider', token)).toEqual({ [userId]: 3, waiting: 1, withdrawn: 1 });
    expect(await ofStage('outcome', token)).toEqual({
      allowed: 1,
      claimed: 1,
      stopped: 2,
      waiting: 1,
    });
    const end = { outcome: 'succeeded' };
    const ended = `${path}/${claimed.executionId ?? claimed._id}`;
    assertOk(await app.call('PATCH', ended, { key: agent.key, body: end }));
    await count();
    expect(await ofStage('outcome', token)).toEqual({
      allowed: 1,
      succeeded: 1,
      stopped: 2,
      waiting: 1,
    });
    const { waits, queue, agents } = await read('', '', token);
    expect(waits.count).toBe(3);
    expect(waits.p95Seconds).toBeGreaterThanOrEqual(0);
    expect(waits.p95Seconds).toBeLessThan(120);
    expect(queue.ages[0]).toEqual({ underHours: 1, count: 1 });
    expect(agents).toMatchObject([{ kind: 'registered', id: agent.id, name: 'Cash', count: 5 }]);
    // A decision that is erased stays counted, and counts built again are the same but for it.
    const ids = [held[4]?.['traceId'], held[1]?.['traceId']].map(async (traceId) => {
      const { body: one } = await app.call('GET', `/api/v1/traces/${traceId}`, { token });
      return one.data._id;
    });
    const erased = { token, body: { ids: await Promise.all(ids) } };
    assertOk(await app.call('POST', '/api/v1/traces/bulk-delete', erased));
    await count();
    expect(await ofStage('verdict', token)).toEqual({ flagged: 5 });
    await recount();
    expect(await ofStage('verdict', token)).toEqual({ flagged: 5 });
    const again = await ofStage('outcome', token);
    expect(again).toMatchObject({ allowed: 1, succeeded: 1 });
    expect(Object.values(again).reduce((sum: number, one) => sum + Number(one), 0)).toBe(5);
  });
});

/** As after an upgrade: the consumer begins at the start of every chain. */
async function recount(): Promise<void> {
  await harness.db.collection('decision_counts').deleteMany({});
  await harness.db
    .collection('cursors')
    .updateMany(
      { consumer: { $in: ['decision-counts', 'decision-tools'] } },
      { $set: { sequence: 0 } },
    );
  await count();
}

describe('hostile names', () => {
  test('a name for every decision takes a bounded number of places, and stores none', async () => {
    const owner = await createOwner(app, 'Mal');
    const { key: own } = await createWorkspaceKey(app, owner);
    const names = Array.from({ length: 400 }, (_, at) => `x|y,${at}‮ <b>"'\n$where ${at}`);
    await post(
      names.map((agentId) => ({ agentId, action: 'reply', daysAgo: 0 })),
      own,
    );
    await count();
    const { agents, decisions } = await read('', '', owner.token);
    expect(decisions.approved).toBe(400);
    expect(agents[0]).toMatchObject({ kind: 'other', id: null, name: null, count: 350 });
    const { total, nodes } = await read('/flow', '', owner.token);
    expect(total).toBe(400);
    const shown = nodes.filter(({ stage }: { stage: string }) => stage === 'agent');
    expect(shown.length).toBeLessThanOrEqual(9);
    const rows = await harness.db.collection('decision_counts').find({}).toArray();
    expect(JSON.stringify(rows)).not.toContain('where');
    const { organizationId } = owner;
    const mine = rows.filter((row) => String(row['organizationId']) === organizationId);
    expect(mine.length).toBeLessThan(250);
    expect(mine.every((row) => row['count'] > 0)).toBe(true);
  });
});

describe('tools', () => {
  test('are counted by verdict; the catalogue or the newest decisions name them', async () => {
    const owner = await createOwner(app, 'Tom');
    const { token } = owner;
    const { key: own } = await createWorkspaceKey(app, owner);
    const listed = { token, body: { entries: [{ does: ['fetch'], gives: [] }] } };
    assertOk(await app.call('PUT', '/api/v1/tools/read_file', listed));
    const act = (action: string) => ({ agentId: 'anna', action, daysAgo: 0 });
    await post([act('read_file'), act('read_file'), act('sendMail')], own);
    await count();
    const { tools } = await read('', '', token);
    expect(tools).toMatchObject([
      { name: 'read_file', kind: 'tool', listed: true, count: 2, held: 0, before: { count: 0 } },
      { name: 'send_mail', kind: 'tool', listed: false, count: 1 },
    ]);
    // The name goes with the decision that had it; the count stays.
    const { data } = (await app.call('GET', '/api/v1/traces?limit=1', { token })).body;
    const body = { ids: [data[0]._id] };
    assertOk(await app.call('POST', '/api/v1/traces/bulk-delete', { token, body }));
    await count();
    const after = await read('', '', token);
    expect(after.tools[1]).toMatchObject({ name: null, count: 1 });
  });

  test('a name for every call takes a bounded number of places', async () => {
    const owner = await createOwner(app, 'Max');
    const { key: own } = await createWorkspaceKey(app, owner);
    const names = Array.from({ length: 200 }, (_, at) => `tool_${at}|approved`);
    await post(
      names.map((action) => ({ agentId: 'anna', action, daysAgo: 0 })),
      own,
    );
    await count();
    const { tools } = await read('', '', owner.token);
    expect(tools[0]).toMatchObject({ kind: 'other', name: null, count: 150 });
    const rows = await harness.db
      .collection('decision_counts')
      .find({ dimension: 'tool', unit: 'day', count: { $gt: 0 } })
      .toArray();
    expect(
      rows.filter((row) => String(row['organizationId']) === owner.organizationId),
    ).toHaveLength(51);
    expect(JSON.stringify(rows)).not.toContain('tool_');
  });
});

test('a key of single agents is refused, a workspace key reads', async () => {
  const till = await createAgent(app, ada, 'Till');
  const { key } = await createWorkspaceKey(app, ada);
  const limited = await createWorkspaceKey(app, ada, { scope: { agentIds: [till.id] } });
  const call = (by: string) => app.call('GET', '/api/v1/overview', { key: by });
  expect((await call(limited.key)).status).toBe(403);
  expect((await call(key)).status).toBe(200);
});

test.each([
  ['dateFrom=2026-03-02&dateTo=2026-03-01', 'ends before it begins'],
  ['dateFrom=2024-01-01&dateTo=2026-01-01', 'more days than a year has'],
  ['dateFrom=0001-01-01&dateTo=0001-02-01', 'before any clock'],
  ['dateFrom=9999-12-01&dateTo=9999-12-31', 'after the last year'],
  ['dateFrom=yesterday', 'no date'],
  ['since=2026-01-01', 'no such parameter'],
])('%s is refused: %s', async (query) => {
  for (const path of ['', '/flow'])
    expect(toOutcome(await ask(path, query, ada.token))).toEqual([400, 'VALIDATION_ERROR']);
});

// Groups of held and blocked decisions: one cause is one thing, with counts, samples and a way to decide it.
import { expect, test } from 'vitest';
import { useHarness } from '../../setup/fixtures.ts';
import { createMember } from '../../setup/harness.ts';
import {
  assertOk,
  buildDecision,
  createOwner,
  createWorkspaceKey,
  type Owner,
} from '../../setup/personas.ts';

const harness = useHarness();
const { app } = harness;

type Action = string | { tool: string; arguments?: object };

async function useDesk(name: string) {
  const owner = await createOwner(app, name);
  const { token } = owner;
  const { key } = await createWorkspaceKey(app, owner);
  const rule = async (tool: string, type: string, reason: string): Promise<string> => {
    const conditions = [{ field: 'action.names', operator: 'contains', value: tool }];
    const body = { name: `On ${tool}`, conditions, actions: [{ type, config: { reason } }] };
    return assertOk(await app.call('POST', '/api/v1/policies', { token, body })).body.data._id;
  };
  const post = async (...actions: Action[]): Promise<string[]> => {
    const traceIds: string[] = [];
    for (let from = 0; from < actions.length; from += 100) {
      const decisions = actions.slice(from, from + 100).map((action) => ({
        ...buildDecision('desk', { outputDecision: { action } }),
      }));
      const body = { decisions };
      const { data } = assertOk(await app.call('POST', '/api/v1/traces/batch', { key, body })).body;
      traceIds.push(
        ...data.results.map(({ data: one }: { data: { traceId: string } }) => one.traceId),
      );
    }
    return traceIds;
  };
  const list = async (query = '', by: Pick<Owner, 'token'> = owner) =>
    assertOk(await app.call('GET', `/api/v1/traces/groups${query}`, { token: by.token })).body;
  return { owner, token, rule, post, list };
}

test(
  'two thousand holds of few causes are few groups, and each is decided as one',
  { tags: ['long'] },
  async () => {
    const { token, rule, post, list } = await useDesk('Groups');
    const refunds = await rule('refund', 'flag_for_review', 'Money leaves');
    await rule('drop_table', 'block', 'Data is lost');
    await rule('reply', 'flag_for_review', 'A person reads replies');
    const many = Array.from({ length: 1_200 }, (_, at) => ({
      tool: 'refund',
      arguments: { amount: at, note: 'x'.repeat(at % 50) },
    }));
    const replies = Array.from({ length: 300 }, (_, at) => `reply`.padEnd(5 + (at % 2), ' '));
    const refunded = await post(...many);
    await post({ tool: 'drop_table' }, { tool: 'dropTable' }, ...replies, { tool: 'look_up' });
    const { data, since } = await list();
    expect(since).toBeNull();
    expect(data).toMatchObject([
      {
        policy: { name: 'On refund', reason: 'Money leaves' },
        policyId: refunds,
        tools: ['refund'],
        count: 1_200,
        waiting: 1_200,
        blocked: 0,
        newest: refunded.slice(-5).toReversed(),
        muted: null,
      },
      { policy: { reason: 'A person reads replies' }, tools: [], count: 300, waiting: 300 },
      {
        policy: { reason: 'Data is lost' },
        tools: ['drop_table'],
        count: 2,
        blocked: 2,
        waiting: 0,
      },
    ]);
    const days = data[0].days as { count: number }[];
    expect(days.reduce((sum, { count }) => sum + count, 0)).toBe(1_200);
    expect((await list('?state=blocked')).data).toHaveLength(1);
    expect((await list('?state=waiting')).data).toHaveLength(2);
    expect((await list('?dateTo=2020-01-01')).data).toEqual([]);

    const queue = `/api/v1/review-queue?status=pending&sort=due&limit=100&group=${data[0].group}`;
    const held = assertOk(await app.call('GET', queue, { token })).body;
    expect(held.total).toBe(1_200);
    const ids = held.data.map(({ id }: { id: string }) => id);
    const path = '/api/v1/review-queue/bulk-decision';
    assertOk(await app.call('POST', path, { token, body: { ids, decision: 'approve' } }));
    expect((await list()).data[0]).toMatchObject({ count: 1_200, waiting: 1_100, approved: 100 });
  },
);

test('the same reason of another policy, and other tools, are groups of their own', async () => {
  const { rule, post, list } = await useDesk('Apart');
  await rule('a', 'flag_for_review', 'Same');
  await rule('b', 'flag_for_review', 'Same');
  await post({ tool: 'a' }, { tool: 'b' }, { tool: 'a' }, { tool: 'ä'.repeat(150) });
  expect((await list()).data).toMatchObject([{ count: 2, tools: ['a'] }, { count: 1 }]);
});

test('what passes a limit is one group, however much is left each time', async () => {
  const { token, post, list } = await useDesk('Limits');
  const limit = { of: 'action.totalAmount', per: 'organization', window: '24h', most: 10 };
  const conditions = [{ field: 'action.names', operator: 'contains', value: 'pay' }];
  const actions = [{ type: 'block', config: { limit } }];
  const body = { name: 'Of a day', conditions, actions };
  assertOk(await app.call('POST', '/api/v1/policies', { token, body }));
  const pay = (amount: number) => ({ tool: 'pay', arguments: { amount } });
  await post(pay(4), pay(7), pay(3), pay(8));
  expect((await list()).data).toMatchObject([{ count: 2, blocked: 2, tools: ['pay'] }]);
});

test('a muted group is listed apart for a while, and its decisions wait as before', async () => {
  const { owner, token, rule, post, list } = await useDesk('Muted');
  await rule('ping', 'flag_for_review', 'Noise');
  await post({ tool: 'ping' }, { tool: 'ping' });
  const [{ group }] = (await list()).data;
  const path = `/api/v1/traces/groups/${group}/mute`;
  const mute = (until: Date, by = token) =>
    app.call('PUT', path, { token: by, body: { until: until.toISOString() } });
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);
  const until = inDays(1);
  assertOk(await mute(until));
  assertOk(await mute(until));
  expect((await list()).data).toEqual([]);
  const [muted] = (await list('?muted=true')).data;
  expect(muted).toMatchObject({ group, waiting: 2, muted: { until: until.toISOString() } });
  const waiting = await app.call('GET', '/api/v1/review-queue?status=pending', { token });
  expect(waiting.body.total).toBe(2);
  for (const wrong of [inDays(-1), inDays(91)])
    expect(await mute(wrong)).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
  const viewer = await createMember(harness, owner, 'viewer');
  expect((await mute(until, viewer.token)).status).toBe(403);
  const stranger = await createOwner(app, 'Stranger');
  expect((await mute(until, stranger.token)).status).toBe(404);
  assertOk(await app.call('DELETE', path, { token }));
  expect((await list()).data).toMatchObject([{ group, muted: null }]);
});

test('an erased decision stays counted, and nothing of it is shown', async () => {
  const { owner, token, rule, post, list } = await useDesk('Erased');
  await rule('secret_tool', 'block', 'Never');
  const [traceId] = await post({ tool: 'secret_tool' });
  const { id } = assertOk(await app.call('GET', `/api/v1/traces/${traceId}`, { token })).body.data;
  const path = '/api/v1/traces/bulk-delete';
  assertOk(await app.call('POST', path, { token, body: { ids: [id] } }));
  expect((await list()).data).toEqual([]);
  const other = await useDesk('Other');
  expect((await other.list('', owner)).data).toEqual([]);
  const checked = assertOk(await app.call('POST', '/api/v1/hash-chain/verify', { token }));
  expect(checked.body.data).toMatchObject({ ok: true });
});

test('a mark that was changed in the database is found by the chain', async () => {
  const { token, rule, post } = await useDesk('Tampered');
  await rule('pay', 'flag_for_review', 'Money');
  const [traceId] = await post({ tool: 'pay' });
  await harness.db.collection('ledger').updateOne({ traceId }, { $set: { alike: 'A'.repeat(22) } });
  const checked = await app.call('POST', '/api/v1/hash-chain/verify', { token });
  expect(checked.body.data).toMatchObject({ ok: false });
});

// Decisions counted over time: buckets, agents, workspaces, bounds, and what later changes do to the counts.
import { beforeAll, expect, test } from 'vitest';
import { useOwnHarness, useOwner } from '../../../setup/fixtures.ts';
import {
  assertOk,
  buildDecision,
  createAgent,
  createOwner,
  createWorkspaceKey,
} from '../../../setup/personas.ts';
import { toOutcome, type Answer } from '../../../setup/start-app.ts';

const harness = useOwnHarness();
const { app } = harness;
const ada = useOwner(harness);
let agent: { id: string; key: string; name: string };
let second: string;
let held: string;

const ask = (query: string, headers: object = {}, token = ada.token): Promise<Answer> =>
  app.call('GET', `/api/v1/traces/series?${query}`, { token, headers: { ...headers } });
/** The buckets that are not empty, as `hour or day: approved/flagged/blocked`. */
async function show(query: string, headers: object = {}): Promise<string[]> {
  const { bucket, points } = assertOk(await ask(query, headers)).body.data as {
    bucket: string;
    points: { at: string; approved: number; flagged: number; blocked: number }[];
  };
  return points
    .filter(({ approved, flagged, blocked }) => approved + flagged + blocked > 0)
    .map(({ at, approved, flagged, blocked }) => {
      const time = bucket === 'hour' ? at.slice(0, 13) : at.slice(0, 10);
      return `${time}: ${approved}/${flagged}/${blocked}`;
    });
}

const policy = (word: string, type: string): object => ({
  name: word,
  conditions: [{ field: 'outputDecision.action', operator: 'contains', value: word }],
  actions: [{ type }],
});

beforeAll(async () => {
  const { token } = ada;
  for (const [word, type] of [
    ['hold', 'flag_for_review'],
    ['stop', 'block'],
  ] as const)
    assertOk(await app.call('POST', '/api/v1/policies', { token, body: policy(word, type) }));
  const { key } = await createWorkspaceKey(app, ada);
  const made = await createAgent(app, ada, 'Till');
  agent = { ...made, name: 'Till' };
  const workspace = { token, body: { name: 'Second' } };
  second = assertOk(await app.call('POST', '/api/v1/workspaces', workspace)).body.data._id;
  const post = async (action: string, timestamp: string, more: object = {}, by = key) => {
    const body = buildDecision('elsewhere', { outputDecision: { action }, timestamp, ...more });
    const headers = 'at' in more ? { 'x-workspace-id': more.at as string } : {};
    return (await app.call('POST', '/api/v1/traces', { key: by, body, headers })).body.data.traceId;
  };
  await post('reply', '2026-03-01T10:00:00Z');
  await post('reply', '2026-03-01T10:59:59.999Z', { agentId: agent.id }, agent.key);
  held = await post('hold it', '2026-03-01T12:30:00+01:00', { agentId: agent.id }, agent.key);
  await post('stop it', '2026-03-02T00:00:00Z');
  await post('reply', '2026-03-02T00:10:00Z', { at: second });
  await harness.app.instance.runJobsOnce();
});

test('counts stand in hours and days of UTC, by the verdict', async () => {
  const range = 'dateFrom=2026-03-01&dateTo=2026-03-02';
  expect(await show(range)).toEqual([
    '2026-03-01T10: 2/0/0',
    '2026-03-01T11: 0/1/0',
    '2026-03-02T00: 1/0/1',
  ]);
  expect(await show(`bucket=day&by=status&${range}`)).toEqual([
    '2026-03-01: 2/1/0',
    '2026-03-02: 1/0/1',
  ]);
  const { data } = assertOk(await ask(range)).body;
  expect(data).toMatchObject({ bucket: 'hour', by: 'status', from: '2026-03-01T00:00:00.000Z' });
  expect(data.to).toBe('2026-03-03T00:00:00.000Z');
  expect(data.points).toHaveLength(48);
});

test('a range counts whole buckets, from that of its beginning to that of its end', async () => {
  const range = 'dateFrom=2026-03-01T10:30:00Z&dateTo=2026-03-01T11:00:00Z';
  expect(await show(range)).toEqual(['2026-03-01T10: 2/0/0', '2026-03-01T11: 0/1/0']);
  const { points } = assertOk(await ask('')).body.data;
  expect(points).toHaveLength(24);
  expect(Date.parse(points.at(-1).at)).toBeGreaterThan(Date.now() - 2 * 3_600_000);
  expect(assertOk(await ask('bucket=day')).body.data.points).toHaveLength(30);
});

test('one agent, one workspace, and one list of agents are counted alone', async () => {
  const range = 'bucket=day&dateFrom=2026-03-01&dateTo=2026-03-02';
  expect(await show(`${range}&agentId=${agent.id}`)).toEqual(['2026-03-01: 1/1/0']);
  expect(await show(`${range}&agentId=${agent.name}`)).toEqual(['2026-03-01: 1/1/0']);
  expect(await show(range, { 'x-workspace-id': second })).toEqual(['2026-03-02: 1/0/0']);
  const limited = { scope: { agentIds: [agent.id] } };
  const { key } = await createWorkspaceKey(app, ada, limited);
  const path = `/api/v1/traces/series?${range}`;
  const { points } = assertOk(await app.call('GET', path, { key })).body.data;
  expect(points[0]).toMatchObject({ approved: 1, flagged: 1, blocked: 0 });
  expect(points[1]).toMatchObject({ approved: 0, flagged: 0, blocked: 0 });
});

test('another organisation counts its own, and finds no agent of others', async () => {
  const { token } = await createOwner(app, 'Eve');
  const range = 'bucket=day&dateFrom=2026-03-01&dateTo=2026-03-02';
  const { points } = assertOk(await ask(range, {}, token)).body.data;
  expect(points.every(({ approved }: { approved: number }) => approved === 0)).toBe(true);
  expect(toOutcome(await ask(`${range}&agentId=${agent.id}`, {}, token))).toEqual([
    404,
    'NOT_FOUND',
  ]);
});

test('a verdict and an erasure move nothing: it stays counted as it was answered', async () => {
  const { token } = ada;
  const { _id, review } = assertOk(await app.call('GET', `/api/v1/traces/${held}`, { token })).body
    .data;
  const verdict = { token, body: { decision: 'approve' } };
  assertOk(await app.call('POST', `/api/v1/review-queue/${review._id}/decision`, verdict));
  assertOk(await app.call('POST', '/api/v1/traces/bulk-delete', { token, body: { ids: [_id] } }));
  await harness.app.instance.runJobsOnce();
  expect(await show('bucket=day&dateFrom=2026-03-01&dateTo=2026-03-01')).toEqual([
    '2026-03-01: 2/1/0',
  ]);
});

test.each([
  ['dateFrom=2026-03-02&dateTo=2026-03-01', 'ends before it begins'],
  ['dateFrom=2026-01-01&dateTo=2026-02-01', 'more hours than a month has'],
  ['bucket=day&dateFrom=2024-01-01&dateTo=2026-01-01', 'more days than a year has'],
  ['bucket=minute', 'no such bucket'],
  ['by=agent', 'no such member'],
  ['dateFrom=yesterday', 'no date'],
  ['bucket=day&since=2026-01-01', 'no such parameter'],
])('%s is refused: %s', async (query) => {
  expect(toOutcome(await ask(query))).toEqual([400, 'VALIDATION_ERROR']);
});

// The overview of thousands of decisions: every figure against the decisions that it is of, over spans and workspaces.
// @module-tag long
import { beforeAll, describe, expect, test } from 'vitest';
import { useOwnHarness, useOwner } from '../../setup/fixtures.ts';
import { assertOk, createWorkspaceKey } from '../../setup/personas.ts';
import { DAY_MS, type Spec, useOverview } from './overview-stage.ts';

const harness = useOwnHarness({ ASSAY_LIMIT_SANDBOX: '1000000' });
const { app } = harness;
const ada = useOwner(harness);
const eve = useOwner(harness, 'Eve');
let key: string;
let second: string;
const policyIds: Record<string, string> = {};

const { read, post } = useOverview(harness);

const ACTIONS = ['reply', 'hold', 'stop', 'hold and stop', 'read'];
const specs: Spec[] = Array.from({ length: 3_000 }, (_, at) => ({
  agentId: ['anna', 'bert', 'carl'][at % 3] ?? '',
  action: ACTIONS[(at * 7) % 5] ?? '',
  daysAgo: (at * 13) % 28,
}));

beforeAll(async () => {
  const { token } = ada;
  for (const [word, type] of [
    ['hold', 'flag_for_review'],
    ['stop', 'block'],
  ] as const) {
    const conditions = [{ field: 'outputDecision.action.tool', operator: 'contains', value: word }];
    const body = { name: word, conditions, actions: [{ type }] };
    policyIds[word] = assertOk(
      await app.call('POST', '/api/v1/policies', { token, body }),
    ).body.data._id;
  }
  ({ key } = await createWorkspaceKey(app, ada));
  const workspace = { token, body: { name: 'Second' } };
  second = assertOk(await app.call('POST', '/api/v1/workspaces', workspace)).body.data._id;
  await post(specs, key);
  await post(
    Array.from({ length: 40 }, () => ({
      agentId: 'anna',
      action: 'reply',
      daysAgo: 1,
      workspace: second,
    })),
    key,
  );
  await app.instance.runJobsOnce();
}, 120_000);

/** The specs of an answered span, with those of the second workspace. */
function listWithin({ from, to }: { from: string; to: string }): Spec[] {
  const others = Array.from({ length: 40 }, () => ({
    agentId: 'anna',
    action: 'reply',
    daysAgo: 1,
  }));
  return [...specs, ...others].filter(({ daysAgo }) => {
    const at = Date.now() - daysAgo * DAY_MS;
    return at >= Date.parse(from) && at < Date.parse(to);
  });
}
function toVerdict(action: string): string {
  if (action.includes('stop')) return 'blocked';
  return action.includes('hold') ? 'flagged' : 'approved';
}
function tally(within: readonly Spec[]) {
  const sum = { approved: 0, flagged: 0, blocked: 0 } as Record<string, number>;
  for (const { action } of within) sum[toVerdict(action)] = (sum[toVerdict(action)] ?? 0) + 1;
  return sum;
}
const since = (days: number): string =>
  `dateFrom=${new Date(Date.now() - days * DAY_MS).toISOString()}`;

describe.each([1, 7, 14, 28, 365])('the last %i days', (days) => {
  test('verdicts are those of the decisions, and of the span before', async () => {
    const { span, decisions, series, week, confidence } = await read('', since(days), ada.token);
    expect(Date.parse(span.from) - Date.parse(span.before)).toBe(
      Date.parse(span.to) - Date.parse(span.from),
    );
    expect(decisions).toMatchObject(tally(listWithin(span)));
    expect(decisions.before).toEqual(tally(listWithin({ from: span.before, to: span.from })));
    expect(span.behind).toBe(0);
    const total = listWithin(span).length;
    const add = (points: { approved: number; flagged: number; blocked: number }[]) =>
      points.reduce((sum, one) => sum + one.approved + one.flagged + one.blocked, 0);
    expect(add(series.points)).toBe(total);
    expect(add(week)).toBe(total);
    expect(confidence.bins).toHaveLength(20);
    expect(confidence.bins.reduce((sum: number, one: number) => sum + one, 0)).toBe(total);
  });

  test('lists of agents and policies add up', async () => {
    const { span, agents, policies, series } = await read('', since(days), ada.token);
    const within = listWithin(span);
    const before = listWithin({ from: span.before, to: span.from });
    const ofAgent = (list: Spec[], name: string) => list.filter(({ agentId }) => agentId === name);
    for (const { name, ...found } of agents) {
      const mine = tally(ofAgent(within, name));
      expect(found).toMatchObject({
        kind: 'unregistered',
        id: null,
        count: ofAgent(within, name).length,
        held: mine['flagged'],
        blocked: mine['blocked'],
      });
      expect(found.before.count).toBe(ofAgent(before, name).length);
    }
    const ofPolicy = (name: string) => within.filter(({ action }) => action.includes(name));
    for (const { id, name, count: matched, points } of policies) {
      expect(id).toBe(policyIds[name]);
      expect(matched).toBe(ofPolicy(name).length);
      expect(points).toHaveLength(series.points.length);
      expect(points.reduce((sum: number, one: number) => sum + one, 0)).toBe(matched);
    }
  });

  test('tools are those that decisions called', async () => {
    const { span, tools } = await read('', since(days), ada.token);
    const within = listWithin(span);
    const known = new Map(
      tools.map(({ name, count }: { name: string; count: number }) => [name, count]),
    );
    for (const action of ['reply', 'hold', 'stop', 'read'])
      expect(known.get(action) ?? 0).toBe(within.filter((one) => one.action === action).length);
  });

  test('the flow has every decision once in each stage', async () => {
    const { span, total, nodes, links } = await read('/flow', since(days), ada.token);
    const within = listWithin(span);
    expect(total).toBe(within.length);
    for (const stage of ['agent', 'policy', 'verdict', 'decider', 'outcome']) {
      const here = nodes.filter((node: { stage: string }) => node.stage === stage);
      expect(here.reduce((sum: number, node: { count: number }) => sum + node.count, 0)).toBe(
        total,
      );
    }
    const verdicts = nodes.filter(({ stage }: { stage: string }) => stage === 'verdict');
    const counted = verdicts.map((node: { key: string; count: number }) => [node.key, node.count]);
    const expected = Object.entries(tally(within)).filter(([, number]) => number > 0);
    expect(Object.fromEntries(counted)).toEqual(Object.fromEntries(expected));
    const stopped = links.find(
      ({ from, to }: { from: string; to: string }) =>
        from === policyIds['hold'] && to === 'blocked',
    );
    // Both policies matched; the one that blocks decided.
    expect(stopped).toBeUndefined();
  });
});

test('one workspace counts its own', async () => {
  const { decisions } = await read('', since(7), ada.token, { 'x-workspace-id': second });
  expect(decisions).toMatchObject({ approved: 40, flagged: 0, blocked: 0 });
});

test('another organisation counts its own, which is nothing', async () => {
  const { decisions, agents, policies, week, waits, queue } = await read('', '', eve.token);
  expect(decisions).toMatchObject({ approved: 0, flagged: 0, blocked: 0 });
  expect([agents, policies, week]).toEqual([[], [], []]);
  expect(waits).toMatchObject({ count: 0, p50Seconds: null, p95Seconds: null });
  expect(queue).toMatchObject({ waiting: 0, oldestAt: null });
  expect(await read('/flow', '', eve.token)).toMatchObject({ total: 0, nodes: [], links: [] });
});

// Lists of decisions: filters alone and combined, search, paging, order, exact totals (document 2, section 4.1).
import { beforeAll, describe, expect, test } from 'vitest';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { toObjectId } from '../../setup/harness.ts';
import {
  createAgent,
  buildDecision,
  assertOk,
  createOwner,
  createWorkspaceKey,
  type Owner,
} from '../../setup/personas.ts';
import type { Answer } from '../../setup/start-app.ts';

let key: string;
// Sixty ask at once below: more than an organisation may by default.
const harness = useHarness({ ASSAY_LIMIT_HEAVY: '100' });
const { app } = harness;
const ada = useOwner(harness);
beforeAll(async () => {
  ({ key } = await createWorkspaceKey(app, ada));
});

const get = (query: string, { token } = ada): Promise<Answer> =>
  app.call('GET', `/api/v1/traces?${query}`, { token });
const post = async (more: object, named = 'x', by = key): Promise<Record<string, unknown>> =>
  assertOk(await app.call('POST', '/api/v1/traces', { key: by, body: buildDecision(named, more) }))
    .body.data;
/** The names that decisions were given, newest first. */
async function names(query: string, who = ada): Promise<string[]> {
  const { data, total } = assertOk(await get(query, who)).body;
  expect(total).toBe(data.length);
  return (data as { metadata: { n: string } }[]).map(({ metadata }) => metadata.n);
}
const named = (n: string, more: object = {}) => ({ metadata: { n }, ...more });

describe('filters', () => {
  let bob: Owner;
  let bot: { id: string; name: string };
  const say = async (query: string) => (await names(query, bob)).join('');
  beforeAll(async () => {
    bob = await createOwner(app, 'Bob');
    bot = await createAgent(app, bob, 'Claims');
    const { key: bobs } = await createWorkspaceKey(app, bob);
    const days = {
      a: '2026-03-01T00:00:00Z',
      b: '2026-03-01T23:59:59.999Z',
      c: '2026-03-02T00:00:00Z',
    };
    const posted = {
      a: await post(named('a', { timestamp: days.a }), bot.id, bobs),
      b: await post(named('b', { timestamp: days.b }), 'free text', bobs),
      c: await post(named('c', { timestamp: days.c }), bot.name, bobs),
      d: await post(named('d'), 'FREE TEXT', bobs),
    };
    const scores = { a: 0.1, b: 0.5, c: 0.8, d: 1 };
    for (const [n, confidenceScore] of Object.entries(scores)) {
      const where = {
        organizationId: toObjectId(bob.organizationId),
        traceId: posted[n as keyof typeof posted].traceId,
      };
      const status = { a: 'success', b: 'escalated', c: 'escalated', d: 'pending' }[n];
      await harness.db
        .collection('ledger')
        .updateOne(where, { $set: { confidenceScore, status, humanOverride: n === 'a' } });
    }
  });

  test.each([
    ['', 'dcba'],
    ['status=success', 'a'],
    ['status=escalated', 'cb'],
    ['status=blocked', ''],
    ['agentId=free%20text', 'b'],
    ['agentId=Claims', 'ca'],
    ['agentId=claims', ''],
    ['agentId=.*', ''],
    ['humanOverride=true', 'a'],
    ['humanOverride=false', 'dcb'],
    ['minConfidence=0.5', 'dcb'],
    ['minConfidence=0.5001', 'dc'],
    ['maxConfidence=0.5', 'ba'],
    ['minConfidence=0.5&maxConfidence=0.8', 'cb'],
    ['minConfidence=1', 'd'],
    ['maxConfidence=0', ''],
    ['minConfidence=0.9&maxConfidence=0.1', ''],
    ['dateTo=2026-03-01', 'ba'],
    ['dateFrom=2026-03-02&dateTo=2026-03-02', 'c'],
    ['dateFrom=2026-03-01T23:59:59.999Z&dateTo=2026-03-02T00:00:00Z', 'cb'],
    ['dateFrom=2026-03-02T01:00:00%2B01:00&dateTo=2026-03-10', 'c'],
    ['dateFrom=2026-03-03', 'd'],
    [
      'status=escalated&agentId=Claims&minConfidence=0.8&humanOverride=false&dateTo=2026-03-02',
      'c',
    ],
    ['status=escalated&agentId=Claims&maxConfidence=0.79', ''],
  ])('%s finds %s', async (query, expected) => {
    expect(await say(query)).toBe(expected);
  });

  test('an agent can be given by its id too', async () => {
    expect(await say(`agentId=${bot.id}`)).toBe('ca');
    expect(await say(`agentId=${bot.id.toUpperCase()}`)).toBe('ca');
  });

  test('an agent finds decisions that named it before it was registered', async () => {
    const carl = await createOwner(app, 'Carl');
    const { key: carls } = await createWorkspaceKey(app, carl);
    await post(named('before'), 'Late', carls);
    await createAgent(app, carl, 'Late');
    await post(named('after'), 'Late', carls);
    expect(await names('agentId=Late', carl)).toEqual(['after', 'before']);
  });

  test.each([
    'unknown=member',
    'status=unknown',
    'status=',
    'status=success&status=blocked',
    'status[$ne]=success&status=x',
    'agentId=',
    `agentId=${'x'.repeat(201)}`,
    'humanOverride=maybe',
    'minConfidence=-0.1',
    'maxConfidence=1.1',
    'minConfidence=high',
    'minConfidence=NaN',
    'minConfidence=%20',
    'maxConfidence=',
    'dateFrom=yesterday',
    'dateTo=2026-02-30',
    'search=',
    'search=%00',
    `search=${'x'.repeat(501)}`,
    'page=0',
    'page=-1',
    'page=1.5',
    'limit=0',
    'limit=ten',
  ])('%s: 400', async (query) => {
    const { status, body } = await get(query);
    expect([status, body.code]).toEqual([400, 'VALIDATION_ERROR']);
  });
});

describe('full-text search', () => {
  let sam: Owner;
  const find = async (search: string) =>
    (await names(`search=${encodeURIComponent(search)}`, sam)).toSorted().join(' ');
  beforeAll(async () => {
    sam = await createOwner(app, 'Sam');
    const { key: sams } = await createWorkspaceKey(app, sam);
    await post(named('top', { rationale: 'The refund was already paid twice' }), 'x', sams);
    await post(
      named('inner', { outputDecision: { action: 'a', rationale: 'Paid by invoice, no refund' } }),
      'x',
      sams,
    );
    await post(named('trigger', { triggeringCondition: 'refund-request $where café' }), 'x', sams);
    await post(
      named('german', { rationale: 'zurückgezahlt', metadata: { n: 'german', language: 'de' } }),
      'x',
      sams,
    );
    await post(
      { ...named('klingon', { rationale: 'Qapla' }), language: 'klingon', searchLanguage: 'none' },
      'x',
      sams,
    );
    await post(named('prompt', { inputContext: { prompt: 'needle in the prompt' } }), 'x', sams);
    await app.instance.runJobsOnce();
  });

  test.each([
    ['refund', 'inner top trigger'],
    ['REFUND', 'inner top trigger'],
    ['refund paid', 'inner top trigger'],
    ['"already paid"', 'top'],
    ['"paid already"', ''],
    ['refund -invoice', 'top trigger'],
    ['"refund" -"already paid"', 'inner trigger'],
    ['-refund', ''],
    ['cafe', 'trigger'],
    ['zurückgezahlt', 'german'],
    ['qapla', 'klingon'],
    ['the', 'prompt top trigger'],
    ['needle', ''],
    ['ref', ''],
    ['$where', 'trigger'],
    ['{"$gt":""}', ''],
    ['"', ''],
    ['.*', ''],
  ])('%s finds: %s', async (search, expected) => {
    expect(await find(search)).toBe(expected);
  });

  test('joins the other filters', async () => {
    const query = (more: string) => names(`search=refund&${more}`, sam);
    expect(await query('status=approved&minConfidence=0')).toHaveLength(3);
    expect(await query('status=blocked')).toHaveLength(0);
    expect(await query('agentId=y')).toHaveLength(0);
  });

  test('does not find decisions of another organisation', async () => {
    expect(await names('search=refund')).toEqual([]);
  });
});

describe('pages', () => {
  test('are sorted newest first, and have the total', async () => {
    const eve = await createOwner(app, 'Eve');
    const { key: eves } = await createWorkspaceKey(app, eve);
    await Promise.all(Array.from({ length: 205 }, (_, n) => post(named(String(n)), 'x', eves)));
    const all: string[] = [];
    for (let page = 1; page <= 3; page++) {
      const { body } = await get(`page=${page}&limit=100`, eve);
      expect(body.pagination).toEqual({
        page,
        limit: 100,
        total: 205,
        pages: 3,
        hasMore: page < 3,
      });
      expect(body.count).toBe(body.data.length);
      all.push(...(body.data as { _id: string }[]).map(({ _id }) => _id));
    }
    expect(new Set(all).size).toBe(205);
    const { body } = await get('limit=1000', eve);
    expect(body.pagination).toMatchObject({ limit: 200, hasMore: true });
    const times = (body.data as { createdAt: string }[]).map(({ createdAt }) => createdAt);
    expect(times).toEqual(times.toSorted().toReversed());
    expect((await get('', eve)).body.data).toHaveLength(25);
    expect((await get('page=100', eve)).body).toMatchObject({
      data: [],
      total: 205,
      pagination: { hasMore: false },
    });
  });
});

describe('totals', () => {
  test('are exact after every change', async () => {
    const tom = await createOwner(app, 'Tom');
    const { key: toms } = await createWorkspaceKey(app, tom);
    const totals = async () => {
      const of = async (query: string) => (await get(`limit=1&${query}`, tom)).body.total as number;
      return [
        await of(''),
        await of('status=approved'),
        await of('status=success'),
        await of('agentId=a'),
      ];
    };
    expect(await totals()).toEqual([0, 0, 0, 0]);
    await post(named('1'), 'a', toms);
    expect(await totals()).toEqual([1, 1, 0, 1]);
    await Promise.all(['2', '3', '4'].map((n) => post(named(n), n === '2' ? 'a' : 'b', toms)));
    expect(await totals()).toEqual([4, 4, 0, 2]);
    const ids = ((await get('agentId=a', tom)).body.data as { _id: string }[]).map(
      ({ _id }) => _id,
    );
    const bulk = (path: string, body: object) =>
      app.call('POST', `/api/v1/traces/${path}`, { token: tom.token, body });
    assertOk(await bulk('bulk-status', { ids, status: 'success' }));
    expect(await totals()).toEqual([4, 2, 2, 2]);
    await post(named('5'), 'a', toms);
    expect(await totals()).toEqual([5, 3, 2, 3]);
    assertOk(await bulk('bulk-delete', { ids: ids.slice(0, 1) }));
    expect(await totals()).toEqual([4, 3, 1, 2]);
    expect(await totals()).toEqual([4, 3, 1, 2]);
  });

  test(
    'neither run ahead nor fall behind while decisions come in',
    { tags: ['long'] },
    async () => {
      const ida = await createOwner(app, 'Ida');
      const { key: idas } = await createWorkspaceKey(app, ida);
      const total = async () => (await get('limit=1', ida)).body.total as number;
      const seen = await Promise.all(
        Array.from({ length: 60 }, async (_, n) => {
          const [, current] = await Promise.all([post(named(String(n)), 'x', idas), total()]);
          return current;
        }),
      );
      expect(Math.max(...seen)).toBeLessThanOrEqual(60);
      expect(await total()).toBe(60);
    },
  );
});

test('a list reads nothing from the database that it does not show', async () => {
  const mia = await createOwner(app, 'Mia');
  const { key: mias } = await createWorkspaceKey(app, mia);
  await post(named('shown'), 'x', mias);
  await harness.db.command({ profile: 2 });
  await get('', mia);
  await harness.db.command({ profile: 0 });
  const query = { 'command.find': 'ledger', 'command.sort.sequence': -1, 'command.limit': 25 };
  const [read] = await harness.db.collection('system.profile').find(query).toArray();
  const wanted = Object.keys(read?.command.projection as object);
  expect(wanted).toContain('sealed.inputContext');
  for (const hidden of [
    'view',
    'sealed',
    'sealed.submitted',
    'sealed.evaluation',
    'idempotencyKey',
  ])
    expect(wanted).not.toContain(hidden);
});

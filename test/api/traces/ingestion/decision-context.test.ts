// Session, parent, actor and labels of a decision: committed, scrubbed, shown, found, exported and erased.
import { beforeAll, expect, test } from 'vitest';
import { useHarness, useOwner } from '../../../setup/fixtures.ts';
import { toObjectId } from '../../../setup/harness.ts';
import {
  assertOk,
  buildDecision,
  createOwner,
  createWorkspaceKey,
} from '../../../setup/personas.ts';

let key: string;
const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);
beforeAll(async () => {
  ({ key } = await createWorkspaceKey(app, ada));
});

const post = (more: object, by = key) =>
  app.call('POST', '/api/v1/traces', { key: by, body: buildDecision('bot', more) });
const record = async (more: object): Promise<string> =>
  assertOk(await post(more)).body.data.traceId;
const read = async (traceId: string) =>
  assertOk(await app.call('GET', `/api/v1/traces/${traceId}`, { key })).body.data;
const find = async (query: Record<string, string>, by = key): Promise<string[]> => {
  const answer = await app.call('GET', `/api/v1/traces?${new URLSearchParams(query)}`, { key: by });
  return assertOk(answer).body.data.map(({ traceId }: { traceId: string }) => traceId);
};
const PARENT = `trc_${'a'.repeat(32)}`;
const ACTOR = [
  { type: 'user', id: 'customer 4711', issuer: 'shop' },
  { type: 'service', id: 'portal' },
];

test('are shown as they were given, and absent where they were not', async () => {
  const context = {
    sessionId: 'run 1',
    parentTraceId: PARENT,
    actor: ACTOR,
    labels: ['public', 'health:record'],
  };
  expect(await read(await record(context))).toMatchObject(context);
  const plain = await read(await record({}));
  for (const name of Object.keys(context)) expect(plain).not.toHaveProperty(name);
});

test('are found by session and parent, within the organisation', async () => {
  const first = await record({ sessionId: 'run 2' });
  const second = await record({ sessionId: 'run 2', parentTraceId: first });
  await record({ sessionId: 'run 3' });
  expect(await find({ sessionId: 'run 2' })).toEqual([second, first]);
  expect(await find({ parentTraceId: first })).toEqual([second]);
  expect(await find({ sessionId: 'run 2', parentTraceId: PARENT })).toEqual([]);
  const eve = await createOwner(app, 'Eve');
  const { key: other } = await createWorkspaceKey(app, eve);
  assertOk(await post({ parentTraceId: first }, other));
  expect(await find({ sessionId: 'run 2' }, other)).toEqual([]);
  expect(await find({ parentTraceId: first })).toEqual([second]);
});

test('are scrubbed, and a session is found by what was sent all the same', async () => {
  const sessionId = 'chat of ada@example.com';
  const traceId = await record({ sessionId, actor: [{ type: 'user', id: 'ada@example.com' }] });
  const text = JSON.stringify(await read(traceId));
  expect(text).not.toContain('ada@example.com');
  expect(await find({ sessionId })).toEqual([traceId]);
  const stored = await harness.db.collection('ledger').findOne({ traceId });
  expect(JSON.stringify(stored)).not.toContain('ada@example.com');
});

test('are committed to, each by itself', async () => {
  const traceId = await record({ sessionId: 'run 4', labels: ['a', 'b'] });
  const stored = await harness.db.collection('ledger').findOne({ traceId });
  const { commitments } = JSON.parse(stored?.view);
  expect(commitments).toMatchObject({
    sessionId: expect.stringMatching(/^[0-9a-f]{64}$/),
    labels: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  expect(commitments).not.toHaveProperty('actor');
  const { token } = ada;
  const verify = async () =>
    (await app.call('POST', '/api/v1/hash-chain/verify', { token })).body.data.verified;
  expect(await verify()).toBe(true);
  const entry = { organizationId: toObjectId(ada.organizationId), traceId };
  for (const forged of [{ sessionId: 'run 5' }, { parentTraceId: PARENT }, { sessionId: null }]) {
    const { sessionId, parentTraceId = null } = { ...stored, ...forged } as Record<string, unknown>;
    await harness.db
      .collection('ledger')
      .updateOne(entry, { $set: { sessionId, ...(parentTraceId !== null && { parentTraceId }) } });
    expect(await verify()).toBe(false);
    await harness.db
      .collection('ledger')
      .updateOne(entry, { $set: { sessionId: 'run 4' }, $unset: { parentTraceId: 1 } });
  }
  expect(await verify()).toBe(true);
});

test('go with an erasure', async () => {
  const traceId = await record({ sessionId: 'run 6', parentTraceId: PARENT, actor: ACTOR });
  const { _id } = await read(traceId);
  const { token } = ada;
  assertOk(await app.call('POST', '/api/v1/traces/bulk-delete', { token, body: { ids: [_id] } }));
  const stored = await harness.db.collection('ledger').findOne({ traceId, kind: 'trace' });
  expect([stored?.sessionId ?? null, stored?.parentTraceId ?? null]).toEqual([null, null]);
  expect(await find({ sessionId: 'run 6' })).toEqual([]);
  const { body } = await app.call('POST', '/api/v1/hash-chain/verify', { token });
  expect(body.data.verified).toBe(true);
});

test('stand in the export', async () => {
  const traceId = await record({ sessionId: 'run 8', labels: ['x', 'y'] });
  const { text } = await app.call('GET', '/api/v1/traces/export?sessionId=run+8', { key });
  const [header, row = ''] = text.trim().split('\r\n');
  expect(header).toMatch(/sessionId.*parentTraceId.*actor.*labels/);
  expect(row).toContain(traceId);
  expect(row).toContain('run 8');
});

test.each([
  { sessionId: '' },
  { sessionId: 'x'.repeat(201) },
  { parentTraceId: 'trc_1' },
  { actor: [] },
  { actor: {} },
  { actor: Array.from({ length: 11 }, () => ACTOR[0]) },
  { actor: [{ type: 'user' }] },
  { actor: [{ type: 'two words', id: 'x' }] },
  { labels: ['two words'] },
  { labels: Array.from({ length: 33 }, (_, index) => `l${index}`) },
  { labels: 'public' },
])('%j is refused', async (context) => {
  const refused = await post(context);
  expect([refused.status, refused.body.code]).toEqual([400, 'SVC_VALIDATION_FAILED']);
  expect(refused.body.data.issues[0].path).toContain(Object.keys(context)[0]);
});

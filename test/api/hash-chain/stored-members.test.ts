// Every member of a stored entry: verification finds any change of it, or a list states the reason why not.
import type { mongo } from 'mongoose';
import { beforeAll, expect, test } from 'vitest';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { toObjectId } from '../../setup/harness.ts';
import { createWorkspaceKey, buildDecision, assertOk } from '../../setup/personas.ts';

/** Members that no entry of the chain proves. */
const UNTOLD: Readonly<Record<string, string>> = {
  _id: 'the name of the row in the database; nothing refers to it but lists',
  idempotencyKey: 'a keyed digest that is removed after a day',
  'review.assignedTo': 'who handles an item is in the audit log',
  'review.assignedAt': 'who handles an item is in the audit log',
  'review.escalatedTo': 'who handles an item is in the audit log',
  'review.escalatedAt': 'who handles an item is in the audit log',
  'review.askedAt': 'when the caller last asked: nothing follows from it',
};

const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);
let entries: mongo.Document[];
const ledger = () => harness.db.collection('ledger');

beforeAll(async () => {
  const { token } = ada;
  const { key } = await createWorkspaceKey(app, ada);
  const policy = {
    name: 'Refunds',
    conditions: [{ field: 'outputDecision.action', operator: 'equals', value: 'refund' }],
    actions: [{ type: 'flag_for_review' }],
  };
  assertOk(await app.call('POST', '/api/v1/policies', { token, body: policy }));
  const post = async (action: string): Promise<string> => {
    const body = buildDecision('a free name', { outputDecision: { action } });
    return assertOk(await app.call('POST', '/api/v1/traces', { key, body })).body.data.traceId;
  };
  const corrected = await post('reply');
  for (let made = 0; made < 3; made++) await post('refund');
  const queue = '/api/v1/review-queue';
  const [first, second] = assertOk(await app.call('GET', queue, { token })).body.data;
  const change = { assignedTo: ada.userId };
  assertOk(await app.call('PATCH', `${queue}/${first._id}/assign`, { token, body: change }));
  const reason = { reason: 'Over my limit' };
  assertOk(await app.call('POST', `${queue}/${first._id}/escalate`, { token, body: reason }));
  const verdict = { decision: 'approve', reason: 'Fine' };
  assertOk(await app.call('POST', `${queue}/${second._id}/decision`, { token, body: verdict }));
  const feedback = { traceId: corrected, correctedDecision: { tool: 'wait' } };
  assertOk(await app.call('POST', '/api/v1/cpi/ingest', { key, body: feedback }));
  const where = { organizationId: toObjectId(ada.organizationId) };
  entries = await ledger().find(where).sort({ sequence: 1 }).toArray();
});

const verified = async (): Promise<boolean> =>
  assertOk(await app.call('POST', '/api/v1/hash-chain/verify', { token: ada.token })).body.data
    .verified;

/** Another value that looks alike. */
function otherOf(value: unknown): unknown {
  if (typeof value === 'string') return `${value}x`;
  if (typeof value === 'number') return value + 1000;
  if (typeof value === 'boolean') return !value;
  if (value instanceof Date) return new Date(value.getTime() + 60_000);
  if (Array.isArray(value)) return [...(value as unknown[]), 'more'];
  if (value === null || value === undefined) return 'something';
  const { _bsontype: type, buffer } = value as { _bsontype?: string; buffer?: Uint8Array };
  if (type === 'ObjectId') return toObjectId('f'.repeat(24));
  if (type === 'Binary' && buffer) {
    const bytes = Buffer.from(buffer);
    bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
    return bytes;
  }
  return { ...value, unknown: 1 };
}

/** Members and members of members. */
function pathsOf(entry: mongo.Document): [path: string, value: unknown][] {
  return Object.entries(entry).flatMap(([name, value]) => {
    const isPlain = typeof value === 'object' && value !== null && value.constructor === Object;
    const inside = isPlain ? Object.entries(value as object) : [];
    return [
      [name, value] as [string, unknown],
      ...inside.map(([member, of]): [string, unknown] => [`${name}.${member}`, of]),
    ];
  });
}

async function isFound(entry: mongo.Document, update: mongo.UpdateFilter<mongo.Document>) {
  await ledger().updateOne({ _id: entry['_id'] }, update);
  const isVerified = await verified();
  await ledger().replaceOne({ _id: entry['_id'] }, entry);
  return !isVerified;
}

async function unnoticed(entry: mongo.Document): Promise<string[]> {
  const found: string[] = [];
  for (const [path, value] of pathsOf(entry)) {
    if (path in UNTOLD || path === 'organizationId') continue;
    if (!(await isFound(entry, { $set: { [path]: otherOf(value) } })))
      found.push(`${path} changed`);
    if (value === null) continue;
    if (!(await isFound(entry, { $unset: { [path]: '' } }))) found.push(`${path} removed`);
  }
  for (const path of ['unknown', 'review.unknown', 'answer.unknown', 'usage.unknown'])
    if (path === 'unknown' || path.split('.')[0]! in entry)
      if (!(await isFound(entry, { $set: { [path]: 1 } }))) found.push(path);
  return found;
}

test(
  'changes in a held decision that was assigned and escalated are found',
  { tags: ['long'] },
  async () => {
    expect(await verified()).toBe(true);
    const held = entries.find(({ review }) => review?.escalatedTo) as mongo.Document;
    expect(await unnoticed(held)).toEqual([]);
  },
);

test('changes in entries about a decision are found', { tags: ['long'] }, async () => {
  const kinds = new Map(entries.map((entry) => [entry['kind'] as string, entry]));
  expect([...kinds.keys()].sort()).toEqual(['correction', 'review', 'trace']);
  // The tests beside this one change decisions.
  kinds.delete('trace');
  for (const [kind, entry] of kinds)
    expect({ kind, found: await unnoticed(entry) }).toEqual({ kind, found: [] });
});

test(
  'of a decision with a verdict, and of one that was corrected',
  { tags: ['long'] },
  async () => {
    const folded = entries.filter((entry) => entry['foldedTo']);
    expect(folded).toHaveLength(2);
    for (const entry of folded) expect(await unnoticed(entry)).toEqual([]);
  },
);

test('an escalation without its reason, whether one was given or not', async () => {
  const { token } = ada;
  const queue = '/api/v1/review-queue?status=pending';
  const [, other] = assertOk(await app.call('GET', queue, { token })).body.data;
  const path = `/api/v1/review-queue/${other._id}/escalate`;
  const { body } = assertOk(await app.call('POST', path, { token, body: {} }));
  expect(body.data.escalationReason).toBeNull();
  expect(await verified()).toBe(true);
  const escalated = await ledger()
    .find({ organizationId: toObjectId(ada.organizationId), 'review.escalatedAt': { $ne: null } })
    .toArray();
  expect(escalated).toHaveLength(2);
  for (const item of escalated) {
    expect(await isFound(item, { $unset: { 'review.escalationReason': '' } })).toBe(true);
    expect(await isFound(item, { $set: { 'review.escalationReason': null } })).toBe(true);
  }
  expect(await verified()).toBe(true);
});

test.each<[string, object]>([
  ['the deadline of a review', { 'review.slaDeadline': new Date(0) }],
  ['the priority', { 'review.priority': 'low' }],
  ['the step', { 'review.workflowStep': 2 }],
  ['a reason in clear', { 'review.escalationReason': 'Forged' }],
  ['an unknown member of the review', { 'review.context': 'Forged' }],
  ['the mark of the agent', { 'answer.agentMark': 'forged' }],
])('%s', async (_name, set) => {
  const held = entries.find(({ review }) => review?.escalatedTo) as mongo.Document;
  expect(await isFound(held, { $set: set })).toBe(true);
  expect(await verified()).toBe(true);
});

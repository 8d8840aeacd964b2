// The event stream tells of reviews: verdicts, expiries, withdrawals; and keys read it within what they may see.
// @module-tag long
import { expireDueReviews } from '../../../../src/decisions/traces/review/review-expiry.service.ts';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { useHarness, useOwner } from '../../../setup/fixtures.ts';
import {
  assertOk,
  buildDecision,
  createAgent,
  createWorkspaceKey,
} from '../../../setup/personas.ts';
import { MovedClock } from '../../../setup/second-factor.ts';
import { startApp } from '../../../setup/start-app.ts';
import { useReviews } from '../../review-queue/review-queue-stage.ts';
import { type EventReader, openReader } from './event-reader.ts';

const clock = new MovedClock();
const harness = useHarness({}, { clock });
const { app } = harness;
const ada = useOwner(harness);
const { hold, decide } = useReviews(harness, ada);
let till: { id: string; name: string; key: string };
let reader: { key: string; id: string };
beforeAll(async () => {
  till = await createAgent(app, ada);
  reader = await createWorkspaceKey(app, ada);
});

const readers: EventReader[] = [];
afterEach(async () => {
  const closing = readers.splice(0);
  for (const each of closing) each.close();
  await expect.poll(() => closing.every((each) => each.hasEnded())).toBe(true);
});
async function follow(key: string, headers = {}, url = app.url): Promise<EventReader> {
  const opened = await openReader(`${url}/api/v1/traces/stream`, { 'x-api-key': key, ...headers });
  readers.push(opened);
  return opened;
}
const listReviews = ({ events }: EventReader) => events.filter(({ event }) => event === 'review');
const listChanges = (from: EventReader) => listReviews(from).map(({ data }) => data.change);
const holdOwn = (more = {}) => hold({ agentId: till.id, ...more }, till.key);

test('verdict, expiry and withdrawal are events with the sequence of their entry', async () => {
  const stream = await follow(reader.key);
  expect(stream.status).toBe(200);
  const [approved, withdrawn] = [await holdOwn(), await holdOwn()];
  const expired = await holdOwn({ review: { expiresIn: 60 } });
  assertOk(await decide(approved.id, { decision: 'approve' }));
  await app.call('POST', `/api/v1/traces/${withdrawn.traceId}/withdraw`, {
    key: till.key,
    body: {},
  });
  clock.aheadMs += 61_000;
  await expireDueReviews(app.instance.platform);
  await expect.poll(() => listChanges(stream)).toEqual(['approved', 'withdrawn', 'expired']);
  const [first] = listReviews(stream);
  const entry = await harness.db
    .collection('ledger')
    .findOne({ traceId: approved.traceId, kind: 'review' });
  expect(first).toEqual({
    event: 'review',
    id: String(entry?.['sequence']),
    data: {
      change: 'approved',
      traceId: approved.traceId,
      reviewId: approved.id,
      workspaceId: ada.workspaceId,
      agentId: till.id,
      agentName: till.name,
      at: entry?.['createdAt'].toISOString(),
      by: ada.userId,
    },
  });
  expect(listReviews(stream)[2]?.data).toMatchObject({ traceId: expired.traceId, by: null });
  const again = await follow(reader.key, { 'last-event-id': first?.id ?? '' });
  await expect.poll(() => listChanges(again)).toEqual(['withdrawn', 'expired']);
});

test('a verdict on another instance reaches the stream here', async () => {
  const other = await startApp({}, { mongoUri: harness.mongoUri, clock });
  const stream = await follow(reader.key, {}, other.url);
  const { id } = await holdOwn();
  assertOk(await decide(id, { decision: 'reject' }));
  await expect.poll(() => listChanges(stream)).toEqual(['rejected']);
  await other.stop();
});

test('a key gets what it may read: an agent key its agent, a limited key its agents', async () => {
  const sibling = await createAgent(app, ada);
  const limited = await createWorkspaceKey(app, ada, { scope: { agentIds: [sibling.id] } });
  const [own, scoped, whole] = [
    await follow(till.key),
    await follow(limited.key),
    await follow(reader.key),
  ];
  const { traceId } = assertOk(
    await app.call('POST', '/api/v1/traces', { key: sibling.key, body: buildDecision(sibling.id) }),
  ).body.data;
  const held = await holdOwn();
  assertOk(await decide(held.id, { decision: 'approve' }));
  const listTraces = ({ events }: EventReader) => events.map(({ data }) => data.traceId);
  const all = [traceId, held.traceId, held.traceId];
  await expect.poll(() => listTraces(whole)).toEqual(all);
  await expect.poll(() => listTraces(own)).toEqual(all.slice(1));
  expect(listTraces(scoped)).toEqual([traceId]);
});

test('the stream of a revoked key ends, and an unknown key gets none', async () => {
  const revoked = await createWorkspaceKey(app, ada);
  const stream = await follow(revoked.key);
  const path = `/api/v1/auth/keys/${revoked.id}`;
  assertOk(await app.call('DELETE', path, { token: ada.token }));
  await expect.poll(() => stream.hasEnded()).toBe(true);
  expect((await follow(revoked.key)).status).toBe(401);
});

test('assignment and escalation reach the streams of both instances, once and without an id', async () => {
  const other = await startApp({}, { mongoUri: harness.mongoUri, clock });
  const streams = [await follow(reader.key), await follow(reader.key, {}, other.url)];
  const { id, traceId } = await holdOwn();
  const call = { token: ada.token, body: { assignedTo: ada.userId } };
  assertOk(await app.call('PATCH', `/api/v1/review-queue/${id}/assign`, call));
  for (const stream of streams) await expect.poll(() => listChanges(stream)).toEqual(['assigned']);
  const escalation = { token: ada.token, body: { escalateTo: ada.userId } };
  assertOk(await app.call('POST', `/api/v1/review-queue/${id}/escalate`, escalation));
  assertOk(await decide(id, { decision: 'approve' }));
  for (const stream of streams) {
    await expect.poll(() => listReviews(stream).length).toBe(3);
    expect(listChanges(stream).sort()).toEqual(['approved', 'assigned', 'escalated']);
    expect(listReviews(stream)[0]).toMatchObject({
      id: null,
      data: { traceId, reviewId: id, by: ada.userId },
    });
  }
  await other.stop();
});

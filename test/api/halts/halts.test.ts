// Halts over HTTP: nothing is let go on behind the entry, deadlines stand still, and resuming takes a second person.
import { expireDueReviews } from '../../../src/decisions/traces/review/review-expiry.service.ts';
import { createHash } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { canonicalize, type Json } from '@assay/json';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { createMember, listAuditEntries, toObjectId } from '../../setup/harness.ts';
import {
  assertOk,
  buildDecision,
  createAgent,
  createOwner,
  createWorkspaceKey,
  type Owner,
} from '../../setup/personas.ts';
import { MovedClock } from '../../setup/second-factor.ts';
import { type Answer, toOutcome } from '../../setup/start-app.ts';
import { buildExport, buildToolSpan } from '../../setup/otlp/exports.ts';
import { sendExport } from '../otlp/sending.ts';
import { useReviews } from '../review-queue/review-queue-stage.ts';

const clock = new MovedClock();
const harness = useHarness({}, { clock });
const { app } = harness;
const ada = useOwner(harness);
const { decide, entriesOf, hold, read, verify } = useReviews(harness, ada);
let admin: Owner;
let viewer: Owner;
beforeAll(async () => {
  [admin, viewer] = [
    await createMember(harness, ada, 'admin'),
    await createMember(harness, ada, 'viewer'),
  ];
});

type Agent = Awaited<ReturnType<typeof createAgent>>;
const MINUTE = 60_000;
const halt = (body: object, { token } = ada): Promise<Answer> =>
  app.call('POST', '/api/v1/halts', { token, body });
const resume = (id: string, body: object, { token } = ada): Promise<Answer> =>
  app.call('POST', `/api/v1/halts/${id}/resume`, { token, body });
const getHalt = async (id: string): Promise<Answer['body']['data']> =>
  assertOk(await app.call('GET', `/api/v1/halts/${id}`, { token: ada.token })).body.data;
const post = (agent: Agent, more: object = {}): Promise<Answer> =>
  app.call('POST', '/api/v1/traces', { key: agent.key, body: buildDecision(agent.id, more) });
const claim = (agent: Agent, traceId: string, action: Json): Promise<Answer> =>
  app.call('POST', `/api/v1/traces/${traceId}/executions`, {
    key: agent.key,
    body: { rawActionDigest: createHash('sha256').update(canonicalize(action)).digest('hex') },
  });
/** Two people let it go on. */
async function resumeByTwo(id: string, to = 'resumed'): Promise<void> {
  const asked = await resume(id, { to });
  expect(asked.status).toBe(202);
  const { digest } = asked.body.data.resumption;
  expect((await resume(id, { to, confirm: digest }, admin)).status).toBe(200);
}

test('a halted agent is blocked from the sequence on, with the reason, and others are not', async () => {
  const [till, desk] = [await createAgent(app, ada), await createAgent(app, ada)];
  assertOk(await post(till));
  const halted = await halt({ scope: 'agent', target: till.id, reason: 'It pays twice' });
  expect(halted.status).toBe(201);
  const { id, hashChain } = halted.body.data;
  expect(halted.body.data).toMatchObject({ name: till.name, state: 'halted', target: till.id });
  const blocked = await post(till);
  expect(toOutcome(blocked)).toEqual([403, 'SVC_BLOCKED_BY_POLICY']);
  expect(blocked.body.data).toMatchObject({
    status: 'blocked',
    tags: expect.arrayContaining(['HALTED']),
    matchedPolicy: { name: 'halt', reason: expect.stringContaining('It pays twice') },
    halt: {
      scope: 'agent',
      state: 'halted',
      sequence: hashChain.sequence,
      reason: 'It pays twice',
    },
  });
  expect(blocked.body.data.hashChain.sequence).toBeGreaterThan(hashChain.sequence);
  const shown = await read(blocked.body.data.traceId);
  expect(shown.body.data.halt).toEqual(blocked.body.data.halt);
  assertOk(await post(desk));
  expect(await verify()).toBe(true);
  await resumeByTwo(id);
  assertOk(await post(till));
  expect(await verify()).toBe(true);
});

test('a repetition of an approved request is refused while it is halted, then answered as it was', async () => {
  const till = await createAgent(app, ada);
  const body = buildDecision(till.id);
  const first = assertOk(await app.call('POST', '/api/v1/traces', { key: till.key, body }));
  const { id } = (await halt({ scope: 'agent', target: till.id })).body.data;
  const repeat = () => app.call('POST', '/api/v1/traces', { key: till.key, body });
  expect(toOutcome(await repeat())).toEqual([403, 'HALTED']);
  await resumeByTwo(id);
  const again = assertOk(await repeat());
  expect(again.body.data.traceId).toBe(first.body.data.traceId);
});

test('spans that are sent again while their agent is halted are answered: they let nothing go on', async () => {
  const till = await createAgent(app, ada);
  const spans = buildExport(buildToolSpan());
  expect((await sendExport(app, till.key, spans)).body).toEqual({});
  const { id } = (await halt({ scope: 'agent', target: till.id })).body.data;
  const again = await sendExport(app, till.key, spans);
  expect([again.status, again.body]).toEqual([200, {}]);
  await resumeByTwo(id);
});

test('two presses are one', async () => {
  const till = await createAgent(app, ada);
  const pressed = await Promise.all(
    Array.from({ length: 8 }, () => halt({ scope: 'agent', target: till.id })),
  );
  expect(pressed.map(({ status }) => status).sort()).toEqual([...Array(7).fill(200), 201]);
  expect(new Set(pressed.map(({ body }) => body.data.id)).size).toBe(1);
  expect((await entriesOf(`halt:agent:${till.id}`)).length).toBe(1);
});

test('no approval and no claim stands behind a halt, a rejection does, and what is claimed ends', async () => {
  const till = await createAgent(app, ada);
  const action = { tool: 'refund', amount: 120 };
  const holdOne = () => hold({ agentId: till.id }, till.key);
  const [approved, pending, doomed, begun] = [
    await holdOne(),
    await holdOne(),
    await holdOne(),
    await holdOne(),
  ];
  for (const { id } of [approved, begun]) assertOk(await decide(id, { decision: 'approve' }));
  const { executionId } = assertOk(await claim(till, begun.traceId, action)).body.data;
  const { id } = (await halt({ scope: 'agent', target: till.id })).body.data;
  expect((await getHalt(id)).underWay).toMatchObject({
    total: 1,
    items: [{ traceId: begun.traceId, agentName: till.name }],
  });
  const refused = await claim(till, approved.traceId, action);
  expect(toOutcome(refused)).toEqual([403, 'HALTED']);
  expect(refused.body.data.halt).toMatchObject({ scope: 'agent', state: 'halted' });
  expect(toOutcome(await decide(pending.id, { decision: 'approve' }))).toEqual([403, 'HALTED']);
  assertOk(await decide(doomed.id, { decision: 'reject' }));
  const path = `/api/v1/traces/${begun.traceId}/executions/${executionId}`;
  assertOk(await app.call('PATCH', path, { key: till.key, body: { outcome: 'succeeded' } }));
  expect((await getHalt(id)).underWay.total).toBe(0);
  await resumeByTwo(id);
  assertOk(await decide(pending.id, { decision: 'approve' }));
  assertOk(await claim(till, approved.traceId, action));
  expect(await verify()).toBe(true);
});

test('watched: a person decides what a policy would have approved', async () => {
  const till = await createAgent(app, ada);
  const { id } = (await halt({ scope: 'agent', target: till.id, state: 'watched' })).body.data;
  const held = await post(till);
  expect(held.status).toBe(202);
  expect(held.body.data).toMatchObject({
    status: 'flagged',
    matchedPolicy: { name: 'halt' },
    halt: { state: 'watched' },
  });
  assertOk(await decide(held.body.data.reviewId, { decision: 'approve' }));
  assertOk(await claim(till, held.body.data.traceId, 'reply'));
  expect((await halt({ scope: 'agent', target: till.id })).status).toBe(201);
  expect((await getHalt(id)).state).toBe('halted');
  expect((await halt({ scope: 'agent', target: till.id, state: 'watched' })).body.data.state).toBe(
    'halted',
  );
  await resumeByTwo(id, 'watched');
  expect((await post(till)).status).toBe(202);
  expect((await getHalt(id)).history.map(({ state }: { state: string }) => state)).toEqual([
    'watched',
    'halted',
    'watched',
  ]);
  expect(await verify()).toBe(true);
});

test('deadlines stand still while the action is halted', async () => {
  const till = await createAgent(app, ada);
  const held = await hold({ agentId: till.id, review: { expiresIn: 600 } }, till.key);
  clock.aheadMs += 5 * MINUTE;
  const { id } = (await halt({ scope: 'agent', target: till.id })).body.data;
  clock.aheadMs += 60 * MINUTE;
  await expireDueReviews(app.instance.platform);
  expect(assertOk(await read(held.traceId)).body.data.review.status).toBe('pending');
  await resumeByTwo(id);
  clock.aheadMs += 4 * MINUTE;
  await expireDueReviews(app.instance.platform);
  expect(assertOk(await read(held.traceId)).body.data.review.status).toBe('pending');
  assertOk(await decide(held.id, { decision: 'approve' }));
  assertOk(await claim(till, held.traceId, { tool: 'refund', amount: 120 }));
  const late = await hold({ agentId: till.id, review: { expiresIn: 600 } }, till.key);
  clock.aheadMs += 11 * MINUTE;
  await expireDueReviews(app.instance.platform);
  expect(assertOk(await read(late.traceId)).body.data.review.status).toBe('expired');
});

test('under a watch no lapse of time approves, and other holds end', async () => {
  const [till, desk] = [await createAgent(app, ada), await createAgent(app, ada)];
  const policy = {
    name: 'Approved by lapse',
    conditions: [{ field: 'outputDecision.action', operator: 'equals', value: 'water the plants' }],
    actions: [{ type: 'flag_for_review', config: { expiresIn: 60, onExpiry: 'approve' } }],
  };
  assertOk(await app.call('POST', '/api/v1/policies', { token: ada.token, body: policy }));
  const holdOf = async (agent: Agent) => {
    const body = { outputDecision: { action: 'water the plants' } };
    return assertOk(await post(agent, body)).body.data.traceId as string;
  };
  const statusOf = async (traceId: string) =>
    assertOk(await read(traceId)).body.data.review.status as string;
  const [watched, free] = [await holdOf(till), await holdOf(desk)];
  const { id } = (await halt({ scope: 'agent', target: till.id, state: 'watched' })).body.data;
  clock.aheadMs += 2 * MINUTE;
  await expireDueReviews(app.instance.platform);
  expect([await statusOf(watched), await statusOf(free)]).toEqual(['pending', 'approved']);
  await resumeByTwo(id);
  await expireDueReviews(app.instance.platform);
  expect(await statusOf(watched)).toBe('approved');
});

test('what was confirmed is the halt that was seen', async () => {
  const till = await createAgent(app, ada);
  const { id } = (await halt({ scope: 'agent', target: till.id })).body.data;
  const { digest } = (await resume(id, { to: 'resumed' })).body.data.resumption;
  await resumeByTwo(id, 'watched');
  assertOk(await halt({ scope: 'agent', target: till.id }));
  expect(toOutcome(await resume(id, { to: 'resumed', confirm: digest }, admin))).toEqual([
    400,
    'INVALID_OPERATION',
  ]);
  expect((await getHalt(id)).state).toBe('halted');
});

test.each([
  ['session', (traceId: string) => ({ target: traceId }), { sessionId: 's-1' }],
  ['workspace', () => ({ target: ada.workspaceId }), {}],
  ['organization', () => ({}), {}],
] as const)('the scope %s', async (scope, toTarget, member) => {
  const till = await createAgent(app, ada);
  const first = assertOk(await post(till, member)).body.data;
  const { id } = assertOk(await halt({ scope, ...toTarget(first.traceId) })).body.data;
  expect((await post(till, member)).body.data.halt).toMatchObject({ scope });
  const other = await post(till, { sessionId: 's-2' });
  expect(other.status).toBe(scope === 'session' ? 201 : 403);
  await resumeByTwo(id);
  assertOk(await post(till, member));
});

test('an agent that is not registered is halted by its name', async () => {
  const { key } = await createWorkspaceKey(app, ada);
  const send = (name: string) =>
    app.call('POST', '/api/v1/traces', { key, body: buildDecision(name) });
  assertOk(await halt({ scope: 'agent', target: 'roaming-bot' }));
  expect((await send('roaming-bot')).body.data.halt).toMatchObject({ scope: 'agent' });
  assertOk(await send('another-bot'));
});

test('one person does not resume: another one confirms what they saw, or the owner waits', async () => {
  const till = await createAgent(app, ada);
  const { id } = (await halt({ scope: 'agent', target: till.id })).body.data;
  expect(toOutcome(await resume(id, { to: 'resumed' }, viewer))).toEqual([403, 'FORBIDDEN']);
  const asked = await resume(id, { to: 'resumed' });
  const { digest } = asked.body.data.resumption;
  expect((await resume(id, { to: 'resumed' })).status).toBe(202);
  expect((await resume(id, { to: 'resumed', confirm: digest })).status).toBe(202);
  expect((await resume(id, { to: 'resumed' }, admin)).status).toBe(202);
  expect(toOutcome(await resume(id, { to: 'resumed', confirm: '0'.repeat(64) }, admin))).toEqual([
    400,
    'INVALID_OPERATION',
  ]);
  expect((await post(till)).status).toBe(403);
  clock.aheadMs += 16 * MINUTE;
  expect((await resume(id, { to: 'resumed', confirm: digest })).status).toBe(200);
  assertOk(await post(till));
  expect(toOutcome(await resume(id, { to: 'resumed' }))).toEqual([400, 'INVALID_OPERATION']);
  const [, entry] = await listAuditEntries(app, ada, 'action=halt.resume');
  expect(entry).toMatchObject({ resource: 'halt', metadata: { to: 'resumed', step: 'effect' } });
});

test('a key halts its own agent, and no other', async () => {
  const [till, desk] = [await createAgent(app, ada), await createAgent(app, ada)];
  const haltOwn = (agent: Agent, body: object) =>
    app.call('POST', '/api/v1/halts/own', { key: agent.key, body });
  expect(toOutcome(await haltOwn(till, { scope: 'agent', target: desk.id }))).toEqual([
    403,
    'FORBIDDEN',
  ]);
  expect(toOutcome(await haltOwn(till, { scope: 'workspace' }))).toEqual([403, 'FORBIDDEN']);
  expect((await haltOwn(till, { scope: 'agent', reason: 'I loop' })).status).toBe(201);
  expect((await post(till)).body.data.halt.reason).toBe('I loop');
  assertOk(await post(desk));
});

test.each([
  [{ scope: 'agent' }, 400, 'VALIDATION_ERROR'],
  [{ scope: 'agent', target: 'f'.repeat(24) }, 404, 'NOT_FOUND'],
  [{ scope: 'workspace', target: 'main' }, 404, 'NOT_FOUND'],
  [{ scope: 'person', target: 'f'.repeat(24) }, 404, 'NOT_FOUND'],
  [{ scope: 'session', target: 'trc_none' }, 404, 'NOT_FOUND'],
  [{ scope: 'everything' }, 400, 'VALIDATION_ERROR'],
  [{ scope: 'organization', reason: 'x'.repeat(501) }, 400, 'VALIDATION_ERROR'],
])('%j is refused', async (body, status, code) => {
  expect(toOutcome(await halt(body))).toEqual([status, code]);
});

test('organisations are apart, and a viewer halts nothing', async () => {
  const eve = await createOwner(app, 'Eve');
  const till = await createAgent(app, ada);
  const { id } = (await halt({ scope: 'agent', target: till.id })).body.data;
  expect((await app.call('GET', `/api/v1/halts/${id}`, { token: eve.token })).status).toBe(404);
  expect(toOutcome(await halt({ scope: 'agent', target: till.id }, eve))).toEqual([
    404,
    'NOT_FOUND',
  ]);
  expect(toOutcome(await halt({ scope: 'organization' }, viewer))).toEqual([403, 'FORBIDDEN']);
  assertOk(await halt({ scope: 'organization' }, eve));
  assertOk(await post(await createAgent(app, ada)));
  const listed = assertOk(
    await app.call('GET', '/api/v1/halts?binding=true&scope=agent', { token: ada.token }),
  ).body.data;
  expect(listed.map((item: { id: string }) => item.id)).toContain(id);
});

test('owners and admins hear of a halt and of its end, by name', async () => {
  const till = await createAgent(app, ada, 'Till <b>four</b>');
  const { id } = (await halt({ scope: 'agent', target: till.id })).body.data;
  await resumeByTwo(id);
  await app.instance.runJobsOnce();
  const noticesOf = async ({ userId }: Owner): Promise<string[]> => {
    const link = `/console/halts/${id}`;
    const found = harness.db.collection('notifications').find({ userId: toObjectId(userId), link });
    return (await found.toArray()).map(({ title }) => title as string);
  };
  for (const who of [ada, admin])
    expect(await noticesOf(who)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^Halted: .*Till/),
        expect.stringMatching(/^Resumed: .*Till/),
      ]),
    );
  expect(await noticesOf(viewer)).toEqual([]);
});

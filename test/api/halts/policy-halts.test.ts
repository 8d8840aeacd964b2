// Policies that halt what they block: one entry by the service, whose end takes people (guides: halts).
import { beforeAll, expect, test } from 'vitest';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { createMember, toObjectId } from '../../setup/harness.ts';
import {
  assertOk,
  buildDecision,
  createAgent,
  createWorkspaceKey,
  type Owner,
} from '../../setup/personas.ts';
import { type Answer, startApp, toOutcome } from '../../setup/start-app.ts';
import { useReviews } from '../review-queue/review-queue-stage.ts';

const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);
const { entriesOf, read, verify } = useReviews(harness, ada);
let admin: Owner;
beforeAll(async () => {
  admin = await createMember(harness, ada, 'admin');
  await createHalting('Leaks secrets', 'leak', { halt: 'agent', reason: 'It sends keys away' });
  await createHalting('Wanders off', 'wander', { halt: 'session' });
});

type Agent = Awaited<ReturnType<typeof createAgent>>;
const toPolicy = (name: string, tool: string, config: object, type = 'block') => ({
  name,
  conditions: [{ field: 'action.names', operator: 'contains', value: tool }],
  actions: [{ type, config }],
});
const createHalting = async (...of: Parameters<typeof toPolicy>): Promise<string> => {
  const body = toPolicy(...of);
  const made = await app.call('POST', '/api/v1/policies', { token: ada.token, body });
  return assertOk(made).body.data._id as string;
};
const use = (tool: string, more: object = {}) => ({
  outputDecision: { action: { tool } },
  ...more,
});
const post = (agent: Agent, more: object = {}, on = app): Promise<Answer> =>
  on.call('POST', '/api/v1/traces', { key: agent.key, body: buildDecision(agent.id, more) });
const listHalts = async (): Promise<Record<string, unknown>[]> =>
  assertOk(await app.call('GET', '/api/v1/halts?binding=true', { token: ada.token })).body.data;
const haltOf = async ({ id }: Agent) => (await listHalts()).find(({ target }) => target === id);

test('two blocks at once are one halt, behind which nothing of the agent is approved', async () => {
  const till = await createAgent(app, ada);
  const desk = await createAgent(app, ada);
  assertOk(await post(till));
  const blocked = await Promise.all(Array.from({ length: 4 }, () => post(till, use('leak'))));
  expect(new Set(blocked.map((answer) => toOutcome(answer).join(' ')))).toEqual(
    new Set(['403 SVC_BLOCKED_BY_POLICY']),
  );
  const halts = { policy: expect.any(String), name: 'Leaks secrets', scope: 'agent' };
  expect(blocked[0]?.body.data).toMatchObject({ halts });
  expect((await read(blocked[0]?.body.data.traceId)).body.data).toMatchObject({ halts });
  expect(await entriesOf(`halt:agent:${till.id}`)).toHaveLength(1);
  const stop = await haltOf(till);
  expect(stop).toMatchObject({ state: 'halted', by: null, name: till.name });
  expect(stop?.['reason']).toMatch(
    /^The policy "Leaks secrets" blocked trc_\S+: It sends keys away$/,
  );
  expect((await post(till)).body.data.halt).toMatchObject({ scope: 'agent', state: 'halted' });
  assertOk(await post(desk));
  expect(await verify()).toBe(true);
});

test('people let it go on, and the same decision delivered again halts nothing more', async () => {
  const till = await createAgent(app, ada);
  await post(till, use('leak'));
  const { id } = (await haltOf(till)) as { id: string };
  const path = `/api/v1/halts/${id}/resume`;
  const asked = await app.call('POST', path, { token: ada.token, body: { to: 'resumed' } });
  const confirm = asked.body.data.resumption.digest as string;
  const body = { to: 'resumed', confirm };
  assertOk(await app.call('POST', path, { token: admin.token, body }));
  await app.instance.runJobsOnce();
  await app.instance.runJobsOnce();
  expect(await haltOf(till)).toBeUndefined();
  assertOk(await post(till));
  expect((await entriesOf(`halt:agent:${till.id}`)).length).toBe(2);
});

test('a session alone is halted, and where there is none its agent', async () => {
  const [till, desk] = [await createAgent(app, ada), await createAgent(app, ada)];
  await post(till, use('wander', { sessionId: 's-1' }));
  expect((await post(till, { sessionId: 's-1' })).body.data.halt).toMatchObject({
    scope: 'session',
  });
  assertOk(await post(till, { sessionId: 's-2' }));
  expect((await listHalts())[0]).toMatchObject({ scope: 'session', name: `s-1 of ${till.name}` });
  await post(desk, use('wander'));
  expect((await post(desk, { sessionId: 's-3' })).body.data.halt).toMatchObject({ scope: 'agent' });
  expect(await verify()).toBe(true);
});

test('an agent that is not registered, by a batch', async () => {
  const { key } = await createWorkspaceKey(app, ada);
  const body = { decisions: [buildDecision('walk-in', use('leak'))] };
  assertOk(await app.call('POST', '/api/v1/traces/batch', { key, body }));
  const one = { key, body: buildDecision('walk-in') };
  const next = await app.call('POST', '/api/v1/traces', one);
  expect(next.body.data.halt).toMatchObject({ scope: 'agent', state: 'halted' });
});

test('beyond a limit, and a policy that only observes halts nothing', async () => {
  const [till, desk] = [await createAgent(app, ada), await createAgent(app, ada)];
  const limit = { of: 'acts', per: 'agent', window: '1h', most: 1 };
  await createHalting('Runs away', 'run', { halt: 'agent', limit });
  assertOk(await post(till, use('run')));
  expect(await haltOf(till)).toBeUndefined();
  expect((await post(till, use('run'))).status).toBe(403);
  expect(await haltOf(till)).toMatchObject({ state: 'halted' });
  const body = { ...toPolicy('Only looks', 'look', { halt: 'agent' }), observe: true };
  assertOk(await app.call('POST', '/api/v1/policies', { token: ada.token, body }));
  assertOk(await post(desk, use('look')));
  expect(await haltOf(desk)).toBeUndefined();
});

test('an instance that ends before it halts: another one does, from the record', async () => {
  const till = await createAgent(app, ada);
  const ended = await startApp({}, { mongoUri: harness.mongoUri });
  const { attestations } = ended.instance.platform.ledger;
  Object.assign(attestations, { appendUnless: () => Promise.reject(new Error('it ended')) });
  const answer = await post(till, use('leak'), ended);
  expect(answer.status).toBe(500);
  await ended.stop();
  expect(await haltOf(till)).toBeUndefined();
  await app.instance.runJobsOnce();
  await app.instance.runJobsOnce();
  expect(await haltOf(till)).toMatchObject({ state: 'halted' });
  expect((await post(till)).status).toBe(403);
});

test('another action is refused, and a dry run says what would be halted', async () => {
  const call = (path: string, body: object) =>
    app.call('POST', `/api/v1/policies${path}`, { token: ada.token, body });
  const policy = toPolicy('Leaks', 'leak', { halt: 'session' });
  const dry = await call('/_new/dry-run', { policy, fixture: use('leak') });
  expect(dry.body.data).toMatchObject({ verdict: 'blocked', halts: 'session' });
  const held = await call('', toPolicy('Holds', 'leak', { halt: 'agent' }, 'flag_for_review'));
  expect(toOutcome(held)).toEqual([400, 'VALIDATION_ERROR']);
  expect(JSON.stringify(held.body)).toContain('halt is for the action block');
  const wide = await call('', toPolicy('Wide', 'leak', { halt: 'organization' }));
  expect(JSON.stringify(wide.body)).toContain('halt must be session or agent');
});

test('a committed halt that is altered is found', async () => {
  const till = await createAgent(app, ada);
  const { traceId } = (await post(till, use('leak'))).body.data;
  const row = { organizationId: toObjectId(ada.organizationId), traceId, kind: 'trace' };
  const ledger = harness.db.collection('ledger');
  const alter = async (scope: string): Promise<void> => {
    await ledger.updateOne(row, { $set: { 'answer.halts.scope': scope } });
  };
  await alter('session');
  expect(await verify()).toBe(false);
  await alter('agent');
  expect(await verify()).toBe(true);
});

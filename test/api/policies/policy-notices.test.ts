// The action `notify` over HTTP: who is notified of a policy's match, and how often (docs/guides/policies.md, notices).
import { beforeAll, expect, test } from 'vitest';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { createMember } from '../../setup/harness.ts';
import { createWorkspaceKey, buildDecision, assertOk, type Owner } from '../../setup/personas.ts';

const MINUTE = 60_000;
let ahead = 0;
const harness = useHarness({}, { clock: { now: () => new Date(Date.now() + ahead) } });
const { app } = harness;
const ada = useOwner(harness);
const eve = useOwner(harness, 'Eve');
let key: string;
beforeAll(async () => {
  ({ key } = await createWorkspaceKey(app, ada));
});

const on = (action: string, ...actions: object[]) => ({
  name: `On ${action}`,
  conditions: [{ field: 'outputDecision.action', operator: 'equals', value: action }],
  actions,
});
const notify = (reason?: string) => ({ type: 'notify', ...(reason && { config: { reason } }) });
async function create(policy: object): Promise<string> {
  return assertOk(await app.call('POST', '/api/v1/policies', { token: ada.token, body: policy }))
    .body.data._id;
}
async function post(action: string) {
  const body = buildDecision('Zebra Till', { outputDecision: { action } });
  const { data } = (await app.call('POST', '/api/v1/traces', { key, body })).body;
  return data as { traceId: string; status: string };
}
/** Runs the consumers and returns the user's notifications, newest first. */
async function loadNotices({ token }: Pick<Owner, 'token'> = ada) {
  await app.instance.runJobsOnce();
  const { body } = assertOk(await app.call('GET', '/api/v1/notifications', { token }));
  return body.data as { type: string; title: string; body: string; link: string }[];
}

test('notifies owners and admins in the policy’s words, and no other member', async () => {
  const [admin, member] = [
    await createMember(harness, ada, 'admin'),
    await createMember(harness, ada, 'member'),
  ];
  await create(on('hand over', notify('A person takes over')));
  const { traceId, status } = await post('hand over');
  expect(status).toBe('approved');
  const [notice, ...others] = await loadNotices();
  expect(others).toEqual([]);
  expect(notice).toMatchObject({
    type: 'alert',
    title: 'Policy “On hand over” has matched',
    body: `The decision ${traceId} was approved. A person takes over`,
    link: `/console/decisions/${traceId}`,
  });
  expect(JSON.stringify(notice)).not.toContain('Zebra');
  expect(await loadNotices(admin)).toHaveLength(1);
  expect([await loadNotices(member), await loadNotices(eve)]).toEqual([[], []]);
});

test('a policy notifies once in five minutes, independently of other policies', async () => {
  const before = (await loadNotices()).length;
  await create(on('deploy', notify()));
  for (const action of ['deploy', 'deploy', 'hand over']) await post(action);
  expect((await loadNotices()).length - before).toBe(1);
  ahead += 4 * MINUTE;
  await post('deploy');
  expect((await loadNotices()).length - before).toBe(1);
  ahead += 2 * MINUTE;
  for (const action of ['deploy', 'hand over']) await post(action);
  expect((await loadNotices()).length - before).toBe(3);
});

test('a policy notifies also when another action or policy decides', async () => {
  await create(on('wipe', { type: 'block' }, notify('An attempt to wipe')));
  await create(on('wipe', notify()));
  const { traceId, status } = await post('wipe');
  expect(status).toBe('blocked');
  const [newest, second] = await loadNotices();
  const texts = [newest?.body, second?.body].sort();
  expect(texts).toEqual([
    `The decision ${traceId} was blocked. An attempt to wipe`,
    expect.stringContaining(`The decision ${traceId} was blocked. outputDecision.action is`),
  ]);
});

test('does not notify users who opted out, nor for policies without the action', async () => {
  const before = (await loadNotices()).length;
  await create(on('reply late', { type: 'approve' }));
  await post('reply late');
  expect((await loadNotices()).length).toBe(before);
  const body = { notificationOptOuts: { inApp: ['alert'] } };
  assertOk(await app.call('PATCH', '/api/v1/auth/me/preferences', { token: ada.token, body }));
  await create(on('silent', notify()));
  await post('silent');
  expect((await loadNotices()).length).toBe(before);
});

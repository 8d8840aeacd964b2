// Persons who are no active members any more: nothing is done for them from an entry of the record on.
// @module-tag long
import { beforeAll, expect, test } from 'vitest';
import { createMember } from '../../../setup/harness.ts';
import { assertOk, buildDecision, type Owner } from '../../../setup/personas.ts';
import { createDirectory, type Directory, USER_URN } from '../../../setup/scim.ts';
import { toOutcome } from '../../../setup/start-app.ts';
import { ACCESS, JWT, useTrustStage } from './trust-stage.ts';

const stage = useTrustStage();
const { app, harness, ada } = stage;
const { claim, createTrustingAgent, exchange } = stage;
let scim: Directory;
let at: Awaited<ReturnType<typeof createTrustingAgent>>;
beforeAll(async () => {
  scim = await createDirectory(app, ada);
  at = await createTrustingAgent();
});

const runFor = async ({ token }: Owner): Promise<string> => {
  const form = {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    audience: at.agent.id,
    subject_token: token,
    subject_token_type: ACCESS,
    actor_token: at.realm.sign(claim(at.realm)),
    actor_token_type: JWT,
  };
  return assertOk(await exchange(form)).body.access_token as string;
};
const post = (key: string) =>
  app.call('POST', '/api/v1/traces', { key, body: buildDecision(at.agent.id) });
const halts = async ({ userId }: Owner) => {
  const all = assertOk(await app.call('GET', '/api/v1/halts', { token: ada.token })).body.data;
  return (all as { target: string }[]).filter(({ target }) => target === userId);
};
const member = (method: string, { userId }: Owner, more = '') =>
  app.call(method, `/api/v1/team/members/${userId}${more}`, { token: ada.token });
const putActive = (who: Owner, active: boolean) =>
  scim.call('PUT', `/Users/${who.userId}`, {
    schemas: [USER_URN],
    userName: `${who.userId}@example.com`,
    active,
  });
const patchActive = (who: Owner, active: boolean) =>
  scim.call('PATCH', `/Users/${who.userId}`, {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
    Operations: [{ op: 'replace', path: 'active', value: active }],
  });

test.each<[string, (who: Owner) => Promise<{ status: number }>, ((who: Owner) => unknown)?]>([
  [
    'suspended',
    (who) => member('PATCH', who, '/status'),
    (who) => member('PATCH', who, '/reactivate'),
  ],
  ['removed', (who) => member('DELETE', who)],
  [
    'SCIM delete',
    (who) => scim.call('DELETE', `/Users/${who.userId}`),
    (w) => patchActive(w, true),
  ],
  ['SCIM patch', (who) => patchActive(who, false), (who) => patchActive(who, true)],
  ['SCIM put', (who) => putActive(who, false), (who) => putActive(who, true)],
])('%s', async (_how, revoke, restore) => {
  const eve = await createMember(harness, ada, 'reviewer');
  const key = await runFor(eve);
  assertOk(await post(key));
  expect((await revoke(eve)).status).toBeLessThan(300);
  await app.instance.runJobsOnce();
  const blocked = await post(key);
  expect(toOutcome(blocked)).toEqual([403, 'SVC_BLOCKED_BY_POLICY']);
  expect(blocked.body.data.halt).toMatchObject({
    scope: 'person',
    reason: 'No longer an active member',
  });
  expect(await halts(eve)).toMatchObject([
    { state: 'halted', by: null, cause: 'membership', scope: 'person' },
  ]);
  if (!restore) return;
  await restore(eve);
  await app.instance.runJobsOnce();
  await app.instance.runJobsOnce();
  expect(await halts(eve)).toMatchObject([{ state: 'resumed', cause: 'membership' }]);
  assertOk(await post(key));
  const verified = await app.call('POST', '/api/v1/hash-chain/verify', { token: ada.token });
  expect(verified.body.data.verified).toBe(true);
});

test('what people halted stays halted after a reactivation', async () => {
  const eve = await createMember(harness, ada, 'reviewer');
  const body = { scope: 'person', target: eve.userId, reason: 'Looked at' };
  assertOk(await app.call('POST', '/api/v1/halts', { token: ada.token, body }));
  assertOk(await member('PATCH', eve, '/status'));
  await app.instance.runJobsOnce();
  assertOk(await member('PATCH', eve, '/reactivate'));
  await app.instance.runJobsOnce();
  expect(await halts(eve)).toMatchObject([{ state: 'halted', cause: null, reason: 'Looked at' }]);
});

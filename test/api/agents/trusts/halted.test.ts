// Halts and agents without keys: a halted agent gets no token, and a halted person is acted for by none.
import { expect, test } from 'vitest';
import { createMember } from '../../../setup/harness.ts';
import { assertOk, buildDecision } from '../../../setup/personas.ts';
import { toOutcome } from '../../../setup/start-app.ts';
import { ACCESS, JWT, useTrustStage } from './trust-stage.ts';

const stage = useTrustStage();
const { app, harness, ada } = stage;
const { claim, createTrustingAgent, exchange } = stage;

type At = Awaited<ReturnType<typeof createTrustingAgent>>;
const GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange';
const actFor = (at: At, token: string) =>
  exchange({
    grant_type: GRANT,
    audience: at.agent.id,
    subject_token: token,
    subject_token_type: ACCESS,
    actor_token: at.realm.sign(claim(at.realm)),
    actor_token_type: JWT,
  });
const actAlone = (at: At) =>
  exchange({
    grant_type: GRANT,
    audience: at.agent.id,
    subject_token: at.realm.sign(claim(at.realm)),
    subject_token_type: JWT,
  });
const halt = (body: object) =>
  app.call('POST', '/api/v1/halts', { token: ada.token, body: { reason: 'Looked at', ...body } });
const post = (key: string, at: At) =>
  app.call('POST', '/api/v1/traces', { key, body: buildDecision(at.agent.id) });
const verify = async () =>
  assertOk(await app.call('POST', '/api/v1/hash-chain/verify', { token: ada.token })).body.data;

test('a halted agent gets no token, and the one it has permits nothing', async () => {
  const at = await createTrustingAgent();
  const { access_token: key } = assertOk(await actAlone(at)).body;
  assertOk(await post(key, at));
  assertOk(await halt({ scope: 'agent', target: at.agent.id }));
  const refused = await actAlone(at);
  expect(refused.status).toBe(400);
  expect(refused.body).toMatchObject({
    error: 'invalid_grant',
    error_description: expect.stringContaining('Looked at'),
  });
  expect(toOutcome(await post(key, at))).toEqual([403, 'SVC_BLOCKED_BY_POLICY']);
});

test('nothing is done for a halted person, by no agent; for others it is', async () => {
  const [at, other] = [await createTrustingAgent(), await createTrustingAgent()];
  const eve = await createMember(harness, ada, 'admin');
  const { access_token: forEve } = assertOk(await actFor(at, eve.token)).body;
  const { access_token: forAda } = assertOk(await actFor(at, ada.token)).body;
  const held = assertOk(await post(forEve, at)).body.data;
  expect(held.status).toBe('approved');
  assertOk(await halt({ scope: 'person', target: eve.userId }));
  const blocked = await post(forEve, at);
  expect(toOutcome(blocked)).toEqual([403, 'SVC_BLOCKED_BY_POLICY']);
  expect(blocked.body.data.halt).toMatchObject({ scope: 'person', reason: 'Looked at' });
  expect((await actFor(other, eve.token)).body.error).toBe('invalid_grant');
  assertOk(await post(forAda, at));
  expect((await verify()).verified).toBe(true);
});

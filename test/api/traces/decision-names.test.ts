// A decision is found by its `traceId` or its object id, and its erasures and replays are listed.
import { expect, test } from 'vitest';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { assertOk, buildDecision, createAgent, createWorkspaceKey } from '../../setup/personas.ts';

const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);
const eve = useOwner(harness, 'Eve');

test('session and key read a decision by either name, and filter the list by traceId', async () => {
  const { key } = await createWorkspaceKey(app, ada);
  const post = () => app.call('POST', '/api/v1/traces', { key, body: buildDecision('x') });
  const { traceId } = assertOk(await post()).body.data;
  await post();
  for (const caller of [{ token: ada.token }, { key }]) {
    const { body } = assertOk(await app.call('GET', `/api/v1/traces/${traceId}`, caller));
    const again = await app.call('GET', `/api/v1/traces/${body.data._id}`, caller);
    expect(again.body.data).toEqual(body.data);
    const list = await app.call('GET', `/api/v1/traces?traceId=${traceId}`, caller);
    expect([list.body.total, list.body.data[0].traceId]).toEqual([1, traceId]);
  }
  const stranger = { token: eve.token };
  expect((await app.call('GET', `/api/v1/traces/${traceId}`, stranger)).status).toBe(404);
  const none = await app.call('GET', `/api/v1/traces?traceId=${traceId}`, stranger);
  expect([none.status, none.body.total]).toEqual([200, 0]);
  expect((await app.call('GET', '/api/v1/traces?traceId=x', stranger)).status).toBe(400);
});

test('the ML-BOM behind a decision is found by either name', async () => {
  const agent = await createAgent(app, ada);
  const posted = await app.call('POST', '/api/v1/traces', {
    key: agent.key,
    body: buildDecision(agent.id),
  });
  const { traceId } = assertOk(posted).body.data;
  const { token } = ada;
  const body = { modelMetadata: { modelName: 'm-1' } };
  assertOk(await app.call('PATCH', `/api/v1/agents/${agent.id}`, { token, body }));
  const { _id } = assertOk(await app.call('GET', `/api/v1/traces/${traceId}`, { token })).body.data;
  const [one, other] = [traceId, _id].map((id) =>
    app.call('GET', `/api/v1/traces/${id}/ml-bom`, { token }),
  );
  expect(assertOk(await one!).body.digest).toBe(assertOk(await other!).body.digest);
  const strange = await app.call('GET', `/api/v1/traces/${traceId}/ml-bom`, { token: eve.token });
  expect(strange.status).toBe(404);
});

test('erasures and replays are listed newest first, to their organisation alone', async () => {
  const { key } = await createWorkspaceKey(app, ada);
  const posted = await app.call('POST', '/api/v1/traces', { key, body: buildDecision('x') });
  const body = { traceIds: [assertOk(posted).body.data.traceId], reason: 'asked for' };
  const erasure = assertOk(
    await app.call('POST', '/api/v1/erasure/acknowledge', { token: ada.token, body }),
  ).body.data;
  const policy = { name: 'On x', conditions: [], actions: [{ type: 'notify' }] };
  const replay = assertOk(
    await app.call('POST', '/api/v1/policies/_new/replay', { token: ada.token, body: { policy } }),
  ).body.data;
  for (const [path, name, value] of [
    ['/api/v1/erasure', 'acknowledgementId', erasure.acknowledgementId],
    ['/api/v1/policies/replays', 'id', replay.id],
  ] as const) {
    const listed = assertOk(await app.call('GET', path, { token: ada.token })).body;
    expect([listed.total, listed.data[0][name]]).toEqual([1, value]);
    expect((await app.call('GET', path, { token: eve.token })).body.total).toBe(0);
  }
});

// No webhook and no alert reaches what it may not: refused when it is saved, and not connected to where it was saved before.
// @module-tag long
import { createServer, type AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { useFixture, useHarness, useOwner } from '../../setup/fixtures.ts';
import { toObjectId } from '../../setup/harness.ts';
import { listHostileUrls } from '../../setup/hostile-urls.ts';
import { createWorkspaceKey, buildDecision, assertOk } from '../../setup/personas.ts';
import { toOutcome, type Answer } from '../../setup/start-app.ts';
import { findSubscribers } from '../../../src/events/webhooks/subscriptions.service.ts';

/** Records every connection to this machine. */
async function startTrap() {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '::', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    get connections() {
      return connections;
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

const trap = useFixture(startTrap, (one) => one.close());
const harness = useHarness({ ASSAY_WEBHOOK_TIMEOUT_MS: '1500' });
const { app } = harness;
const ada = useOwner(harness);

const condition = { field: 'confidenceScore', operator: 'gte', value: 0 };
const create = (what: string, body: object): Promise<Answer> =>
  app.call('POST', `/api/v1/${what}`, { token: ada.token, body });
const rule = (type: string, target: string): object => ({
  name: target.slice(0, 100),
  condition,
  actions: [{ type, target }],
});

test('there are more than sixty of them', () => {
  expect(new Set(listHostileUrls(443)).size).toBeGreaterThan(60);
});

test('each is refused for webhooks and alerts, when they are made and when they are changed', async () => {
  const url = 'https://hooks.example.com/';
  const webhook = assertOk(await create('webhooks', { url, events: ['*'], isActive: false })).body
    .data;
  const alert = assertOk(await create('alerts', { ...rule('chat', url), isActive: false })).body
    .data;
  for (const target of listHostileUrls(trap.port)) {
    const answers = [
      await create('webhooks', { url: target, events: ['*'] }),
      await create('alerts', rule('webhook', target)),
      await create('alerts', rule('chat', target)),
      await app.call('PATCH', `/api/v1/webhooks/${webhook.id}`, {
        token: ada.token,
        body: { url: target },
      }),
      await app.call('PATCH', `/api/v1/alerts/${alert.id}`, {
        token: ada.token,
        body: { actions: [{ type: 'webhook', target }] },
      }),
    ];
    expect(new Set(answers.map((answer) => toOutcome(answer).join(' '))), target).toEqual(
      new Set(['400 SSRF_BLOCKED']),
    );
  }
  expect(trap.connections).toBe(0);
}, 120_000);

test('each is reached by no delivery, no action and no test, where it was saved before', async () => {
  const organizationId = toObjectId(ada.organizationId);
  const urls = listHostileUrls(trap.port);
  const { key } = await createWorkspaceKey(app, ada);
  const webhook = assertOk(
    await create('webhooks', { url: 'https://hooks.example.com/1', events: ['trace.created'] }),
  ).body.data;
  const alert = assertOk(await create('alerts', rule('chat', 'https://hooks.example.com/2'))).body
    .data;
  const actions = urls.flatMap((target) => ['chat', 'webhook'].map((type) => ({ type, target })));
  await harness.db
    .collection('alert_rules')
    .updateOne({ _id: toObjectId(alert.id) }, { $set: { actions } });
  const row = await harness.db.collection('webhooks').findOne({ _id: toObjectId(webhook.id) });
  const { vault } = app.instance.platform;
  await harness.db.collection('webhooks').insertMany(
    urls.map((url, index) => {
      const _id = toObjectId(index.toString(16).padStart(24, 'a'));
      const secret = vault.encrypt('whsec_AAAA', `webhook ${_id.toHexString()} signing secret`);
      return { ...row, _id, url, fingerprint: String(index), sealedSecret: secret };
    }),
  );
  // The changes above bypass the app, which learns of them from the database.
  await expect
    .poll(
      async () =>
        (
          await findSubscribers(app.instance.platform, ada.organizationId, {
            event: 'trace.created',
            workspaceId: null,
          })
        ).length,
    )
    .toBe(urls.length + 1);
  assertOk(await app.call('POST', '/api/v1/traces', { key, body: buildDecision('bot') }));
  await app.instance.runJobsOnce();
  await app.instance.runJobsOnce();
  const outbox = harness.db.collection('outbox');
  const blocked = { organizationId, lastError: 'SSRF_BLOCKED' };
  expect(await outbox.countDocuments({ ...blocked, topic: 'webhook' })).toBe(urls.length);
  expect(await outbox.countDocuments({ ...blocked, topic: 'alert' })).toBe(actions.length);
  const tried = await app.call('POST', `/api/v1/alerts/${alert.id}/test`, { token: ada.token });
  expect(toOutcome(tried)).toEqual([400, 'TEST_FAILED']);
  const errors = tried.body.data.actions.map(({ error }: { error: string }) => error);
  expect(new Set(errors)).toEqual(new Set(['SSRF_BLOCKED']));
  for (const index of urls.keys()) {
    const id = index.toString(16).padStart(24, 'a');
    const test = await app.call('POST', `/api/v1/webhooks/${id}/test`, { token: ada.token });
    expect(toOutcome(test)).toEqual([400, 'SSRF_BLOCKED']);
  }
  expect(trap.connections).toBe(0);
}, 120_000);

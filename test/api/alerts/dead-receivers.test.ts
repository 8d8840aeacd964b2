// Receivers that never answer: however many an organisation names, mail and the webhooks of others come as always.
import { afterAll, expect, test } from 'vitest';
import { useFixture, useHarness, useOwner } from '../../setup/fixtures.ts';
import {
  createOwner,
  createWorkspaceKey,
  buildDecision,
  assertOk,
  type Owner,
} from '../../setup/personas.ts';
import { startMailServer } from '../../setup/providers/mail-server.ts';
import { startReceiver } from '../../setup/providers/receiver.ts';

const dead = useFixture(startReceiver, (one) => one.close());
const good = useFixture(startReceiver, (one) => one.close());
const mail = useFixture(startMailServer, (server) => server.close());
const harness = useHarness(() => ({
  ASSAY_OUTBOUND_ALLOW: `${dead.host},${good.host}`,
  SMTP_URL: mail.url,
  // No dead receiver is given up during the test, however busy the machine is.
  ASSAY_WEBHOOK_TIMEOUT_MS: '30000',
}));
const { app } = harness;
const ada = useOwner(harness);
// Must close before the app stops, which waits for deliveries under way.
afterAll(() => dead.close());

const decide = async (who: Owner) => {
  const { key } = await createWorkspaceKey(app, who);
  assertOk(await app.call('POST', '/api/v1/traces', { key, body: buildDecision('bot') }));
};
async function rule(n: number): Promise<void> {
  const targets = Array.from({ length: 10 }, (_target, at) => `/${n}-${at}`);
  for (const path of targets) dead.answers.set(path, () => undefined);
  const body = {
    name: `Rule ${n}`,
    condition: { field: 'confidenceScore', operator: 'gte', value: 0 },
    actions: targets.map((path) => ({ type: 'webhook', target: dead.url + path })),
  };
  assertOk(await app.call('POST', '/api/v1/alerts', { token: ada.token, body }));
}

test(
  'one decision that goes to a hundred of them delays neither mail nor the webhook of another organisation',
  { tags: ['long'] },
  async () => {
    const bob = await createOwner(app);
    const webhook = { url: `${good.url}/bob`, events: ['*'] };
    assertOk(await app.call('POST', '/api/v1/webhooks', { token: bob.token, body: webhook }));
    for (let n = 0; n < 10; n++) await rule(n);
    await decide(ada);
    await expect.poll(() => dead.received.length).toBeGreaterThanOrEqual(8);

    const address = 'newcomer@example.com';
    const asked = { email: address };
    assertOk(await app.call('POST', '/api/v1/auth/request-signup', { body: asked }));
    await decide(bob);
    const hasMail = () => mail.received.some(({ recipients }) => recipients.includes(address));
    await expect.poll(() => good.listMessages('/bob').length).toBeGreaterThan(0);
    await expect.poll(hasMail).toBe(true);
    expect(dead.received.length).toBeLessThanOrEqual(16);
  },
);

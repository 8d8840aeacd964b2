// The log of a whole run at its most talkative level holds no secret of anybody.
import { settleSignInFailures } from '../../../src/identity/auth/accounts/sign-in-failures.service.ts';
import { expect, test } from 'vitest';
import { generateHex } from '../../../src/platform/ids.ts';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { createAgent, buildDecision, assertOk, createWorkspaceKey } from '../../setup/personas.ts';

const secrets = {
  jwt: `canary-jwt-${generateHex(16)}`,
  formerJwt: [],
  ledgerKey: `canary-ledger-${generateHex(16)}`,
  encryptionKey: `canary-encryption-${generateHex(16)}`,
  formerEncryption: [],
};
const harness = useHarness(
  { LOG_LEVEL: 'trace', ASSAY_METRICS_TOKEN: 'canary-metrics-token' },
  { secrets },
);
const { app } = harness;
const ada = useOwner(harness);

test('passwords, tokens, keys and payloads are in no line, whether a request succeeds or fails', async () => {
  const canary = `Canary-Password-${generateHex(8)}`;
  const payload = `canary-payload-${generateHex(8)}`;
  const account = {
    name: 'C',
    email: `c-${generateHex(4)}@example.com`,
    password: canary,
    organizationName: 'C',
  };
  const { token } = assertOk(await app.call('POST', '/api/v1/auth/register', { body: account }))
    .body.data;
  await app.call('POST', '/api/v1/auth/register', { body: account });
  await app.call('POST', '/api/v1/auth/login', {
    body: { email: account.email, password: `${canary}-wrong` },
  });
  await app.call('POST', '/api/v1/auth/login', { raw: `{"password":"${canary}"` });
  const { key } = await createWorkspaceKey(app, ada);
  const bot = await createAgent(app, ada);
  const body = buildDecision(bot.id, { metadata: { note: payload } });
  assertOk(await app.call('POST', '/api/v1/traces', { key, body }));
  assertOk(await app.call('POST', '/api/v1/traces', { key: bot.key, body: buildDecision(bot.id) }));
  await app.call('POST', '/api/v1/traces', { key, body: { ...body, inputContext: payload } });
  for (const credential of [token, key, bot.key, `${key}x`]) {
    await app.call('GET', '/api/v1/auth/me', { token: credential });
    await app.call('GET', '/api/v1/traces', { key: credential });
    await app.call('GET', `/api/v1/traces?token=${credential}&search=${payload}`, {
      token: ada.token,
    });
  }
  await app.call('GET', '/metrics', { token: 'canary-metrics-token' });
  await app.instance.runJobsOnce();
  await settleSignInFailures(app.instance.platform);
  const log = app.logged.join('');
  expect(log).toContain('/api/v1/auth/login');
  const canaries = [
    canary,
    token,
    ada.token,
    key,
    bot.key,
    payload,
    secrets.jwt,
    secrets.ledgerKey,
    secrets.encryptionKey,
    'canary-metrics-token',
  ];
  for (const secret of canaries) expect(log.includes(secret), secret).toBe(false);
});

// The key of the logs inside a key management service: it signs checkpoints there, and ingestion never waits for it.
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { isSignedBy, parseNote, toRawPublicKey } from '@assay/tlog';
import { loadConfig } from '../../../src/config/config.ts';
import { useFixture, useHarness, useOwner } from '../../setup/fixtures.ts';
import { assertOk } from '../../setup/personas.ts';
import { startKeyManagement } from '../../setup/providers/key-management.ts';
import { startApp } from '../../setup/start-app.ts';
import { postDecisions, readLogKey, SEALED_AT_ONCE, sealAll } from './log-steps.ts';
import { signDue } from '../../../src/evidence/log/signing/tree-head-signing.service.ts';

const KEY_ID = 'arn:aws:kms:eu-test-1:111122223333:key/logs';
const kms = useFixture(
  async () => {
    const server = await startKeyManagement();
    server.keys.set(KEY_ID, generateKeyPairSync('ed25519').privateKey);
    return server;
  },
  (server) => server.close(),
);
const toSettings = (keyId = KEY_ID): Record<string, string> => ({
  ...SEALED_AT_ONCE,
  ASSAY_LOG_KEY_KMS_ID: keyId,
  ASSAY_LOG_KEY_KMS_REGION: 'eu-test-1',
  ASSAY_LOG_KEY_KMS_ENDPOINT: kms.url,
});
beforeAll(() => {
  process.env['AWS_ACCESS_KEY_ID'] = 'of a test';
  process.env['AWS_SECRET_ACCESS_KEY'] = 'of a test';
});
const harness = useHarness(() => toSettings());
const { app } = harness;
const ada = useOwner(harness);

const listAnchors = async () =>
  assertOk(await app.call('GET', '/api/v1/hash-chain/anchors', ada)).body.data;

test('checkpoints are signed by the key in the service, which never leaves it', async () => {
  await postDecisions(app, ada, 2);
  await sealAll(app);
  const [anchor] = await listAnchors();
  const key = await readLogKey(app, anchor.origin);
  const there = toRawPublicKey(createPublicKey(kms.keys.get(KEY_ID)!));
  expect(key.publicKey.equals(there)).toBe(true);
  expect(isSignedBy(parseNote(anchor.checkpoint)!, key)).toBe(true);
  expect(kms.asked).toContain('Sign');
  const stored = await harness.db.collection<{ _id: string }>('log_keys').findOne({ _id: 'log' });
  expect(stored).toMatchObject({ sealed: null, publicKey: there.toString('base64') });
});

test('while the service fails decisions are taken in; it is sealed when the service is back', async () => {
  kms.failing.status = 400;
  expect(await postDecisions(app, ada, 3)).toHaveLength(3);
  await app.instance.runJobsOnce();
  const before = await listAnchors();
  kms.failing.status = null;
  await sealAll(app);
  const [anchor] = await listAnchors();
  expect(anchor.treeSize).toBe(before[0].treeSize + 3);
});

test('a key of another kind signs nothing', async () => {
  const keyId = `${KEY_ID}-p256`;
  kms.keys.set(keyId, generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
  const other = await startApp(toSettings(keyId));
  await other.instance.runJobsOnce().catch(() => undefined);
  await expect(signDue(other.instance.platform)).rejects.toThrow(/not Ed25519/);
  await other.stop();
});

test('the configuration names one place of the key, and the region of the service', () => {
  const load = (given: Record<string, string>) => () => loadConfig(given);
  const { privateKey } = generateKeyPairSync('ed25519');
  const ASSAY_LOG_KEY = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  expect(load({ ASSAY_LOG_KEY_KMS_ID: KEY_ID })).toThrow(/ASSAY_LOG_KEY_KMS_REGION: required/);
  expect(load({ ...toSettings(), ASSAY_LOG_KEY })).toThrow(/only one of them can be set/);
});

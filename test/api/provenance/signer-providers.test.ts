// The four providers of signing keys (document 3, section 4.7), each with an app of its own over one database.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { useFixture, useOwnHarness, useOwner } from '../../setup/fixtures.ts';
import { toObjectId } from '../../setup/harness.ts';
import { startKeyManagement } from '../../setup/providers/key-management.ts';
import { createCertifiedKey } from '../../setup/providers/self-signed.ts';
import { toOutcome, startApp, type Answer, type TestApp } from '../../setup/start-app.ts';

const harness = useOwnHarness();
const ada = useOwner(harness);
const kms = useFixture(startKeyManagement, (server) => server.close());
beforeAll(async () => {
  const change = { $set: { systemRole: 'owner' } };
  await harness.db.collection('users').updateOne({ _id: toObjectId(ada.userId) }, change);
  process.env.AWS_ACCESS_KEY_ID = 'of a test';
  process.env.AWS_SECRET_ACCESS_KEY = 'of a test';
});

/** Runs with an app of its own on the same database. */
async function on(
  environment: Record<string, string>,
  work: (app: TestApp) => Promise<void>,
): Promise<void> {
  const app = await startApp(environment, { mongoUri: harness.mongoUri });
  try {
    await work(app);
  } finally {
    await app.stop();
  }
}
const call = (app: TestApp, method: string, below: string): Promise<Answer> =>
  app.call(method, `/api/v1/c2pa-kms/${below}`, { token: ada.token });
const statusOf = async (app: TestApp): Promise<Answer['body']> =>
  (await call(app, 'GET', 'status')).body.data;
const rotate = (app: TestApp): Promise<Answer> => call(app, 'POST', 'rotate');
const publishedKids = async (app: TestApp): Promise<string[]> =>
  (await app.call('GET', '/.well-known/jwks.json')).body.keys.map(
    ({ kid }: { kid: string }) => kid,
  );

const notReady = { ready: false, code: 'SIGNER_NOT_READY' };
const env = { ASSAY_SIGNER_PROVIDER: 'env' };

test('env: a key with its certificate, which is published and cannot be rotated', async () => {
  const { key, certificate } = createCertifiedKey('Assay');
  const given = { ...env, ASSAY_SIGNER_KEY: key.replaceAll('\n', '\\n') };
  await on(given, async (app) => {
    const { kid, ...facts } = await statusOf(app);
    expect(facts).toEqual({
      provider: 'env',
      ready: true,
      mode: 'prod-jwk',
      alg: 'ES256',
      certChainDepth: 0,
      history: null,
    });
    expect(await publishedKids(app)).toEqual([kid]);
    expect(toOutcome(await rotate(app))).toEqual([400, 'KMS_ROTATION_UNSUPPORTED']);
  });
  await on({ ...given, ASSAY_SIGNER_CERTIFICATE: certificate }, async (app) => {
    expect(await statusOf(app)).toMatchObject({ mode: 'prod-cert', certChainDepth: 2 });
  });
});

test('env: the reason why a key cannot be used is logged and not answered', () =>
  on({ ...env, ASSAY_SIGNER_KEY: 'no PEM' }, async (app) => {
    const status = await statusOf(app);
    expect(status).toMatchObject(notReady);
    expect(JSON.stringify(status)).not.toMatch(/PEM|decoder|unsupported/i);
    expect(app.logged.join()).toMatch(/the signer is not ready/);
  }));

test('env: outside production an ephemeral key is used if none is configured', () =>
  on(env, async (app) => {
    const { kid, mode } = await statusOf(app);
    expect(mode).toBe('ephemeral-jwk');
    expect(await publishedKids(app)).toContain(kid);
  }));

test('file: read on first use; a missing file is reported without its path', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-signer-'));
  const [keyFile, certificateFile] = [join(folder, 'key.pem'), join(folder, 'chain.pem')];
  const given = {
    ASSAY_SIGNER_PROVIDER: 'file',
    ASSAY_SIGNER_KEY_FILE: keyFile,
    ASSAY_SIGNER_CERTIFICATE_FILE: certificateFile,
  };
  await on(given, async (app) => {
    const missing = await statusOf(app);
    expect(missing).toMatchObject({ provider: 'file', ...notReady });
    expect(JSON.stringify(missing)).not.toContain(folder);
    const { key, certificate } = createCertifiedKey('Assay');
    await writeFile(keyFile, key);
    await writeFile(certificateFile, certificate);
    expect(await statusOf(app)).toMatchObject({
      ready: true,
      mode: 'prod-cert',
      certChainDepth: 2,
      history: null,
    });
    expect(toOutcome(await rotate(app))).toEqual([400, 'KMS_ROTATION_UNSUPPORTED']);
  });
  await rm(folder, { recursive: true });
});

test('database: has its own key-encryption key, which may be replaced and must be valid', async () => {
  const [kek, next] = [randomBytes(32).toString('hex'), randomBytes(32).toString('base64')];
  const database = { ASSAY_SIGNER_PROVIDER: 'database' };
  await on({ ...database, ASSAY_SIGNER_KEK: kek }, async (app) => {
    expect((await rotate(app)).status).toBe(201);
    expect(await statusOf(app)).toMatchObject({ ready: true });
  });
  await on({ ...database, ASSAY_SIGNER_KEK: next }, async (app) => {
    expect(await statusOf(app)).toMatchObject(notReady);
  });
  const exchanged = { ...database, ASSAY_SIGNER_KEK: next, ASSAY_SIGNER_KEK_OLD: kek };
  await on(exchanged, async (app) => {
    expect(await statusOf(app)).toMatchObject({ ready: true });
  });
  await on({ ...database, ASSAY_SIGNER_KEK: 'far too short' }, async (app) => {
    expect(toOutcome(await rotate(app))).toEqual([400, 'KMS_BAD_KEK']);
    expect(await statusOf(app)).toMatchObject(notReady);
  });
});

test('kms: keys are made there and never leave it; rotation makes another one', () =>
  on(
    {
      ASSAY_SIGNER_PROVIDER: 'kms',
      ASSAY_SIGNER_KMS_REGION: 'eu-test-1',
      ASSAY_SIGNER_KMS_ENDPOINT: kms.url,
    },
    async (app) => {
      const first = await statusOf(app);
      expect(first).toMatchObject({ provider: 'kms', ready: true, mode: 'prod-jwk' });
      expect(kms.asked[0]).toBe('CreateKey');
      const rotated = await rotate(app);
      expect(rotated.body.data).toMatchObject({ generation: 2 });
      expect((await statusOf(app)).history).toHaveLength(2);
      expect(kms.keys.size).toBe(2);
      expect(await publishedKids(app)).toEqual(
        expect.arrayContaining([first.kid, rotated.body.data.kid]),
      );
      kms.failing.status = 400;
      const refused = await rotate(app);
      expect(toOutcome(refused)).toEqual([500, 'KMS_ROTATION_FAILED']);
      expect(refused.text).not.toContain('a secret of the service');
      kms.failing.status = null;
      expect((await statusOf(app)).history).toHaveLength(2);
    },
  ));

test('kms: without a region, and with a service that refuses', async () => {
  const kmsProvider = { ASSAY_SIGNER_PROVIDER: 'kms' };
  await on(kmsProvider, async (app) => {
    expect(toOutcome(await rotate(app))).toEqual([400, 'KMS_NOT_CONFIGURED']);
    expect(await statusOf(app)).toMatchObject(notReady);
  });
  kms.failing.status = 400;
  const refusing = {
    ...kmsProvider,
    ASSAY_SIGNER_KMS_REGION: 'eu-test-1',
    ASSAY_SIGNER_KMS_ENDPOINT: kms.url,
  };
  await on(refusing, async (app) => {
    const status = await statusOf(app);
    expect(status).toMatchObject(notReady);
    expect(JSON.stringify(status)).not.toContain('a secret of the service');
  });
  kms.failing.status = null;
});

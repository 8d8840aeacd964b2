// The signer over HTTP (document 3, section 4.7): status, rotation under concurrency, permanent public keys.
import { createHash, createPublicKey, type JsonWebKey } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { useOwnHarness, useOwner } from '../../setup/fixtures.ts';
import { listAuditEntries, toObjectId } from '../../setup/harness.ts';
import { assertOk, type Owner } from '../../setup/personas.ts';
import { toOutcome, startApp, type Answer } from '../../setup/start-app.ts';

const harness = useOwnHarness();
const { app } = harness;
const ada = useOwner(harness);
const eve = useOwner(harness, 'Eve');

const keys = () => harness.db.collection('signing_keys');
const status = async (at = app): Promise<Answer['body']> =>
  assertOk(await at.call('GET', '/api/v1/c2pa-kms/status', { token: ada.token })).body.data;
const rotate = (at = app, { token } = ada): Promise<Answer> =>
  at.call('POST', '/api/v1/c2pa-kms/rotate', { token });
const published = async (at = app): Promise<JsonWebKey[]> =>
  assertOk(await at.call('GET', '/.well-known/jwks.json')).body.keys;

async function appoint({ userId }: Owner, systemRole: string): Promise<void> {
  const { users } = { users: harness.db.collection('users') };
  await users.updateOne({ _id: toObjectId(userId) }, { $set: { systemRole } });
}
beforeAll(() => appoint(ada, 'owner'));

test('the first key is created on first use, once', async () => {
  expect(await published()).toEqual([]);
  const seen = await Promise.all(Array.from({ length: 8 }, () => status()));
  expect(new Set(seen.map(({ kid }) => kid)).size).toBe(1);
  expect(seen[0]).toEqual({
    provider: 'database',
    ready: true,
    mode: 'prod-jwk',
    kid: expect.stringMatching(/^[0-9a-f]{64}$/),
    alg: 'ES256',
    certChainDepth: 0,
    history: [
      {
        kid: seen[0].kid,
        generation: 1,
        status: 'active',
        activatedAt: expect.any(String),
        retiredAt: null,
      },
    ],
  });
});

test('a key is named by the digest of its SPKI, and no private part is ever shown', async () => {
  const [key] = await published();
  const spki = createPublicKey({ key: key ?? {}, format: 'jwk' }).export({
    type: 'spki',
    format: 'der',
  });
  expect(key).toEqual({
    kty: 'EC',
    crv: 'P-256',
    x: expect.any(String),
    y: expect.any(String),
    kid: createHash('sha256').update(spki).digest('hex'),
    alg: 'ES256',
    use: 'sig',
  });
  const stored = JSON.stringify(await keys().find().toArray());
  expect(stored).not.toMatch(/PRIVATE KEY|"d":/);
});

test('a rotation makes a new generation, retires the one before, and is audited', async () => {
  const before = await status();
  const answer = await rotate();
  expect(answer.status).toBe(201);
  expect(answer.body.data).toEqual({
    kid: expect.not.stringMatching(before.kid),
    generation: 2,
    rotatedAt: expect.any(String),
  });
  const { kid, rotatedAt } = answer.body.data;
  const { history, ...now } = await status();
  expect(now.kid).toBe(kid);
  expect(history).toMatchObject([
    { kid, generation: 2, status: 'active', activatedAt: rotatedAt, retiredAt: null },
    { kid: before.kid, generation: 1, status: 'retired', retiredAt: rotatedAt },
  ]);
  const [entry] = await listAuditEntries(app, ada, 'action=c2pa.key.rotate');
  expect(entry).toMatchObject({ status: 'success', detail: kid, metadata: { kid, generation: 2 } });
});

test(
  'each of twenty concurrent rotations on two instances creates one generation',
  { tags: ['long'] },
  async () => {
    const second = await startApp({}, { mongoUri: harness.mongoUri });
    try {
      const before = (await status()).history[0].generation as number;
      const countAudited = async (): Promise<number> =>
        (await listAuditEntries(app, ada, 'action=c2pa.key.rotate&limit=50')).length;
      const countBefore = await countAudited();
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, turn) => rotate(turn % 2 ? app : second)),
      );
      expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([201]));
      const made = answers.map(({ body }) => body.data.generation as number);
      expect(made.sort((a, b) => a - b)).toEqual(
        Array.from({ length: 20 }, (_, i) => before + 1 + i),
      );
      const rows = await keys().find().sort({ generation: 1 }).toArray();
      expect(rows.map(({ generation }) => generation)).toEqual(rows.map((_, i) => i + 1));
      expect(rows.map((row) => row.status)).toEqual([
        ...rows.slice(1).map(() => 'retired'),
        'active',
      ]);
      expect((await status(second)).kid).toBe(rows.at(-1)?.kid);
      const { history } = await status();
      expect(history).toHaveLength(10);
      expect(history[0]).toMatchObject({ status: 'active', generation: rows.length });
      expect((await published()).map(({ kid }) => kid)).toHaveLength(rows.length);
      expect(await countAudited()).toBe(countBefore + 20);
    } finally {
      await second.stop();
    }
  },
);

test('is for the system-level roles', async () => {
  const asEve = (method: string, path: string): Promise<Answer> =>
    app.call(method, `/api/v1/c2pa-kms/${path}`, { token: eve.token });
  expect(toOutcome(await asEve('GET', 'status'))).toEqual([403, 'FORBIDDEN']);
  expect(toOutcome(await rotate(app, eve))).toEqual([403, 'FORBIDDEN']);
  await appoint(eve, 'admin');
  expect((await asEve('GET', 'status')).status).toBe(200);
  expect((await rotate(app, eve)).status).toBe(201);
});

test('a sealed key moved to another record cannot be opened: the signer is not ready until a rotation', async () => {
  const [newest, older] = await keys().find().sort({ generation: -1 }).limit(2).toArray();
  await keys().updateOne({ kid: newest?.kid }, { $set: { sealed: older?.sealed } });
  const fresh = await startApp({}, { mongoUri: harness.mongoUri });
  try {
    expect(await status(fresh)).toEqual({
      provider: 'database',
      ready: false,
      error: 'The signer is not ready; the log says why',
      code: 'SIGNER_NOT_READY',
    });
    expect(fresh.logged.join()).toContain('the signer is not ready');
    expect((await rotate(fresh)).status).toBe(201);
    expect((await status(fresh)).ready).toBe(true);
  } finally {
    await fresh.stop();
  }
});

// Assay as a witness of other logs: it signs what continues, once for each size, and nothing else.
import { createHash, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  formatVerifierKey,
  LOG_KEY,
  parseSignatureLine,
  parseVerifierKey,
  toRawPublicKey,
  verifyCosignature,
} from '@assay/tlog';
import { useFixture, useHarness } from '../../setup/fixtures.ts';
import { assertOk, createOwner } from '../../setup/personas.ts';
import { type Answer, startApp } from '../../setup/start-app.ts';
import { postDecisions, SEALED_AT_ONCE, sealAll } from '../log/log-steps.ts';
import { TestLog } from './test-log.ts';

const log = new TestLog('log.example/one');
const other = new TestLog('log.example/two');
const stranger = new TestLog('log.example/one');
const { privateKey: logKey } = generateKeyPairSync('ed25519');
const pem = logKey.export({ type: 'pkcs8', format: 'pem' }) as string;
const ours = {
  name: 'client.example/log/heads',
  type: LOG_KEY,
  publicKey: toRawPublicKey(createPublicKey(logKey)),
};

const files = useFixture<{ folder: string; logs: string }>(
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'assay-cosign-'));
    const logs = join(folder, 'logs');
    const lines = [log.key, other.key, ours].map((key) => `log ${formatVerifierKey(key)}\n`);
    writeFileSync(logs, `# Whom we witness\n${lines.join('')}`);
    return Promise.resolve({ folder, logs });
  },
  ({ folder }) => rmSync(folder, { recursive: true }),
);
const harness = useHarness(() => ({ ASSAY_COSIGN_LOGS: files.logs }));
const bare = useHarness();

async function sendRequest(body: string, app = harness.app): Promise<Answer> {
  const response = await fetch(`${app.url}/api/v1/witness/add-checkpoint`, {
    method: 'POST',
    body,
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: null };
}
const readKey = async () => {
  const { body } = assertOk(await harness.app.call('GET', '/.well-known/assay-log'));
  return parseVerifierKey(body.witness)!;
};
const readState = (origin: string) => {
  const name = createHash('sha256').update(origin).digest('hex');
  return harness.app.call('GET', `/api/v1/witness/${name}/checkpoint`);
};

it('it signs the first checkpoint and each that continues, and serves the newest', async () => {
  expect((await readState(log.origin)).status).toBe(404);
  const key = await readKey();
  for (const [old, size] of [
    [0, 3],
    [3, 8],
    [8, 8],
    [8, 300],
  ] as const) {
    const request = await log.writeRequest(old, size);
    const { status, text } = await sendRequest(request);
    expect([status, text.split('\n').length]).toEqual([200, 2]);
    const signature = parseSignatureLine(text.trimEnd())!;
    const note = request.slice(request.indexOf('\n\n') + 2);
    const signedText = note.slice(0, note.lastIndexOf('\n\n') + 1);
    const seconds = verifyCosignature(signedText, signature, key)!;
    expect(Math.abs(seconds - Date.now() / 1000)).toBeLessThan(60);
    expect((await readState(log.origin)).text).toBe(note + text);
  }
});

it('what does not continue is refused, and changes nothing', async () => {
  const before = (await readState(log.origin)).text;
  const askWitness = async (old: number, size: number, seed?: string) => {
    const { status, text, headers } = await sendRequest(await log.writeRequest(old, size, seed));
    return [status, status === 409 ? [text, headers.get('content-type')] : null];
  };
  const known = ['300\n', 'text/x.tlog.size'];
  expect(await askWitness(0, 400)).toEqual([409, known]);
  expect(await askWitness(8, 200)).toEqual([409, known]);
  expect(await askWitness(400, 300)).toEqual([400, null]);
  expect(await askWitness(300, 300, 'fork')).toEqual([409, known]);
  expect(await askWitness(300, 400, 'fork')).toEqual([422, null]);
  expect((await sendRequest(await stranger.writeRequest(300, 400))).status).toBe(403);
  const unknown = new TestLog('log.example/unknown');
  expect((await sendRequest(await unknown.writeRequest(0, 1))).status).toBe(404);
  expect((await sendRequest(await log.writeRequest(0, 1), bare.app)).status).toBe(404);
  const good = await log.writeRequest(300, 400);
  const lines = good.split('\n');
  const bad = [
    '',
    'old',
    good.replace('old 300', 'old 0300'),
    good.replace('old 300', 'old 99999999999999999'),
    good.replace(lines[1]!, 'AAAA'),
    good.replace(`${lines[1]}\n`, `${lines[1]}\n`.repeat(70)),
    good.replace('log.example/one\n', '\n'),
    `${good.slice(0, good.indexOf('\n\n'))}\n`,
    '\u0000'.repeat(1000),
  ];
  for (const body of bad) expect((await sendRequest(body)).status).toBe(400);
  expect((await sendRequest(good.padEnd(17_000, 'x'))).status).toBe(413);
  // A proof with one hash more, or another one, leads nowhere.
  const longer = good.replace(`${lines[1]}\n`, `${lines[1]}\n${lines[1]}\n`);
  expect((await sendRequest(longer)).status).toBe(422);
  expect((await readState(log.origin)).text).toBe(before);
});

it('of requests at one moment each leaf is signed in one tree, and one request is first', async () => {
  const asks = await Promise.all(
    ['a', 'b', 'c', 'd'].flatMap((seed) => [
      other.writeRequest(0, 5, seed),
      other.writeRequest(0, 7, seed),
    ]),
  );
  const answers = await Promise.all(asks.map((body) => sendRequest(body)));
  const signed = answers.filter(({ status }) => status === 200);
  expect(signed.length).toBe(1);
  expect(answers.filter(({ status }) => status === 409).length).toBe(7);
  const rows = await harness.db.collection<{ _id: string }>('witnessed_logs').find().toArray();
  expect(rows.map(({ _id }) => _id).sort()).toEqual([log.origin, other.origin]);
});

it('another instance on the same database goes on where the first one was', async () => {
  const app = await startApp({ ASSAY_COSIGN_LOGS: files.logs }, { mongoUri: harness.mongoUri });
  try {
    expect((await sendRequest(await log.writeRequest(300, 301), app)).status).toBe(200);
    expect((await sendRequest(await log.writeRequest(300, 302))).text).toBe('301\n');
    expect((await sendRequest(await log.writeRequest(301, 302))).status).toBe(200);
  } finally {
    await app.stop();
  }
});

it('another installation has its heads log witnessed here', async () => {
  const { body } = assertOk(await harness.app.call('GET', '/.well-known/assay-log'));
  const policy = join(files.folder, 'policy');
  writeFileSync(policy, `witness w ${body.witness} ${harness.app.url}/api/v1/witness\nquorum w\n`);
  const app = await startApp({
    ...SEALED_AT_ONCE,
    ASSAY_LOG_KEY: pem,
    ASSAY_LOG_NAME: 'client.example',
    ASSAY_WITNESS_POLICY: policy,
    ASSAY_OUTBOUND_ALLOW: '127.0.0.1',
  });
  try {
    const bob = await createOwner(app, 'Bob');
    for (let round = 1; round <= 3; round++) {
      await postDecisions(app, bob, 1);
      await sealAll(app);
      await app.instance.runJobsOnce();
      const path = '/api/v1/hash-chain/anchors?limit=1';
      const [anchor] = assertOk(await app.call('GET', path, { token: bob.token })).body.data;
      expect(anchor).toMatchObject({ treeSize: round, witnessed: true });
    }
  } finally {
    await app.stop();
  }
});

// The files of the database are set back to an earlier copy: the logs freeze, and go on under other names only.
import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import mongoose from 'mongoose';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { findFreePort } from '@assay/embedded-mongod';
import { parseCheckpoint, parseNote } from '@assay/tlog';
import { startWitness } from '../api/log/witness-server.ts';
import { App } from './apps.ts';
import { initiate, startMember } from './cluster.ts';
import { type Acknowledged, post } from './load.ts';
import { registerSealed, SEALING } from './sealing.ts';

const WAIT = { timeout: 120_000, interval: 200 };
const SECRETS = {
  ASSAY_JWT_SECRET: 'a session secret for tests, long enough',
  ASSAY_LEDGER_KEY: 'a ledger key for tests, also long enough',
  ASSAY_ENCRYPTION_KEY: 'an encryption key for tests, long enough',
};

interface Anchor {
  origin: string;
  treeSize: number;
  witnessed: boolean;
}

test('a restore of an earlier copy freezes every log and forks none', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-restored-'));
  const [data, copy, policy] = ['data', 'copy', 'policy'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const { path: binary } = inject('mongod');
  const port = await findFreePort();
  let member = await startMember(binary, data, port);
  await initiate([`127.0.0.1:${port}`]);
  const witness = await startWitness('first');
  await writeFile(policy, `witness first ${witness.vkey} ${witness.url}\nquorum first\n`);
  const mongoUri = `mongodb://127.0.0.1:${port}/restored?replicaSet=faults`;
  const environment = { ...SEALING, ASSAY_WITNESS_POLICY: policy };
  const app = new App({ mongoUri, workers: 1, environment });
  let client = await mongoose.mongo.MongoClient.connect(mongoUri);
  onTestFinished(async () => {
    await app.kill();
    await client.close();
    await witness.stop();
    process.kill(member.process.pid, 'SIGKILL');
    await member.process.ended;
    await rm(folder, { recursive: true, force: true });
  });
  await app.start();
  const { token, apiKey, agentId } = await registerSealed(app.url as string);

  const postOne = async (): Promise<Acknowledged> => {
    const body = {
      agentId,
      inputContext: { prompt: `Case ${Math.random()}` },
      outputDecision: { action: 'reply', rationale: 'Because the case asks for it.' },
    };
    const answer = await post(app.url as string, apiKey, { key: `key-${Math.random()}`, body });
    expect(answer).not.toBeNull();
    return answer as Acknowledged;
  };
  const readAnchor = async (): Promise<Anchor | undefined> => {
    const path = `${app.url}/api/v1/hash-chain/anchors?limit=1`;
    const answer = await fetch(path, { headers: { authorization: `Bearer ${token}` } });
    return ((await answer.json()) as { data: Anchor[] }).data[0];
  };
  const isWitnessedAt = (size: number) => async (): Promise<boolean> => {
    const anchor = await readAnchor();
    return anchor?.treeSize === size && anchor.witnessed;
  };
  /** Stops the instance and the database, and starts the database again; `change`: what happens in between. */
  const restartDatabase = async (change: () => Promise<void>): Promise<void> => {
    await app.kill('SIGTERM');
    await client.close();
    await member.process.stop();
    await member.process.ended;
    await change();
    member = await startMember(binary, data, port);
    client = await mongoose.mongo.MongoClient.connect(mongoUri);
  };
  const listHeads = () => client.db().collection('log_heads').find({}).toArray();
  /** Texts by origin and size: two of one place MUST be the same. */
  const texts = new Map<string, string>();
  const noteHeads = async (): Promise<void> => {
    for (const { note } of await listHeads()) {
      const { text } = parseNote(note)!;
      const { origin, size } = parseCheckpoint(text)!;
      expect(texts.get(`${origin} ${size}`) ?? text, `${origin} ${size}`).toBe(text);
      texts.set(`${origin} ${size}`, text);
    }
  };
  const release = (...args: string[]): Promise<string> => {
    const program = fileURLToPath(new URL('release.mjs', inject('built')));
    const env = { ...process.env, ...SECRETS, ...environment, MONGODB_URI: mongoUri };
    return new Promise((resolve, reject) => {
      execFile(process.execPath, [program, ...args], { env }, (error, stdout, stderr) => {
        if (error) reject(new Error(stdout + stderr));
        else resolve(stdout);
      });
    });
  };

  for (let n = 0; n < 5; n++) await postOne();
  await vi.waitUntil(isWitnessedAt(5), WAIT);
  await restartDatabase(() => cp(data, copy, { recursive: true }));
  await app.start();
  for (let n = 0; n < 5; n++) await postOne();
  await vi.waitUntil(isWitnessedAt(10), WAIT);
  const before = (await readAnchor())!;
  const known = witness.known!;
  await noteHeads();
  await restartDatabase(async () => {
    await rm(data, { recursive: true });
    await cp(copy, data, { recursive: true });
  });

  const signed = (await listHeads()).length;
  await app.start();
  const answer = await postOne();
  expect(answer.receipt.sequence).toBe(6);
  const findHeads = () => client.db().collection('logs').findOne({ chain: 'heads' });
  await vi.waitUntil(async () => (await findHeads())!.frozen !== null, WAIT);
  expect((await findHeads())!.frozen.why).toBe(
    `the witness first has signed a larger tree of ${known.size} leaves`,
  );
  await postOne();
  expect((await listHeads()).length).toBe(signed);
  await noteHeads();

  const reason = ['--reason', 'restored from the copy of noon', '--all-logs'];
  expect(await release(...reason)).toContain('Nothing was changed');
  await app.kill('SIGTERM');
  witness.known = null;
  const said = await release(...reason, '--yes');
  expect(said).toContain(`The log ${before.origin} of 5 entries cannot go on`);
  expect(said).toContain('/log/heads-2 follows it.');
  await app.start();
  await postOne();
  await vi.waitUntil(isWitnessedAt(8), WAIT);
  expect((await readAnchor())!.origin).not.toBe(before.origin);
  await noteHeads();
});

// Processes killed while they seal logs and ask witnesses: every promise is kept, and nothing is signed in two ways.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { mongo } from 'mongoose';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { parseCheckpoint, parseNote } from '@assay/tlog';
import { createHeadsLeaf } from '../../src/domain/log/heads-leaf.ts';
import { LOG_STEPS } from '../../src/ledger/probe.ts';
import { startWitness, type TestWitness } from '../api/log/witness-server.ts';
import { App } from './apps.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { Load } from './load.ts';
import { registerSealed, SEALING } from './sealing.ts';

/** Kills in all; fewer by ASSAY_FAULT_KILLS. */
const KILLS = Number(process.env.ASSAY_FAULT_KILLS ?? 200);
const WORKERS = 2;
/** Pause of a client after each answer: the promises of 200 kills are checked within minutes. */
const PAUSE_MS = 300;
const IN_PARALLEL = 20;

let cluster: Cluster;
let folder: string;
let witness: TestWitness;
beforeAll(async () => {
  cluster = await startCluster(inject('mongod').path);
  folder = await mkdtemp(join(tmpdir(), 'assay-log-faults-'));
  witness = await startWitness('first');
  await writeFile(
    join(folder, 'policy'),
    `witness first ${witness.vkey} ${witness.url}\nquorum first\n`,
  );
});
afterAll(async () => {
  await witness.stop();
  await cluster.stop();
  await rm(folder, { recursive: true, force: true });
});

/** The texts of checkpoints by origin and size, as anybody has seen them. */
class SeenHeads {
  readonly #texts = new Map<string, string>();

  noteText(text: string): void {
    const { origin, size } = parseCheckpoint(text)!;
    const place = `${origin} of ${size} entries`;
    expect(this.#texts.get(place) ?? text, place).toBe(text);
    this.#texts.set(place, text);
  }

  get count(): number {
    return this.#texts.size;
  }
}

/** Reads what every instance shows of every log, until it is stopped. */
function watchHeads(apps: readonly App[], db: mongo.Db, seen: SeenHeads): () => Promise<void> {
  let isOver = false;
  const readHead = async (url: string, id: string): Promise<void> => {
    const answer = await fetch(`${url}/log/${id}/checkpoint`).catch(() => null);
    const note = answer?.ok ? parseNote(await answer.text().catch(() => '')) : null;
    if (note) seen.noteText(note.text);
  };
  const watching = (async () => {
    while (!isOver) {
      const logs = await db.collection<{ _id: string }>('logs').find({}).toArray();
      for (const { _id } of logs) for (const { url } of apps) if (url) await readHead(url, _id);
      await sleep(50);
    }
  })();
  return () => {
    isOver = true;
    return watching;
  };
}

// A kill takes as long as a start, and that as long as the machine needs.
vi.setConfig({ testTimeout: 300_000 + KILLS * 20_000 });

test(`${KILLS} kills of two instances with two workers each, while they seal and ask their witness`, async () => {
  const database = `log${randomBytes(4).toString('hex')}`;
  const db = cluster.client.db(database);
  const environment = {
    ...SEALING,
    ASSAY_WITNESS_POLICY: join(folder, 'policy'),
    ASSAY_LIMIT_IP: '100000000',
  };
  const mongoUri = cluster.uri(database);
  const apps = [0, 1].map(() => new App({ mongoUri, workers: WORKERS, environment })) as [App, App];
  await apps[0].start();
  const { token, apiKey, agentId } = await registerSealed(apps[0].url as string);
  const load = new Load({ apps, apiKey, agentId, clients: 4, pauseMs: PAUSE_MS });
  const seen = new SeenHeads();
  const stopWatching = watchHeads(apps, db, seen);
  load.start();
  try {
    await killInTurn(apps, db);
    for (const app of apps) await app.start();
    await load.stop();
    const newest = await db.collection('ledger').find().sort({ sequence: -1 }).limit(1).toArray();
    const ofLedger = { chain: 'ledger', size: newest[0]!.sequence as number };
    const isSealed = async () => (await db.collection('logs').countDocuments(ofLedger)) === 1;
    await vi.waitUntil(isSealed, { timeout: 120_000, interval: 200 });
  } finally {
    load.abandon();
    await stopWatching();
  }
  for (const { origin, size, root } of witness.heard)
    seen.noteText(`${origin}\n${size}\n${root.toString('base64')}\n`);
  await assertHeads(db, seen);
  expect(seen.count).toBeGreaterThan(KILLS / 2);
  expect(await db.collection('logs').countDocuments({ frozen: { $ne: null } })).toBe(0);
  await assertPromises(apps[0].url as string, token, load);
  const verified = await post(`${apps[0].url}/api/v1/hash-chain/verify`, token, {});
  expect(verified.data).toMatchObject({ verified: true, completeness: { ok: true } });
  await Promise.all(apps.map((app) => app.kill()));
});

/** Kills worker after worker until there were enough kills, many at each step. */
async function killInTurn(apps: readonly App[], db: mongo.Db): Promise<void> {
  const listKills = () => apps.flatMap(({ killedAt }) => killedAt);
  // A killed process keeps its lease for some seconds; without it the next one takes it at once.
  const freeLeases = () =>
    db.collection<{ _id: string }>('leases').deleteMany({ _id: /^job:log\./ as never });
  const began = performance.now();
  for (const app of apps) await app.start({ dieInTurn: LOG_STEPS });
  while (listKills().length < KILLS) {
    // An instance ends when one of its workers dies ten times within a minute.
    for (const app of apps) if (app.url === null) await app.start({ dieInTurn: LOG_STEPS });
    await freeLeases();
    await sleep(200);
  }
  const counts = LOG_STEPS.map((step) => listKills().filter((at) => at === step).length);
  const seconds = Math.round((performance.now() - began) / 1000);
  const listed = LOG_STEPS.map((step, at) => `${step} ${counts[at]}`).join(', ');
  console.log(`${listKills().length} kills in ${seconds} s: ${listed}`);
  const fewest = KILLS / LOG_STEPS.length / 2 - apps.length * WORKERS;
  for (const [at, step] of LOG_STEPS.entries()) expect(counts[at], step).toBeGreaterThan(fewest);
}

/** Every head has its leaf in the log of heads, every leaf its head, and no place is empty. */
async function assertHeads(db: mongo.Db, seen: SeenHeads): Promise<void> {
  const heads = await db.collection('log_heads').find({}).toArray();
  const leaves = await db.collection('heads_leaves').find({}).sort({ _id: 1 }).toArray();
  expect(leaves.map(({ _id }) => Number(_id))).toEqual(leaves.map((_, at) => at));
  const found = new Map(leaves.map((leaf) => [Number(leaf._id), leaf]));
  const ofChains = heads.filter(({ headsIndex }) => headsIndex !== null);
  expect(ofChains.length).toBe(leaves.length);
  for (const { note } of heads) seen.noteText(parseNote(note)!.text);
  for (const { _id, note, headsIndex } of ofChains) {
    const { text } = parseNote(note)!;
    const leaf = found.get(headsIndex)!;
    expect(String(leaf.headId)).toBe(String(_id));
    const data = createHeadsLeaf(parseCheckpoint(text)!.origin, text);
    expect(Buffer.from((leaf.data as mongo.Binary).buffer)).toEqual(data);
  }
}

async function post(url: string, token: string, body: object) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return JSON.parse(text) as { data: Record<string, unknown> };
}

/** Every promise that was answered is kept. */
async function assertPromises(url: string, token: string, load: Load): Promise<void> {
  expect(load.promised.length).toBeGreaterThan(load.acknowledged.length / 2);
  const queue = [...load.promised];
  console.log(`${queue.length} promises are checked, of ${load.acknowledged.length} answers`);
  const checkNext = async (): Promise<void> => {
    for (let next = queue.pop(); next; next = queue.pop()) {
      const { data } = await post(`${url}/api/v1/hash-chain/promise/check`, token, next);
      expect(data, JSON.stringify(next)).toMatchObject({ verdict: 'kept' });
    }
  };
  await Promise.all(Array.from({ length: IN_PARALLEL }, checkNext));
}

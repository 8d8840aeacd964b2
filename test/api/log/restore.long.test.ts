// A log that cannot go on is frozen, never forked, and released under another name that the audit log tells.
// @module-tag long
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { mongo } from 'mongoose';
import { expect, it } from 'vitest';
import { parseCheckpoint, parseNote } from '@assay/tlog';
import { toObjectId } from '../../setup/harness.ts';
import { useFixture, useHarness, useOwner } from '../../setup/fixtures.ts';
import { assertOk } from '../../setup/personas.ts';
import { startApp, type TestApp } from '../../setup/start-app.ts';
import { cutChain } from '../hash-chain/cut-chain.ts';
import { holdJobs, postDecisions, SEALED_AT_ONCE, sealAll } from './log-steps.ts';
import { startWitness, type TestWitness } from './witness-server.ts';
import { askWitnesses } from '../../../src/evidence/log/witnesses/log-witnesses.service.ts';
import {
  findBrokenLog,
  releaseLog,
  describeHeads,
  releaseAll,
} from '../../../src/evidence/log/release/log-release.service.ts';
import { releaseChain } from '../../../src/evidence/hash-chain/chain-release.service.ts';

const witness = useFixture<{ server: TestWitness; policy: string }>(
  async () => {
    const server = await startWitness('first');
    const policy = join(mkdtempSync(join(tmpdir(), 'assay-restore-')), 'policy');
    writeFileSync(policy, `witness first ${server.vkey} ${server.url}\nquorum first\n`);
    return { server, policy };
  },
  async ({ server, policy }) => {
    rmSync(policy);
    await server.stop();
  },
);
const createSettings = () => ({
  ...SEALED_AT_ONCE,
  ASSAY_WITNESS_POLICY: witness.policy,
  ASSAY_OUTBOUND_ALLOW: '127.0.0.1',
});
const harness = useHarness(createSettings);
const ada = useOwner(harness);

/** Starts another instance for some work: one that remembers nothing. */
async function useApp(work: (app: TestApp) => Promise<void>): Promise<void> {
  const app = await startApp(createSettings(), { mongoUri: harness.mongoUri });
  try {
    await work(app);
  } finally {
    await app.stop();
  }
}
const ask = ({ instance }: TestApp) => askWitnesses(instance.platform);
const readAnchors = async (app: TestApp) =>
  assertOk(await app.call('GET', '/api/v1/hash-chain/anchors', { token: ada.token })).body.data;
const listReleases = async (app: TestApp) =>
  assertOk(await app.call('GET', '/api/v1/audit?action=log.release', { token: ada.token })).body
    .data.entries;

/** Every document of the database, to be put back later. */
async function copyDatabase(db: mongo.Db): Promise<() => Promise<void>> {
  const names = (await db.listCollections().toArray())
    .map(({ name }) => name)
    .filter((name) => !name.startsWith('system.'));
  const kept = new Map<string, mongo.Document[]>();
  for (const name of names) kept.set(name, await db.collection(name).find().toArray());
  return async () => {
    for (const { name } of await db.listCollections().toArray()) {
      if (name.startsWith('system.') || name === 'leases') continue;
      await db.collection(name).deleteMany({});
      const rows = kept.get(name) ?? [];
      if (rows.length > 0) await db.collection(name).insertMany(rows);
    }
  };
}

/** All notes that were ever signed, by log and size: two of one size MUST be the same. */
const notes = new Map<string, string>();
async function noteHeads(): Promise<void> {
  for (const { note } of await harness.db.collection('log_heads').find().toArray()) {
    const { text } = parseNote(note)!;
    const { origin, size } = parseCheckpoint(text)!;
    const place = `${origin} ${size}`;
    expect(notes.get(place) ?? text, place).toBe(text);
    notes.set(place, text);
  }
}

it('a truncated chain freezes its log; released, it has another one, and the audit log says so', async () => {
  await holdJobs(harness, 'log.seal', 'log.witness');
  await postDecisions(harness.app, ada, 6);
  await sealAll(harness.app);
  await ask(harness.app);
  await noteHeads();
  const [before] = await readAnchors(harness.app);
  const request = {
    organizationId: ada.organizationId,
    chain: 'ledger',
    reason: 'a drill',
  } as const;
  const { platform } = harness.app.instance;
  expect(await findBrokenLog(platform, request)).toBeNull();
  expect(await releaseLog(platform, request)).toBeNull();
  await cutChain(harness, 'ledger', ada, 4);

  await useApp(async (app) => {
    const { platform } = app.instance;
    const why = 'the chain no longer has entry 6 as it was signed';
    expect(await findBrokenLog(platform, request)).toMatchObject({ size: 6, why });
    expect(await releaseChain(platform, request)).toMatchObject({ from: 5 });
    const released = await releaseLog(platform, request);
    expect(released).toMatchObject({ origin: before.origin, size: 6, why });
    const { successor } = released!;
    expect(successor).not.toBe(before.origin);
    expect(await releaseLog(platform, request)).toBeNull();
    const entries = await listReleases(app);
    expect(entries).toMatchObject([
      {
        resource: 'log',
        metadata: {
          chain: 'ledger',
          closed: { origin: before.origin, size: 6 },
          opened: successor,
        },
      },
    ]);
    await postDecisions(app, ada, 2);
    await sealAll(app);
    await ask(app);
    const [anchor] = await readAnchors(app);
    expect(anchor).toMatchObject({ origin: successor, treeSize: 6, witnessed: true });
    const closed = await app.call('GET', `/log/${before.origin.split('/').at(-1)}/checkpoint`);
    expect(parseCheckpoint(closed.text)).toMatchObject({ origin: before.origin, size: 6 });
    await noteHeads();
  });
});

it('a database that was set back signs nothing more, before and after its witness was heard', async () => {
  const setBack = await copyDatabase(harness.db);
  await useApp(async (app) => {
    await postDecisions(app, ada, 3);
    await sealAll(app);
    expect(await ask(app)).toBe(1);
    await noteHeads();
  });
  const known = witness.server.known!;
  await setBack();

  const findHeads = () => harness.db.collection('logs').findOne({ chain: 'heads' });
  const countHeads = () => harness.db.collection('log_heads').countDocuments();
  const signed = await countHeads();
  witness.server.mode = 'down';
  await useApp(async (app) => {
    const answers = await postDecisions(app, ada, 3);
    const promises = answers.map(({ body }) => body.data.hashChain.promise);
    expect(promises).toEqual([null, null, null]);
    await sealAll(app);
  });
  expect([await countHeads(), (await findHeads())!.frozen]).toEqual([signed, null]);
  witness.server.mode = 'up';
  await useApp(sealAll);
  expect(await countHeads()).toBe(signed);
  expect((await findHeads())!.frozen).toMatchObject({
    why: `the witness first has signed a larger tree of ${known.size} leaves`,
  });
  await noteHeads();
});

it('after the release every chain has a log of another name, and nothing was signed twice', async () => {
  await useApp(async (app) => {
    const { platform } = app.instance;
    const [answer] = await postDecisions(app, ada, 1);
    expect(answer!.body.data.hashChain.promise).toBeNull();
    const [before] = await readAnchors(app);
    const { frozen, logs } = await describeHeads(platform);
    expect([frozen, logs > 1]).toEqual([expect.stringContaining('larger tree'), true]);
    const released = await releaseAll(platform, 'restored from the copy of May');
    expect(released.length).toBe(logs + 1);
    const heads = released.at(-1)!;
    expect(heads.successor).toBe(`${heads.origin}-2`);
    expect(await releaseAll(platform, 'again')).toEqual([]);
    // The witness is given the new name by hand.
    witness.server.known = null;
    await sealAll(app);
    expect(await ask(app)).toBe(1);
    const [anchor] = await readAnchors(app);
    expect(anchor.origin).not.toBe(before.origin);
    expect(anchor).toMatchObject({ witnessed: true });
    const path = `/api/v1/hash-chain/anchors/${anchor.anchorId}/tlog-proof`;
    const proof = assertOk(await app.call('GET', path, { token: ada.token })).text;
    expect(proof).toContain(`\n\n${heads.successor}\n`);
    const { body } = assertOk(await app.call('GET', '/.well-known/assay-log'));
    expect(body.heads[0]).toContain(`${heads.successor}+`);
    const served = assertOk(await app.call('GET', '/log/heads-2/checkpoint')).text;
    expect(served).toContain(`${heads.successor}\n`);
    expect(await listReleases(app)).toMatchObject([
      { metadata: { reason: 'restored from the copy of May' } },
      { metadata: { reason: 'restored from the copy of May' } },
      { metadata: { reason: 'a drill' } },
    ]);
    const organizationId = toObjectId(ada.organizationId);
    const open = { organizationId, frozen: null };
    expect(await harness.db.collection('logs').countDocuments(open)).toBe(2);
    await noteHeads();
  });
});

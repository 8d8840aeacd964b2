// Anchors, proofs and tiles over HTTP: every entry is below a signed root, old chains too, and only their owner sees them.
import { createPublicKey, verify } from 'node:crypto';
import { decode, encode } from 'cborg';
import { beforeAll, expect, it } from 'vitest';
import {
  parseCheckpoint,
  hashLeaf,
  isIncluded,
  computeKeyId,
  isSignedBy,
  parseNote,
} from '@assay/tlog';
import { createHeadsLeaf } from '../../../src/domain/log/heads-leaf.ts';
import { toObjectId } from '../../setup/harness.ts';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { assertOk, createOwner } from '../../setup/personas.ts';
import { startApp } from '../../setup/start-app.ts';
import { hashTree } from '../../domain/log/reference-tree.ts';
import {
  expectProven,
  holdJobs,
  insertChain,
  postDecisions,
  readLogKey,
  SEALED_AT_ONCE,
  sealAll,
} from './log-steps.ts';

const harness = useHarness(SEALED_AT_ONCE);
const ada = useOwner(harness);
// Nothing is sealed but when a test says so.
beforeAll(() => holdJobs(harness, 'log.seal'));
const get = (path: string, token = ada.token) =>
  harness.app.call('GET', `/api/v1/hash-chain${path}`, { token });
const getData = async (path: string) => assertOk(await get(path)).body.data;
const fetchBytes = async (path: string) =>
  Buffer.from(await (await fetch(harness.app.url + path)).arrayBuffer());

it('without entries there is no anchor, and nothing to prove', async () => {
  await sealAll(harness.app);
  expect(await getData('/anchors')).toEqual([]);
  const missing = await get('/anchors/65f000000000000000000001/proof?sequence=1');
  expect([missing.status, missing.body.code]).toEqual([404, 'NOT_FOUND']);
  expect(await getData('/status')).toMatchObject({ anchorCount: 0, lastAnchorAt: null });
});

it('every answered decision is below an anchor after the next seal, and its proof verifies', async () => {
  const answers = await postDecisions(harness.app, ada, 5);
  const before = await getData(`/entry/${answers[0]!.body.data.traceId}`);
  expect(before).toMatchObject({ proof: null, entry: { merkleRoot: null, merkleAnchorId: null } });
  await sealAll(harness.app);
  await postDecisions(harness.app, ada, 300);
  await sealAll(harness.app);
  const anchors = await getData('/anchors');
  const sizes = anchors.map((anchor: { treeSize: number }) => anchor.treeSize);
  expect([sizes[0], sizes.toSorted((a: number, b: number) => b - a)]).toEqual([305, sizes]);
  const status = await harness.app.call('GET', '/api/v1/hash-chain/status', { token: ada.token });
  expect(status.body.data).toMatchObject({
    anchorCount: anchors.length,
    lastAnchorAt: anchors[0].sealedAt,
  });

  const { entries } = await getData('/entries?limit=400');
  const hashes = entries.map((entry: { chainHash: string }) => Buffer.from(entry.chainHash, 'hex'));
  expect(anchors[0].root).toBe(hashTree(hashes.toReversed()).toString('hex'));
  for (const entry of [entries[0], entries[150], entries[304]]) {
    const { sequence, chainHash } = entry;
    const proof = await getData(`/anchors/${anchors[0].anchorId}/proof?sequence=${sequence}`);
    await expectProven(harness.app, proof, chainHash);
    const first = anchors.findLast(({ treeSize }: { treeSize: number }) => treeSize >= sequence);
    expect(entry).toMatchObject({
      merkleLeafIndex: sequence - 1,
      merkleRoot: first.root,
      merkleAnchorId: first.anchorId,
    });
  }
  const after = await getData(`/entry/${answers[0]!.body.data.traceId}`);
  // No witness is configured, and none is said to have signed.
  expect(after.proof).toMatchObject({ witnessed: false, heads: { cosignatures: [] } });
  await expectProven(harness.app, after.proof, answers[0]!.body.data.hashChain.chainHash);
  expect(after.proof.treeSize).toBe(305);
  const { anchorId, treeSize } = anchors.at(-1);
  const beyond = await get(`/anchors/${anchorId}/proof?sequence=${treeSize + 1}`);
  expect([beyond.status, beyond.body.error]).toEqual([
    404,
    `This anchor covers the entries 1 to ${treeSize}`,
  ]);
});

it('a receipt is a COSE signature over the root, with the proof of the entry', async () => {
  const [anchor] = await getData('/anchors?limit=1');
  const [entry] = (await getData('/entries?limit=1&beforeSeq=8')).entries;
  const path = `/api/v1/hash-chain/anchors/${anchor.anchorId}/receipt?sequence=7`;
  const answer = await fetch(harness.app.url + path, {
    headers: { authorization: `Bearer ${ada.token}` },
  });
  expect(answer.headers.get('content-type')).toBe('application/cose');
  const bytes = new Uint8Array(await answer.arrayBuffer());
  expect(bytes[0]).toBe(0xd2);
  const [headers, proofs, payload, signature] = decode(bytes.subarray(1), { useMaps: true });
  const claims = new Map([
    [1, anchor.origin],
    [2, entry.traceId],
  ]);
  const key = await readLogKey(harness.app, anchor.origin);
  expect(decode(headers, { useMaps: true })).toEqual(
    new Map<number, unknown>([
      [1, -8],
      [4, new Uint8Array(computeKeyId(key))],
      [15, claims],
      [395, 1],
    ]),
  );
  expect(payload).toBeNull();
  const [size, index, hashes] = decode(proofs.get(396).get(-1)[0]);
  const leaf = hashLeaf(Buffer.from(entry.chainHash, 'hex'));
  const root = Buffer.from(anchor.root, 'hex');
  expect(isIncluded(leaf, { index, path: hashes }, { size, root })).toBe(true);
  const spki = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), key.publicKey]);
  const publicKey = createPublicKey({ key: spki, format: 'der', type: 'spki' });
  const signed = encode(['Signature1', headers, new Uint8Array(), new Uint8Array(root)]);
  expect(verify(null, signed, publicKey, signature)).toBe(true);

  const beyond = await get(`/anchors/${anchor.anchorId}/receipt?sequence=306`);
  expect([beyond.status, beyond.body.code]).toEqual([404, 'NOT_FOUND']);
  const bob = await createOwner(harness.app, 'Eve');
  const foreign = await harness.app.call('GET', path, { token: bob.token });
  expect([foreign.status, foreign.body.code]).toEqual([404, 'NOT_FOUND']);
});

it('each anchor is a leaf of the heads log, which names no organisation', async () => {
  const [anchor] = await getData('/anchors?limit=1');
  const proof = await getData(`/anchors/${anchor.anchorId}/proof?sequence=1`);
  const note = parseNote(proof.heads.checkpoint)!;
  const heads = parseCheckpoint(note.text)!;
  expect(isSignedBy(note, await readLogKey(harness.app, heads.origin))).toBe(true);
  expect(heads.origin).toMatch(/\/log\/heads$/);
  const leaf = hashLeaf(createHeadsLeaf(anchor.origin, parseNote(anchor.checkpoint)!.text));
  const path = proof.heads.hashes.map((hex: string) => Buffer.from(hex, 'hex'));
  expect(isIncluded(leaf, { index: proof.heads.index, path }, heads)).toBe(true);
});

it('proof files are those of c2sp.org/tlog-proof, of an entry and of the anchor', async () => {
  const [anchor] = await getData('/anchors?limit=1');
  const file = await get(`/anchors/${anchor.anchorId}/tlog-proof?sequence=300`);
  expect(file.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(file.text).toMatch(/^c2sp\.org\/tlog-proof@v1\nindex 299\n/);
  expect(file.text.endsWith(`\n\n${anchor.checkpoint}`)).toBe(true);
  const ofHeads = await get(`/anchors/${anchor.anchorId}/tlog-proof`);
  const [, extra] = /^c2sp\.org\/tlog-proof@v1\nextra (\S+)\nindex \d+\n/.exec(ofHeads.text)!;
  expect(Buffer.from(extra!, 'base64').toString()).toBe(anchor.checkpoint);
});

it('the log is served as tiles that give the same tree, without a session', async () => {
  const [{ origin, checkpoint }] = await getData('/anchors?limit=1');
  const at = `/log/${origin.split('/').at(-1)}`;
  const newest = await harness.app.call('GET', `${at}/checkpoint`);
  expect(newest.text).toBe(checkpoint);
  expect(newest.headers.get('cache-control')).toBe('public, max-age=5');
  const [first, rest] = [
    await fetchBytes(`${at}/tile/entries/000`),
    await fetchBytes(`${at}/tile/entries/001.p/49`),
  ];
  const entries = Array.from({ length: 305 }, (_, n) =>
    n < 256
      ? first.subarray(n * 34 + 2, (n + 1) * 34)
      : rest.subarray((n - 256) * 34 + 2).subarray(0, 32),
  );
  expect(hashTree(entries)).toEqual(parseCheckpoint(parseNote(checkpoint)!.text)!.root);
  expect(await fetchBytes(`${at}/tile/0/000`)).toEqual(
    Buffer.concat(entries.slice(0, 256).map(hashLeaf)),
  );
  expect(await fetchBytes(`${at}/tile/0/001.p/3`)).toEqual(
    Buffer.concat(entries.slice(256, 259).map(hashLeaf)),
  );
  expect(await fetchBytes(`${at}/tile/1/000.p/1`)).toEqual(hashTree(entries.slice(0, 256)));
  const full = await fetch(`${harness.app.url}${at}/tile/0/000`);
  expect(full.headers.get('cache-control')).toContain('immutable');
  for (const path of [
    '0/001',
    '0/001.p/50',
    '1/000',
    '2/000',
    '0/x001/000',
    'entries/001',
    '0/0',
    '9/000.p/1',
  ])
    expect((await fetch(`${harness.app.url}${at}/tile/${path}`)).status, path).toBe(404);
  for (const id of ['0'.repeat(32), 'x', 'ledger'])
    expect((await harness.app.call('GET', `/log/${id}/checkpoint`)).body.code).toBe('NOT_FOUND');
});

it('another organisation sees neither anchors nor proofs', async () => {
  const [anchor] = await getData('/anchors?limit=1');
  const eve = await createOwner(harness.app, 'Eve');
  expect((await get('/anchors', eve.token)).body.data).toEqual([]);
  for (const path of ['proof?sequence=1', 'tlog-proof?sequence=1', 'tlog-proof'])
    expect((await get(`/anchors/${anchor.anchorId}/${path}`, eve.token)).status).toBe(404);
});

it(
  'a chain that is older than its log is filled in, in bounded turns',
  { tags: ['long'] },
  async () => {
    const bob = await createOwner(harness.app, 'Bob');
    const hashes = await insertChain(harness, bob, 17_000);
    await sealAll(harness.app);
    const { data: anchors } = assertOk(await get('/anchors', bob.token)).body;
    const sizes = [...anchors.map((anchor: { treeSize: number }) => anchor.treeSize), 0];
    expect(sizes[0]).toBe(17_000);
    expect(Math.max(...sizes.slice(1).map((size, at) => sizes[at]! - size))).toBeLessThan(16_385);
    const data = hashes.map((hash) => Buffer.from(hash, 'hex'));
    expect(anchors[0].root).toBe(hashTree(data).toString('hex'));
    const proof = await get(`/anchors/${anchors[0].anchorId}/proof?sequence=9000`, bob.token);
    await expectProven(harness.app, assertOk(proof).body.data, hashes[8999]!);
  },
);

it(
  'two instances that seal at the same time sign one tree of each size',
  { tags: ['long'] },
  async () => {
    const second = await startApp(SEALED_AT_ONCE, { mongoUri: harness.mongoUri });
    for (let round = 0; round < 4; round++) {
      await postDecisions(harness.app, ada, 3);
      await Promise.all([sealAll(harness.app), sealAll(second), sealAll(second)]);
    }
    await second.stop();
    const organizationId = toObjectId(ada.organizationId);
    const size = await harness.db.collection('ledger').countDocuments({ organizationId });
    expect(size).toBeGreaterThanOrEqual(12);
    const log = await harness.db.collection('logs').findOne({ organizationId, chain: 'ledger' });
    expect(log).toMatchObject({ size, frozen: null });
    const heads = await harness.db.collection('log_heads').find({}).toArray();
    const leaves = await harness.db.collection('heads_leaves').find({}).sort({ _id: 1 }).toArray();
    const own = heads.filter(({ headsIndex }) => headsIndex !== null);
    expect(leaves.map(({ _id }) => Number(_id))).toEqual([...own.keys()]);
    expect(new Set(leaves.map(({ headId }) => String(headId)))).toEqual(
      new Set(own.map(({ _id }) => String(_id))),
    );
  },
);

it('a chain that was rewritten, or cut, freezes its log: nothing more is signed', async () => {
  for (const tamper of ['rewritten', 'cut'] as const) {
    const mallory = await createOwner(harness.app, 'Mallory');
    await insertChain(harness, mallory, 300);
    await sealAll(harness.app);
    const organizationId = toObjectId(mallory.organizationId);
    const ledger = harness.db.collection('ledger');
    const [, , last] = await ledger.find({ organizationId, sequence: { $gt: 297 } }).toArray();
    if (tamper === 'cut') await ledger.deleteOne({ _id: last!._id });
    else await ledger.updateOne({ _id: last!._id }, { $set: { chainHash: 'ab'.repeat(32) } });
    await ledger.insertOne({
      organizationId,
      sequence: 301,
      traceId: null,
      prevHash: 'ab'.repeat(32),
      chainHash: 'cd'.repeat(32),
    });
    await Promise.all([sealAll(harness.app), sealAll(harness.app)]);
    const log = await harness.db.collection('logs').findOne({ organizationId, chain: 'ledger' });
    expect(log, tamper).toMatchObject({
      size: 300,
      frozen: { why: 'the chain no longer has entry 300 as it was signed' },
    });
    const { data: anchors } = (await get('/anchors', mallory.token)).body;
    expect(anchors.length).toBe(1);
  }
  expect(harness.app.logged.filter((line) => line.includes('a log is frozen')).length).toBe(2);
});

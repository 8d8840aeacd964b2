// Verification rests on signed heads: what the database alone can write of a log is found, and where.
// @module-tag varied
import { mongo } from 'mongoose';
import { expect, it } from 'vitest';
import { DECISIONS } from '../../../src/ledger/chains.ts';
import { findSignedBreak } from '../../../src/ledger/log/signed-break.ts';
import { readSignedTreeHeads } from '../../../src/ledger/log/signed-heads.ts';
import { toObjectId } from '../../setup/harness.ts';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { assertOk } from '../../setup/personas.ts';
import { chooseRuns, sampleItems } from '../../setup/runs.ts';
import { holdJobs, postDecisions, SEALED_AT_ONCE, sealAll } from './log-steps.ts';
import { checkHeads } from '../../../src/evidence/log/signing/heads-check.service.ts';

const harness = useHarness(SEALED_AT_ONCE);
const ada = useOwner(harness);
const verify = async () =>
  assertOk(await harness.app.call('POST', '/api/v1/hash-chain/verify', ada)).body.data;

it('a chain that is what was signed verifies', async () => {
  await holdJobs(harness, 'log.seal');
  for (const count of [100, 160]) {
    await postDecisions(harness.app, ada, count);
    await sealAll(harness.app);
  }
  expect(await verify()).toMatchObject({ verified: true, completeness: { ok: true } });
});

/** The rows of the log of decisions, as they were signed. */
async function readRows() {
  const organizationId = toObjectId(ada.organizationId);
  const log = (await harness.db.collection('logs').findOne({ organizationId, chain: 'ledger' }))!;
  const logId = String(log._id);
  const heads = await harness.db
    .collection('log_heads')
    .find({ organizationId, logId })
    .sort({ size: 1 })
    .toArray();
  const tile = (await harness.db.collection('log_tiles').findOne({ organizationId, logId }))!;
  const indexes = heads.map(({ headsIndex }) => headsIndex);
  const leaves = await harness.db
    .collection('heads_leaves')
    .find({ _id: { $in: indexes } })
    .sort({ _id: 1 })
    .toArray();
  const [older, newer] = heads;
  return { log, older: older!, newer: newer!, tile, leaves };
}

interface Alteration {
  collection: string;
  row: mongo.Document;
  /** Null: the row is deleted. */
  change: object | null;
}

/** Makes a change, and undoes it after the work. */
async function withChange<T>(
  { collection, row, change }: Alteration,
  work: () => Promise<T>,
): Promise<T> {
  const rows = harness.db.collection(collection);
  if (change) await rows.replaceOne({ _id: row._id }, { ...row, ...change });
  else await rows.deleteOne({ _id: row._id });
  try {
    return await work();
  } finally {
    await rows.replaceOne({ _id: row._id }, row, { upsert: true });
  }
}

/** Another byte at a place. */
function changeByte(bytes: Buffer, at: number): Buffer {
  const flipped = Buffer.from(bytes);
  flipped[at] = flipped[at]! ^ 1;
  return flipped;
}
const toBytes = (value: mongo.Binary): Buffer => Buffer.from(value.buffer);

it('each change of signed heads, tiles, leaves or the log is found, and where', async () => {
  const { log, older, newer, tile, leaves } = await readRows();
  expect([older.size, newer.size, leaves.length]).toEqual([100, 260, 2]);
  const unsigned = 'a stored checkpoint is not one that was signed';
  const strayed = 'a checkpoint is not in the heads log as it was signed';
  const other = new mongo.ObjectId();
  const levels = (log.levels as mongo.Binary[]).map(toBytes);
  const cases: [
    collection: string,
    row: mongo.Document,
    change: object | null,
    what: string,
    at: number,
  ][] = [
    ['log_heads', older, { root: '00'.repeat(32) }, unsigned, 100],
    ['log_heads', newer, { root: '00'.repeat(32) }, unsigned, 260],
    ['log_heads', newer, { size: 259 }, unsigned, 259],
    ['log_heads', newer, { note: older.note }, unsigned, 260],
    ['log_heads', newer, { headsIndex: older.headsIndex }, strayed, 260],
    ['log_heads', older, { headsIndex: null }, strayed, 100],
    [
      'log_heads',
      newer,
      { logId: 'another' },
      'the newest checkpoint of the chain is missing',
      260,
    ],
    ['log_heads', newer, null, 'the newest checkpoint of the chain is missing', 260],
    ['log_tiles', tile, null, 'a stored tile has another hash', 1],
    ['log_tiles', tile, { index: 1 }, 'a stored tile has another hash', 1],
    [
      'log_tiles',
      tile,
      { hashes: changeByte(toBytes(tile.hashes), 41 * 32) },
      'a stored tile has another hash',
      42,
    ],
    [
      'log_tiles',
      tile,
      { hashes: toBytes(tile.hashes).subarray(0, 32 * 200) },
      'a stored tile has another hash',
      201,
    ],
    ['logs', log, null, 'the log of a signed checkpoint is missing', 260],
    ['logs', log, { chain: 'another' }, 'the log of a signed checkpoint is missing', 260],
    ['logs', log, { origin: `${log.origin}0` }, unsigned, 100],
    ['logs', log, { size: 100 }, 'the log was signed further than it says', 101],
    ['logs', log, { size: 261 }, 'the newest checkpoint of the chain is missing', 261],
    ['logs', log, { size: 0 }, 'the log was signed further than it says', 1],
    ['logs', log, { root: older.root }, 'the log does not end at its newest checkpoint', 260],
    ['logs', log, { headId: older._id }, 'the log does not end at its newest checkpoint', 260],
    ['logs', log, { headId: null }, 'the log does not end at its newest checkpoint', 260],
    ['logs', log, { head: '00'.repeat(32) }, 'the stored end of the log is another one', 260],
    ['logs', log, { levels: [] }, 'the stored end of the log is another one', 260],
    [
      'logs',
      log,
      { levels: [changeByte(levels[0]!, 3), levels[1]] },
      'the stored end of the log is another one',
      260,
    ],
    ['heads_leaves', leaves[0]!, null, strayed, 100],
    ['heads_leaves', leaves[1]!, { headId: other }, strayed, 260],
    ['heads_leaves', leaves[1]!, { data: changeByte(toBytes(leaves[1]!.data), 0) }, strayed, 260],
    ['heads_leaves', leaves[1]!, { data: changeByte(toBytes(leaves[1]!.data), 63) }, strayed, 260],
  ];
  for (const [collection, row, change, brokenDetail, brokenAtSequence] of sampleItems(cases))
    expect(
      await withChange({ collection, row, change }, verify),
      `${collection} ${JSON.stringify(change)}`,
    ).toMatchObject({
      verified: false,
      completeness: { ok: false },
      brokenDetail,
      brokenAtSequence,
    });
  expect(await verify()).toMatchObject({ verified: true });
}, 300_000);

it('any byte of a stored note, leaf and tile is found, and where', async () => {
  const { db } = harness;
  const { newer, tile, leaves } = await readRows();
  const { body } = assertOk(await harness.app.call('GET', '/.well-known/assay-log'));
  const { organizationId } = ada;
  const chain = { db, chain: DECISIONS, organizationId, logKeys: body.logKeys };
  const findPlace = async () =>
    (await findSignedBreak(chain, await readSignedTreeHeads(chain), null))?.sequence;
  expect(await findPlace()).toBeUndefined();
  const note = Buffer.from(newer.note);
  for (let at = 0; at < note.length; at += chooseRuns(37, 3)) {
    const change = { note: changeByte(note, at).toString() };
    const place = await withChange({ collection: 'log_heads', row: newer, change }, findPlace);
    expect(place, `byte ${at} of the note`).toBe(260);
  }
  const data = toBytes(leaves[0]!.data);
  for (let at = 0; at < data.length; at += chooseRuns(16, 1)) {
    const change = { data: changeByte(data, at) };
    const alteration = { collection: 'heads_leaves', row: leaves[0]!, change };
    expect(await withChange(alteration, findPlace), `byte ${at} of the leaf`).toBe(100);
  }
  const hashes = toBytes(tile.hashes);
  // Every 61st byte meets each of the 32 places of a hash.
  for (let at = 0; at < hashes.length; at += chooseRuns(1000, 61)) {
    const change = { hashes: changeByte(hashes, at) };
    const place = await withChange({ collection: 'log_tiles', row: tile, change }, findPlace);
    expect(place, `byte ${at} of the tile`).toBe(1 + Math.floor(at / 32));
  }
}, 600_000);

it('the heads log is verified as well: each row of it that is changed is found', async () => {
  const { platform } = harness.app.instance;
  const { db } = harness;
  expect(await checkHeads(platform)).toBeNull();
  const log = (await db.collection('logs').findOne({ chain: 'heads' }))!;
  const [first, ...others] = await db
    .collection('log_heads')
    .find({ logId: 'heads' })
    .sort({ size: 1 })
    .toArray();
  const last = others.at(-1)!;
  const leaf = (await db.collection<{ _id: number }>('heads_leaves').findOne({ _id: 1 }))!;
  const cases: [collection: string, row: mongo.Document, change: object | null, at: number][] = [
    ['heads_leaves', leaf, null, 2],
    [
      'heads_leaves',
      leaf,
      { data: changeByte(toBytes((leaf as mongo.Document).data), 7) },
      last.size,
    ],
    ['log_heads', last, null, log.size],
    ['log_heads', first!, { root: last.root }, first!.size],
    ['logs', log, { size: first!.size }, first!.size + 1],
    ['logs', log, { root: first!.root }, log.size],
  ];
  for (const [collection, row, change, sequence] of cases) {
    const found = await withChange({ collection, row, change }, () => checkHeads(platform));
    expect(found, `${collection} ${JSON.stringify(change)}`).not.toBeNull();
    expect(found!.sequence, `${collection} ${JSON.stringify(change)}`).toBeLessThanOrEqual(
      sequence,
    );
  }
  expect(await checkHeads(platform)).toBeNull();
});

it('the audit chain is compared with its signed heads too', async () => {
  const verifyAudit = async () =>
    assertOk(await harness.app.call('GET', '/api/v1/audit/verify', { token: ada.token })).body.data;
  expect(await verifyAudit()).toMatchObject({ verified: true });
  const organizationId = toObjectId(ada.organizationId);
  const log = (await harness.db.collection('logs').findOne({ organizationId, chain: 'audit' }))!;
  const where = { organizationId, logId: String(log._id), size: log.size };
  const row = (await harness.db.collection('log_heads').findOne(where))!;
  expect(
    await withChange({ collection: 'log_heads', row, change: null }, verifyAudit),
  ).toMatchObject({ verified: false, error: expect.stringContaining('newest checkpoint') });
});

it('a chain that ends before what was signed is short, whatever else was removed', async () => {
  const organizationId = toObjectId(ada.organizationId);
  await harness.db.collection('ledger').deleteOne({ organizationId, sequence: 260 });
  for (const notes of ['heads_ledger', 'cursors', 'chain_verifications'])
    await harness.db.collection(notes).deleteMany({ organizationId });
  expect(await verify()).toMatchObject({
    verified: false,
    brokenDetail: 'the chain ends at 259 but once reached 260',
    completeness: { ok: false, headSequence: 260 },
  });
});

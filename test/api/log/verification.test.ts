// Verification rests on signed heads: what the database alone can write of a log is found, and where.
import { expect, it } from 'vitest';
import { toObjectId } from '../../setup/harness.ts';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { assertOk } from '../../setup/personas.ts';
import { postDecisions, SEALED_AT_ONCE, sealAll } from './log-steps.ts';

const harness = useHarness(SEALED_AT_ONCE);
const ada = useOwner(harness);
const verify = async () =>
  assertOk(await harness.app.call('POST', '/api/v1/hash-chain/verify', ada)).body.data;

/** A row of the log of decisions, changed for one verification. */
async function verifyWith(collection: string, where: object, change: object) {
  const rows = harness.db.collection(collection);
  const filter = { organizationId: toObjectId(ada.organizationId), ...where };
  const row = await rows.findOne(filter);
  expect(row).not.toBeNull();
  await rows.replaceOne({ _id: row!._id }, { ...row, ...change });
  try {
    return await verify();
  } finally {
    await rows.replaceOne({ _id: row!._id }, row!);
  }
}

it('a chain that is what was signed verifies', async () => {
  await postDecisions(harness.app, ada, 260);
  await sealAll(harness.app);
  expect(await verify()).toMatchObject({ verified: true, completeness: { ok: true } });
});

it('each change of signed heads, tiles or the log is found', async () => {
  const organizationId = toObjectId(ada.organizationId);
  const log = await harness.db.collection('logs').findOne({ organizationId, chain: 'ledger' });
  const logId = log!._id as unknown as string;
  const head = { logId, size: 260 };
  const { note } = (await harness.db.collection('log_heads').findOne(head))!;
  const finding = { verified: false, completeness: { ok: false } };
  const unsigned = { ...finding, brokenDetail: 'a stored checkpoint is not one that was signed' };
  expect(await verifyWith('log_heads', head, { root: '00'.repeat(32) })).toMatchObject(unsigned);
  const forged = note.replace(/(.{20})....\n$/, '$1AAAA\n');
  expect(await verifyWith('log_heads', head, { note: forged })).toMatchObject(unsigned);
  expect(await verifyWith('log_heads', head, { logId: 'another' })).toMatchObject({
    ...finding,
    brokenDetail: 'the newest checkpoint of the chain is missing',
  });
  const tile = { logId, level: 0, index: 0 };
  const { hashes } = (await harness.db.collection('log_tiles').findOne(tile))!;
  const changed = Buffer.from(hashes.buffer);
  changed[41 * 32]! ^= 1;
  expect(await verifyWith('log_tiles', tile, { hashes: changed })).toMatchObject({
    ...finding,
    brokenAtSequence: 42,
    brokenDetail: 'a stored tile has another hash',
  });
  expect(await verify()).toMatchObject({ verified: true });
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

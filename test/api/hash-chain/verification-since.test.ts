// Verification since the last verified position, and the daily one of every chain (document 2, section 4.5).
import { Query } from 'mongoose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Stored } from '../../../src/ledger/entry.ts';
import { toObjectId } from '../../../src/ledger/ledger.model.ts';
import { type ChainHarness, History, startChainHarness } from './hash-chain-history.ts';
import { runChecks } from '../../../src/evidence/hash-chain/chain-checks.service.ts';

const VERIFY = '/api/v1/hash-chain/verify';
let harness: ChainHarness;
beforeAll(async () => {
  harness = await startChainHarness();
});
afterAll(() => harness.stop());

interface Found {
  verified: boolean;
  fromSequence: number;
  totalChecked: number;
  lastValidSequence: number;
  brokenAtSequence: number | null;
  brokenReason: string | null;
  brokenDetail: string | null;
  payload: { missing: object[]; mismatched: object[] };
}

async function verify({ owner: { token } }: History, query = '?since=verified'): Promise<Found> {
  const { status, body } = await harness.app.call('POST', VERIFY + query, { token });
  expect({ status, body }).toMatchObject({ status: 200 });
  return body.data as Found;
}

function change(history: History, sequence: number, members: object): Promise<unknown> {
  const organizationId = toObjectId(history.organizationId);
  return harness.db.collection('ledger').updateOne({ organizationId, sequence }, { $set: members });
}

const stateOf = async ({ owner: { token } }: History): Promise<unknown> =>
  (await harness.app.call('GET', '/api/v1/hash-chain/status', { token })).body.data;

test(
  'reads what came after the last verified position, and a history that goes on in it as a whole',
  { tags: ['long'] },
  async () => {
    const history = await History.begin(harness, 'Ada');
    await history.everything();
    const length = (await history.stored()).length;
    // Nothing was verified before: the whole chain.
    expect(await verify(history)).toMatchObject({ fromSequence: 1, totalChecked: length });
    expect(await verify(history)).toMatchObject({
      verified: true,
      fromSequence: length + 1,
      totalChecked: 0,
      lastValidSequence: length,
    });
    await history.everything();
    const longer = (await history.stored()).length;
    const { lastVerifiedAt } = (await stateOf(history)) as { lastVerifiedAt: string };
    expect(await verify(history)).toMatchObject({
      verified: true,
      fromSequence: length + 1,
      totalChecked: longer - length,
      lastValidSequence: longer,
      brokenDetail: null,
    });
    // The status shows when the whole chain was verified, not when a part of it was.
    expect(await stateOf(history)).toMatchObject({ lastVerifiedAt, lastVerificationOk: true });
    expect(await verify(history, '')).toMatchObject({ fromSequence: 1, totalChecked: longer });
  },
);

test(
  'finds what was changed since, and what the new part is not linked to',
  { tags: ['long'] },
  async () => {
    const history = await History.begin(harness, 'Grace');
    await history.everything();
    await verify(history);
    const verified = await history.stored();
    await history.everything();
    const entries = await history.stored();
    const later = entries.at(-2) as Stored;
    await change(history, later.sequence, { chainHash: '1'.repeat(64) });
    expect(await verify(history)).toMatchObject({
      verified: false,
      brokenAtSequence: later.sequence,
      brokenReason: 'chain-hash-mismatch',
    });
    expect(await stateOf(history)).toMatchObject({ lastVerificationOk: false });
    await change(history, later.sequence, { chainHash: later.chainHash });
    // A verification with findings leaves no position to continue from.
    expect(await verify(history)).toMatchObject({ verified: true, fromSequence: 1 });
    await history.store(verified);
    expect(await verify(history)).toMatchObject({
      verified: false,
      fromSequence: 1,
      brokenAtSequence: verified.length + 1,
      brokenReason: 'sequence-gap',
    });
  },
);

test('a missing value of an earlier decision is found through its amendment, and by the full verification', async () => {
  const history = await History.begin(harness, 'Jane');
  await history.everything();
  expect(await verify(history)).toMatchObject({ verified: true });
  const [first] = (await history.stored()) as [Stored];
  await change(history, 1, { 'sealed.metadata': null });
  expect(await verify(history)).toMatchObject({ verified: true, totalChecked: 0 });
  const missing = [{ sequence: 1, field: 'sealed.metadata' }];
  expect((await verify(history, '')).payload).toMatchObject({ missing });
  await change(history, 1, { sealed: first.sealed });
  expect(await verify(history, '')).toMatchObject({ verified: true });
});

test('refuses any other value of `since`', async () => {
  const history = await History.begin(harness, 'Paul');
  const { token } = history.owner;
  for (const since of ['5', '', 'yesterday', 'verified&since=verified'])
    expect(await harness.app.call('POST', `${VERIFY}?since=${since}`, { token })).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_ERROR' },
    });
});

test(
  'every chain that was not verified for a day is, and no other',
  { tags: ['long'] },
  async () => {
    const [old, young, lately] = await Promise.all([
      History.begin(harness, 'Old'),
      History.begin(harness, 'Young'),
      History.begin(harness, 'Lately'),
    ]);
    await Promise.all([old, young, lately].map((history) => history.everything()));
    await verify(lately);
    const before = await stateOf(lately);
    const createdAt = new Date(Date.now() - 25 * 3600_000);
    const ids = [old, lately].map(({ organizationId }) => toObjectId(organizationId));
    await harness.db
      .collection('organizations')
      .updateMany({ _id: { $in: ids } }, { $set: { createdAt } });
    const { platform } = harness.app.instance;
    expect(await runChecks(platform)).toBe(1);
    expect(await stateOf(old)).toMatchObject({ lastVerificationOk: true });
    expect(await stateOf(young)).toMatchObject({ lastVerifiedAt: null });
    expect(await stateOf(lately)).toEqual(before);
    expect(await runChecks(platform)).toBe(0);

    await harness.db
      .collection('chain_verifications')
      .updateOne(
        { organizationId: toObjectId(old.organizationId) },
        { $set: { verifiedAt: createdAt } },
      );
    await change(old, 2, { payloadDigest: '1'.repeat(64) });
    expect(await runChecks(platform)).toBe(1);
    expect(await stateOf(old)).toMatchObject({ lastVerificationOk: false });
    expect(await (await fetch(`${harness.app.url}/metrics`)).text()).toContain(
      'assay_chain_checks_total{outcome="broken"} 1',
    );
  },
);

/** Holds the next result back that is to be stored. */
function holdResult(): { reached: Promise<void>; release: () => void } {
  const { exec } = Query.prototype;
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const reached = new Promise<void>((resolve) => {
    Query.prototype.exec = async function (this: Query<unknown, unknown>, ...args) {
      const { name } = this.model.collection;
      if (name === 'chain_verifications' && (this as { op?: string }).op === 'updateOne') {
        Query.prototype.exec = exec;
        resolve();
        await released;
      }
      return exec.apply(this, args);
    } as typeof exec;
  });
  return { reached, release };
}

test.for(['', '?since=verified'])(
  'a verification that ends late (%s) replaces no result of one that began later',
  { tags: ['long'] },
  async (late) => {
    const history = await History.begin(harness, `Late${late.length}`);
    await history.post();
    await verify(history, '');
    const [{ payloadDigest }] = (await history.stored()) as [Stored & { payloadDigest: string }];
    await history.post();
    const held = holdResult();
    const first = verify(history, late);
    await held.reached;
    await change(history, 1, { payloadDigest: 'ab'.repeat(32) });
    expect(await verify(history, '')).toMatchObject({ verified: false });
    const broken = await stateOf(history);
    held.release();
    expect(await first).toMatchObject({ verified: true });
    expect(await stateOf(history)).toEqual(broken);
    expect(await verify(history)).toMatchObject({ fromSequence: 1, brokenAtSequence: 1 });
    await change(history, 1, { payloadDigest });
    expect(await verify(history, '')).toMatchObject({ verified: true });
  },
);

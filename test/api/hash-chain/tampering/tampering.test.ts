// Tampering with the database is found at its position; lawful changes raise no alarm (security-tests: chain).
// @module-tag varied
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Pin, readPin, type Report, type Value, verifyBundle } from '@assay/verifier';
import type { Stored } from '../../../../src/ledger/entry.ts';
import { toObjectId } from '../../../../src/ledger/ledger.model.ts';
import type { VerifiedPosition } from '../../../../src/ledger/verify/report.ts';
import { generateId } from '../../../../src/platform/ids.ts';
import { type Chance, seeded } from '../../../ledger/random.ts';
import { chooseRuns } from '../../../setup/runs.ts';
import { type ChainHarness, History, startChainHarness } from '../hash-chain-history.ts';
import { FORGERIES } from './forgeries.ts';
import { expectSameInRanges } from './verified-in-ranges.ts';
import { MUTATIONS, rewriteFrom, type Tampered } from './mutations.ts';

let harness: ChainHarness;
let history: History;
let intact: Stored[];
let noted: object[];
beforeAll(async () => {
  harness = await startChainHarness();
  history = await History.begin(harness, 'Eve');
  await history.everything();
  intact = await history.stored();
  // As after thinning: only the newest head is noted.
  const { sequence, chainHash } = intact.at(-1) as Stored;
  noted = [{ sequence, chainHash }];
  await noteHeads(noted);
});
afterAll(() => harness.stop());

async function* linesOf(text: string): AsyncGenerator<string> {
  for (const line of text.replace(/\n$/, '').split('\n')) yield await Promise.resolve(line);
}

function offline(text: string, pins: readonly Pin[] = []): Promise<Report> {
  return verifyBundle(linesOf(text), { pins, organizationId: history.organizationId });
}

function pinsOf(receipts: readonly object[]): Pin[] {
  return receipts.map((receipt) => readPin(receipt as Value) as Pin);
}

test('an untouched chain verifies, here and offline', async () => {
  await history.store(intact);
  await noteHeads(noted);
  const found = await history.verify();
  expect(found).toMatchObject({
    verified: true,
    ok: true,
    totalChecked: intact.length,
    lastValidSequence: intact.length,
    brokenAtSequence: null,
    brokenReason: null,
    completeness: { headSequence: intact.length, ok: true },
  });
  expect(found.payload).toMatchObject({ mismatched: [], missing: [] });
  expect(found.payload.checked).toBeGreaterThan(30);
  expect(found.payload.erased).toBeGreaterThan(5);
  // Four of a payload, and the raw action of six decisions and a verdict.
  expect(found.payload.unstored).toBe(11);
  expect(await verifiedInRanges(3)).toBe(Math.ceil(intact.length / 3));
  const { sequence, chainHash, createdAt, usage } = intact[4] as Stored;
  const after = { sequence, chainHash, createdAt: createdAt.toISOString(), usage };
  expect(await verifiedInRanges(3, after)).toBe(Math.ceil((intact.length - 5) / 3));
  expect(await offline(await history.bundle(), pinsOf(history.receipts))).toMatchObject({
    verdict: 'intact',
  });
});

const ALL = [...MUTATIONS, ...FORGERIES];
const KINDS = [...new Set(ALL)];
const ROUNDS = chooseRuns(1, 8);

/** Chance whose picks take turns: rounds enough for a list try each item of it. */
function takeTurns(kind: number, round: number): Chance {
  const starts = seeded(kind);
  const pick = <T>(items: readonly T[]): T =>
    items[(round + starts.integer(0, 999)) % items.length] as T;
  return { ...seeded(kind * 1000 + round), pick };
}

test.for(KINDS.map((mutate, kind) => ({ mutate, kind, name: mutate.name })))(
  '$name is found at its place, every time',
  { timeout: 300_000 },
  async ({ mutate, kind }) => {
    const rounds = ROUNDS * ALL.filter((listed) => listed === mutate).length;
    for (let round = 0; round < rounds; round++)
      await expectFound(mutate(intact, takeTurns(kind, round)), kind * 1000 + round);
  },
);

test('docs/operate/security.md has a row for each', () => {
  const text = readFileSync('docs/operate/security.md', 'utf8');
  const [, section = ''] = /^## Tampering.*?$(.*?)^## /ms.exec(text) ?? [];
  const rows = [...section.matchAll(/`(\w+)`/g)].map(([, name]) => name);
  expect(new Set(rows)).toEqual(new Set(ALL.map(({ name }) => name)));
});

async function expectFound(tampered: Tampered, seed: number): Promise<void> {
  const { what, place, inBundle } = tampered;
  await history.store(tampered.documents);
  await noteHeads(tampered.heads ?? noted);
  const found = await history.verify();
  const { verified, lastValidSequence, brokenDetail } = found;
  expect({ what, seed, verified, place: lastValidSequence + 1, brokenDetail }).toMatchObject({
    verified: false,
    place,
  });
  await verifiedInRanges(1 + (seed % 7));
  if (!inBundle) return;
  const { verdict, problems } = await offline(await history.bundle());
  expect({ what, seed, verdict, place: problems[0]?.sequence }).toMatchObject({
    verdict: 'tampered',
    place,
  });
}

function verifiedInRanges(length: number, after: VerifiedPosition | null = null): Promise<number> {
  const { organizationId } = history;
  const verified = { db: harness.db, organizationId, reached: intact.length, after };
  return expectSameInRanges(verified, length);
}

/** Replaces all noted heads of the chain; no consumer has seen the entries appended by hand. */
async function noteHeads(rows: readonly object[]): Promise<void> {
  const organizationId = toObjectId(history.organizationId);
  const cursors = harness.db.collection('cursors');
  await cursors.updateMany({ organizationId }, { $min: { sequence: intact.length } });
  const heads = harness.db.collection('heads_ledger');
  await heads.deleteMany({ organizationId });
  const at = new Date();
  if (rows.length > 0)
    await heads.insertMany(
      rows.map((row) => ({ at, ...row, _id: toObjectId(generateId()), organizationId })),
    );
}

test('verification distinguishes reasons, and reports the expected sequence', async () => {
  await noteHeads(noted);
  await history.store(intact.filter(({ sequence }) => sequence !== 4));
  expect(await history.verify()).toMatchObject({
    brokenAtSequence: 5,
    brokenReason: 'sequence-gap',
    expectedSequence: 4,
    lastValidSequence: 3,
  });
  await history.store(
    intact.map((entry) => (entry.sequence === 5 ? { ...entry, prevHash: '1'.repeat(64) } : entry)),
  );
  expect(await history.verify()).toMatchObject({
    brokenAtSequence: 5,
    brokenReason: 'prev-hash-mismatch',
  });
  await history.store(
    intact.map((entry) => (entry.sequence === 5 ? { ...entry, chainHash: '1'.repeat(64) } : entry)),
  );
  expect(await history.verify()).toMatchObject({
    brokenAtSequence: 5,
    brokenReason: 'chain-hash-mismatch',
  });
  await history.store(intact.slice(0, 9));
  expect(await history.verify()).toMatchObject({
    brokenAtSequence: 10,
    brokenReason: 'sequence-gap',
    expectedSequence: 10,
    lastValidSequence: 9,
    completeness: { headSequence: intact.length, ok: false },
  });
});

test('verification names an erased value that comes back, and one that is missing without an erasure', async () => {
  const [first] = intact as [Stored];
  const deleted = intact.find(({ deletedAt }) => deletedAt) as Stored;
  const { metadata } = first.sealed as { metadata: unknown };
  const sealed = { ...(deleted.sealed as object), inputContext: metadata };
  await history.store(intact.map((entry) => (entry === deleted ? { ...entry, sealed } : entry)));
  expect((await history.verify()).payload.mismatched).toContainEqual({
    sequence: deleted.sequence,
    field: 'sealed.inputContext',
  });
  await history.store([
    { ...first, sealed: { ...(first.sealed as object), metadata: null } },
    ...intact.slice(1),
  ]);
  expect((await history.verify()).payload.missing).toEqual([
    { sequence: 1, field: 'sealed.metadata' },
  ]);
});

test('a chain rewritten from any position on is found by the noted heads, or by a receipt if those were rewritten too', async () => {
  const heads = harness.db.collection('heads_ledger');
  await noteHeads(noted);
  for (let at = 0; at < intact.length; at += chooseRuns(4, 1)) {
    const rewritten = rewriteFrom(intact, at);
    await history.store(rewritten);
    const byHeads = await history.verify();
    expect({ at, verified: byHeads.verified }).toEqual({ at, verified: false });
    expect(byHeads.lastValidSequence).toBeGreaterThanOrEqual(at);
    await heads.deleteMany({ organizationId: intact[0]?.organizationId });
    const pins = pinsOf(history.receipts);
    const first = pins.find(({ sequence }) => sequence > at) as Pin;
    const { verdict, problems } = await offline(await history.bundle(), pins);
    expect({ at, verdict }).toEqual({ at, verdict: 'tampered' });
    expect(problems.map(({ sequence }) => sequence)).toContain(first.sequence);
    await noteHeads(noted);
  }
});

test(
  'intact histories with every lawful change in them raise no alarm',
  { timeout: 300_000, tags: ['long'] },
  async () => {
    for (let organization = 0; organization < 8; organization++) {
      const chance = seeded(organization);
      const lawful = await History.begin(harness, 'Grace');
      for (let state = 0; state < 10; state++) {
        for (let change = chance.integer(1, 4); change > 0; change--) await lawful.anything(chance);
        const { verified, brokenAtSequence, brokenDetail } = await lawful.verify();
        expect({ organization, state, verified, brokenAtSequence, brokenDetail }).toMatchObject({
          verified: true,
        });
      }
      const { problems } = await verifyBundle(linesOf(await lawful.bundle()), {});
      expect(problems.map(({ code }) => code)).toEqual(['not-vouched']);
    }
  },
);

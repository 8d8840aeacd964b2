// Verifies a chain in one go, and in ranges as several threads do, and compares the findings.
import type { mongo } from 'mongoose';
import { expect } from 'vitest';
import { DECISIONS } from '../../../../src/ledger/chains.ts';
import { splitRanges, replayRange } from '../../../../src/ledger/verify/ranges.ts';
import type { VerifiedPosition } from '../../../../src/ledger/verify/report.ts';
import { type ReplayedRange, verifyChain } from '../../../../src/ledger/verify/verify-chain.ts';
import { traceColumns } from '../../../../src/decisions/traces/traces.columns.ts';

interface Verified {
  db: mongo.Db;
  organizationId: string;
  /** How far the chain is known to have reached. */
  reached: number;
  /** The position up to which it is verified already. */
  after?: VerifiedPosition | null;
}

/** @param length entries of a range; returns how many ranges there were */
export async function expectSameInRanges(verified: Verified, length: number): Promise<number> {
  const known = { now: new Date(), erasedUntil: null, after: null };
  const chain = { ...known, ...verified, chain: DECISIONS, columns: traceColumns };
  const ranges = await splitRanges(chain, length);
  const replayed = ranges.map(async (range): Promise<ReplayedRange> => {
    const found = await replayRange(chain, range);
    return { range, replayed: structuredClone(found) };
  });
  const inRanges = await verifyChain({ ...chain, ranges: await Promise.all(replayed) });
  expect(inRanges).toEqual(await verifyChain(chain));
  return ranges.length;
}

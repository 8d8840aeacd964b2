// Instances stopped at any command between a reservation and what rests on it: thousands of stops, each from a seed.
// @module-tag varied
// Run one life again: `npx vitest run test/ledger/stops -t "seed 123"`, after it was added to `AGAIN`.
import { describe, expect, test } from 'vitest';
import { chooseRuns } from '../../setup/runs.ts';
import { liveOnce, MISSING } from './stopped-lives.ts';

const STOPS = chooseRuns(200, 10_000);
/** Seeds that once failed. */
const AGAIN: readonly number[] = [1];
/** Enough lives to notice any fence that is missing. */
const UNFENCED_SEEDS = 1_000;

test.each(AGAIN)('seed %i', async (seed) => {
  await liveOnce(seed);
});

test(`no effect twice in ${STOPS} stops`, { timeout: 900_000 }, async () => {
  let stops = 0;
  for (let seed = 1; stops < STOPS; seed++) {
    stops += await liveOnce(seed).catch((error: unknown) => {
      throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error });
    });
  }
});

describe('notices a claim with', () => {
  test.each(MISSING)('%s', { timeout: 120_000, tags: ['long'] }, async (missing) => {
    const noticed = async () => {
      for (let seed = 1; seed <= UNFENCED_SEEDS; seed++) await liveOnce(seed, missing);
    };
    await expect(noticed()).rejects.toThrow('a second time');
  });
});

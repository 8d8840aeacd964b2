// Simulates the appender under faults: a hundred or thousands of lives, each from a seed that a failure prints.
// @module-tag varied
// Run one life again: add its seed to `AGAIN`, then `npx vitest run test/ledger/simulation.test.ts -t "seed 123"`.
import { describe, expect, test } from 'vitest';
import { chooseRuns } from '../setup/runs.ts';
import { MUTATIONS } from './store/replica-set.ts';
import { simulate } from './simulation.ts';

const SEEDS = chooseRuns(120, 800);
/** Seeds that once failed. */
const AGAIN = [3, 190, 384, 754, 1472, 3319];
/** Enough lives to notice any single mutation. */
const MUTATED_SEEDS = 400;

test.each(AGAIN)('seed %i', async (seed) => {
  await simulate(seed);
});

test(`the invariants hold in ${SEEDS} lives`, { timeout: 900_000 }, async () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    await simulate(seed).catch((error: unknown) => {
      throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error });
    });
  }
});

describe('notices an appender whose store', () => {
  test.each(MUTATIONS)('%s', async (mutation) => {
    const noticed = async () => {
      for (let seed = 1; seed <= MUTATED_SEEDS; seed++) await simulate(seed, mutation);
    };
    await expect(noticed()).rejects.toThrow(/entry|answer/);
  });
});

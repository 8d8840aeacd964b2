// The appender under everything that can go wrong: a hundred lives or thousands, each made from a seed that a failure prints.
// @module-tag varied
// To run one life again: `npx vitest run test/ledger/simulation.test.ts -t "seed 123"` after adding the seed to `AGAIN`.
import { describe, expect, test } from 'vitest';
import { runs } from '../setup/runs.ts';
import { MUTATIONS } from './store/replica-set.ts';
import { simulate } from './simulation.ts';

const SEEDS = runs(120, 2_000);
/** Seeds that once failed stay here. */
const AGAIN = [3, 190, 384, 754, 1472, 3319];
/** As many lives as it takes to notice any one misunderstanding. */
const MUTATED_SEEDS = 400;

test.each(AGAIN)('seed %i', async (seed) => {
  await simulate(seed);
});

test(`${SEEDS} lives`, { timeout: 900_000 }, async () => {
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

// A setup file: the same random cases in every run, so that what failed can be repeated; `ASSAY_TEST_SEED=random` tries others.
import fc from 'fast-check';

const { ASSAY_TEST_SEED: seed = '1' } = process.env;
if (seed !== 'random') fc.configureGlobal({ seed: Number(seed) });

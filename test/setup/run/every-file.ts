// A setup file: runs with each test file, whose own `afterAll` has stopped its apps before.
import fc from 'fast-check';
import { afterAll } from 'vitest';
import { freeDatabases } from '../databases.ts';

// The same random cases in every run, so that what failed can be repeated; `ASSAY_TEST_SEED=random` tries others.
const { ASSAY_TEST_SEED: seed = '1' } = process.env;
if (seed !== 'random') fc.configureGlobal({ seed: Number(seed) });

afterAll(freeDatabases);

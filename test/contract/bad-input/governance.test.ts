// Bad input to impact assessments and incidents.
// @module-tag varied
import { expect } from 'vitest';
import { operationsOf } from '../examples/all.ts';
import { runs, sampled } from '../../setup/runs.ts';
import { harmless, test } from './sweep.ts';

test.for(sampled(operationsOf('governance')))('%s', async (operation, { sweep }) => {
  expect(await sweep.over(operation, runs(16, 1))).toEqual(harmless(operation));
});

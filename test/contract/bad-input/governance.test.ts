// Bad input to impact assessments and incidents.
import { expect } from 'vitest';
import { operationsOf } from '../examples/all.ts';
import { runs } from '../../setup/runs.ts';
import { harmless, test } from './sweep.ts';

test.for(operationsOf('governance'))('%s', async (operation, { sweep }) => {
  expect(await sweep.over(operation, runs(16, 1))).toEqual(harmless(operation));
});

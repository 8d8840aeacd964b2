// Bad input to impact assessments and incidents.
// @module-tag varied
import { expect } from 'vitest';
import { listOperations } from '../examples/all.ts';
import { chooseRuns, sampleItems } from '../../setup/runs.ts';
import { describeHarmless, test } from './sweep.ts';

test.for(sampleItems(listOperations('governance')))('%s', async (operation, { sweep }) => {
  expect(await sweep.sweepOperation(operation, chooseRuns(16, 5))).toEqual(
    describeHarmless(operation),
  );
});

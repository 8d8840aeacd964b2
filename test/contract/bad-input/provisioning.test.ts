// Bad input to SCIM.
// @module-tag varied
import { expect } from 'vitest';
import { listOperations } from '../examples/all.ts';
import { chooseRuns, sampleItems } from '../../setup/runs.ts';
import { describeHarmless, test } from './sweep.ts';

test.for(sampleItems(listOperations('provisioning')))('%s', async (operation, { sweep }) => {
  expect(await sweep.sweepOperation(operation, chooseRuns(16, 5))).toEqual(
    describeHarmless(operation),
  );
});

test('afterwards both chains are whole, no audit row waits, and the main job still works', async ({
  sweep,
}) => {
  expect(await sweep.inspectAftermath()).toEqual({ brokenLinks: [], ingestion: 201 });
});

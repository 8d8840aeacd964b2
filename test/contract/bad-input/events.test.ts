// Bad input to webhooks and alerts.
// @module-tag varied
import { expect } from 'vitest';
import { operationsOf } from '../examples/all.ts';
import { runs, sampled } from '../../setup/runs.ts';
import { harmless, test } from './sweep.ts';

test.for(sampled(operationsOf('events')))('%s', async (operation, { sweep }) => {
  expect(await sweep.over(operation, runs(16, 1))).toEqual(harmless(operation));
});

test('afterwards both chains are whole, no audit row waits, and the main job still works', async ({
  sweep,
}) => {
  expect(await sweep.aftermath()).toEqual({ brokenLinks: [], ingestion: 201 });
});

// The authorisation matrix of impact assessments, incidents, webhooks, alerts: every kind of caller, as written down.
// @module-tag varied
import { expect } from 'vitest';
import { operationsOf } from '../examples/all.ts';
import { runs, sampled } from '../../setup/runs.ts';
import { rowOf, test } from './callers.ts';

test.for(sampled(operationsOf('governance', 'events')))('%s', async (operation, { callers }) => {
  const row = rowOf(operation, runs(1, Infinity));
  const { verdicts, faults } = await callers.verdicts(operation, row);
  expect(verdicts).toEqual(row);
  expect(faults).toEqual([]);
});

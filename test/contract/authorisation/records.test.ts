// The authorisation matrix of agents, policies, decisions and their chain: every kind of caller, as written down.
// @module-tag varied
import { expect } from 'vitest';
import { operationsOf } from '../examples/all.ts';
import { runs, sampled } from '../../setup/runs.ts';
import { rowOf, test } from './callers.ts';

test.for(sampled(operationsOf('records')))('%s', async (operation, { callers }) => {
  const row = rowOf(operation, runs(1, Infinity));
  const { verdicts, faults } = await callers.verdicts(operation, row);
  expect(verdicts).toEqual(row);
  expect(faults).toEqual([]);
});

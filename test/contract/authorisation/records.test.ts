// The authorisation matrix of agents, policies, decisions and their chain: every kind of caller, as written down.
// @module-tag varied
import { expect } from 'vitest';
import { listOperations } from '../examples/all.ts';
import { chooseRuns, sampleItems } from '../../setup/runs.ts';
import { selectRow, test } from './callers.ts';

test.for(sampleItems(listOperations('records')))('%s', async (operation, { callers }) => {
  const row = selectRow(operation, chooseRuns(1, Infinity));
  const { verdicts, faults } = await callers.verdicts(operation, row);
  expect(verdicts).toEqual(row);
  expect(faults).toEqual([]);
});

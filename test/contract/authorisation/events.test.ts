// The authorisation matrix of webhooks and alerts: every kind of caller is let in or refused as written down.
import { expect } from 'vitest';
import { access, operationsOf } from '../examples/all.ts';
import { test } from './callers.ts';

test.for(operationsOf('events'))('%s', async (operation, { callers }) => {
  const { verdicts, faults } = await callers.verdicts(operation);
  expect(verdicts).toEqual(access[operation]);
  expect(faults).toEqual([]);
});

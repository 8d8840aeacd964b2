// `test` with what the contract tests begin with: an app whose providers and names are at hand.
import { test as base } from 'vitest';
import { startContractHarness } from './tenant.ts';

export const test = base.extend('harness', { scope: 'file' }, async ({}, { onCleanup }) => {
  const harness = await startContractHarness();
  onCleanup(() => harness.stop());
  return harness;
});

// The offline verifier on claims and outcomes: an action is claimed once, and its outcome is final unless it is unknown.
import { expect, test } from 'vitest';
import type { ExecutionState } from '../../../src/domain/record/payload.ts';
import { SampleChain } from './samples/sample-chain.ts';
import { verifyPinned } from './verification.ts';

const OTHER = '65f0000000000000000000c1';

function chainOf(states: readonly (ExecutionState | [ExecutionState, string])[]) {
  const chain = new SampleChain();
  chain.trace();
  for (const step of states) {
    const [state, id] = typeof step === 'string' ? [step, undefined] : step;
    chain.execute(0, state, id);
  }
  return chain.entries;
}

test.each<[ExecutionState[]]>([
  [['claimed']],
  [['claimed', 'succeeded']],
  [['claimed', 'failed']],
  [['claimed', 'unknown']],
  [['claimed', 'unknown', 'succeeded']],
])('%j is intact', async (states) => {
  const entries = chainOf(states);
  expect(await verifyPinned(entries, entries.at(-1)!)).toMatchObject({ verdict: 'intact' });
});

test.each<[(ExecutionState | [ExecutionState, string])[], number]>([
  [['claimed', 'claimed'], 3],
  [['claimed', ['claimed', OTHER]], 3],
  [['claimed', 'unknown', ['claimed', OTHER]], 4],
  [['succeeded'], 2],
  [['claimed', ['succeeded', OTHER]], 3],
  [['claimed', 'succeeded', 'failed'], 4],
  [['claimed', 'succeeded', 'succeeded'], 4],
  [['claimed', 'unknown', 'unknown'], 4],
])('%j is tampered with', async (states, sequence) => {
  const entries = chainOf(states);
  expect(await verifyPinned(entries, entries.at(-1)!)).toMatchObject({
    verdict: 'tampered',
    problems: [{ code: 'execution-mismatch', sequence }],
  });
});

test('an outcome whose claim is before the document is not judged', async () => {
  const entries = chainOf(['claimed', 'succeeded']).slice(2);
  const head = { sequence: 3, chainHash: entries[0]!.chainHash };
  expect(await verifyPinned(entries, entries[0]!, { head })).toMatchObject({ verdict: 'intact' });
});

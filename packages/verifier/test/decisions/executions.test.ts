// The offline verifier on claims and outcomes: an action is claimed once, and its outcome is final unless it is unknown.
import { describe, expect, test } from 'vitest';
import type { ExecutionState } from '../../../../src/domain/record/payload.ts';
import { SampleChain } from '../../../../test/domain/record/samples/sample-chain.ts';
import { verifyPinned } from '../verification.ts';

const OTHER = '65f0000000000000000000c1';

function chainOf(states: readonly (ExecutionState | [ExecutionState, string])[]) {
  const chain = new SampleChain();
  chain.trace();
  for (const step of states) {
    const [state, executionId] = typeof step === 'string' ? [step] : step;
    chain.execute(0, state, { executionId });
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

describe('an effect', () => {
  const [PAY, NOTE] = ['a'.repeat(64), 'b'.repeat(64)];
  /** Decisions claim, and say how that ended, in this order. */
  function chainOfEffects(steps: readonly [number, ExecutionState, ...string[]][]) {
    const chain = new SampleChain();
    for (let decision = 0; decision < 3; decision++) chain.trace();
    for (const [decision, state, ...effects] of steps) chain.execute(decision, state, { effects });
    return chain.entries;
  }

  test.each<[[number, ExecutionState, ...string[]][]]>([
    [[[0, 'claimed', PAY, NOTE]]],
    [
      [
        [0, 'claimed', PAY],
        [1, 'claimed', NOTE],
      ],
    ],
    [
      [
        [0, 'claimed', PAY],
        [0, 'failed'],
        [1, 'claimed', PAY],
        [1, 'unknown'],
        [1, 'failed'],
        [2, 'claimed', PAY],
      ],
    ],
  ])('%j is intact', async (steps) => {
    const entries = chainOfEffects(steps);
    expect(await verifyPinned(entries, entries.at(-1)!)).toMatchObject({ verdict: 'intact' });
  });

  test.each<[[number, ExecutionState, ...string[]][], number]>([
    [
      [
        [0, 'claimed', PAY],
        [1, 'claimed', PAY],
      ],
      5,
    ],
    [
      [
        [0, 'claimed', PAY, NOTE],
        [0, 'succeeded'],
        [1, 'claimed', NOTE],
      ],
      6,
    ],
    [
      [
        [0, 'claimed', PAY],
        [0, 'unknown'],
        [1, 'claimed', PAY],
        [1, 'failed'],
      ],
      6,
    ],
  ])('%j is claimed twice', async (steps, sequence) => {
    const entries = chainOfEffects(steps);
    expect(await verifyPinned(entries, entries.at(-1)!)).toMatchObject({
      verdict: 'tampered',
      problems: [{ code: 'execution-mismatch', sequence }],
    });
  });

  test('is not compared where the document does not show it', async () => {
    const entries = chainOfEffects([
      [0, 'claimed', PAY],
      [1, 'claimed', PAY],
    ]).map((entry) => ({ ...entry, disclosures: [] }));
    expect(await verifyPinned(entries, entries.at(-1)!)).toMatchObject({ verdict: 'intact' });
  });
});

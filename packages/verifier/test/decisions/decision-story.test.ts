// What the verifier tells of one decision: each step by what its entry says, and whether it is about the action asked for.
import { expect, test } from 'vitest';
import { DecisionStory, describeStory } from '../../src/decisions/decision-story.ts';
import { hashSha256, toCanonicalJson } from '../../src/text.ts';
import type { View } from '../../src/view.ts';

const entry = { sequence: 7, traceId: 't' } as Parameters<DecisionStory['addEntry']>[0];
const toView = (members: Partial<View>): View => ({ commitments: {}, ...members }) as View;
const action = { type: 'refund', amount: 5 };
const commit = (name: string, salt: string): string =>
  hashSha256(toCanonicalJson([salt, name, hashSha256(toCanonicalJson(action))]));

test.each<[Partial<View>, string]>([
  [{ kind: 'trace' }, 'proposed'],
  [{ kind: 'review', decision: 'approve' }, 'approved'],
  [{ kind: 'review', decision: 'reject' }, 'rejected'],
  [{ kind: 'review' }, 'changed'],
  [{ kind: 'execution', state: 'claimed' }, 'claimed'],
  [{ kind: 'execution', state: 'succeeded' }, 'succeeded'],
  [{ kind: 'execution' }, 'changed'],
  [{ kind: 'erasure' }, 'erased'],
  [{ kind: 'resolution', state: 'claimed', decision: 'approve' } as Partial<View>, 'changed'],
])('%j is described as %s', (members, what) => {
  const story = new DecisionStory({ traceId: 't' });
  story.addEntry(entry, toView({ ...members, actor: { kind: 'user' } } as Partial<View>));
  expect(story.steps).toEqual([{ sequence: 7, by: 'user', what, isAction: null }]);
  expect(describeStory('t', story.steps)).toEqual(['  the decision t:', `    7: ${what} by user`]);
});

test('an entry of another decision is not described', () => {
  const story = new DecisionStory({ traceId: 'u' });
  story.addEntry(entry, toView({ kind: 'trace' }));
  expect(describeStory('u', story.steps)).toEqual(['  nothing about the decision u']);
});

test.each([
  ['the proposed one', { rawAction: commit('rawAction', 'a') }, ', this action'],
  ['another', { rawAction: commit('rawAction', 'b') }, ', ANOTHER action'],
  ['the edited one', { editedAction: commit('editedAction', 'b') }, ', this action'],
  [
    'one of two',
    { rawAction: commit('rawAction', 'a'), editedAction: commit('editedAction', 'a') },
    ', ANOTHER action',
  ],
  ['none', {}, ''],
])('a step about %s', (_what, commitments, shown) => {
  const story = new DecisionStory({
    traceId: 't',
    raw: { action, salt: 'a' },
    edited: { action, salt: 'b' },
  });
  story.addEntry(entry, toView({ kind: 'trace', commitments }));
  expect(describeStory('t', story.steps)[1]).toBe(`    7: proposed by unknown${shown}`);
});

// Who may not decide what they are involved in, case by case (decisions: self-review).
import { expect, test } from 'vitest';
import { deriveActorMark, listActorNames } from '../../../src/domain/review/actor-marks.ts';
import {
  DEFAULT_SELF_REVIEW,
  findSelfReview,
  type Involvement,
  INVOLVEMENTS,
  PREVENTIONS,
} from '../../../src/domain/review/self-review.ts';

const OFF = { actor: 'off', keyMaker: 'off', agentOwner: 'off' } as const;
const REFUSES = { off: [false, false], 'where-possible': [false, true], always: [true, true] };

test.each(
  INVOLVEMENTS.flatMap((kind) =>
    PREVENTIONS.flatMap((rule) => [false, true].map((hasOther) => ({ kind, rule, hasOther }))),
  ),
)('$kind, $rule, another person: $hasOther', ({ kind, rule, hasOther }) => {
  const expected = REFUSES[rule][Number(hasOther)] ? kind : null;
  expect(findSelfReview({ ...OFF, [kind]: rule }, [kind], hasOther)).toBe(expected);
  expect(findSelfReview({ ...OFF, [kind]: rule }, [], hasOther)).toBe(null);
  const rest = INVOLVEMENTS.filter((one) => one !== kind);
  expect(findSelfReview({ ...OFF, [kind]: rule }, rest, hasOther)).toBe(null);
});

test.each<[Involvement[], boolean, Involvement | null]>([
  [['actor'], true, 'actor'],
  [['actor'], false, null],
  [['keyMaker', 'agentOwner'], true, null],
  [['actor', 'keyMaker', 'agentOwner'], true, 'actor'],
])('by default, %j with another person: %s', (involved, hasOther, expected) => {
  expect(findSelfReview(DEFAULT_SELF_REVIEW, involved, hasOther)).toBe(expected);
});

test('the strictest of several rules refuses', () => {
  const rules = { actor: 'where-possible', keyMaker: 'always', agentOwner: 'off' } as const;
  expect(findSelfReview(rules, ['actor', 'keyMaker'], false)).toBe('keyMaker');
});

const mark = (name: string): string => deriveActorMark('secret', name);

test.each([
  'ADA@example.com',
  ' ada@Example.COM ',
  'mailto:ada@example.com',
  'Ada <ada@example.com>',
  '\uFF41da@example.com',
])('%j means the same as the address', (name) => {
  expect(mark(name)).toBe(mark('ada@example.com'));
});

test.each(['ada@example.org', 'eda@example.com', 'ada', '', '<ada@example.com'])(
  '%j means another person',
  (name) => {
    expect(mark(name)).not.toBe(mark('ada@example.com'));
  },
);

test('another organisation has other marks, and a mark tells no name', () => {
  expect(deriveActorMark('another', 'ada@example.com')).not.toBe(mark('ada@example.com'));
  expect(mark('ada@example.com')).toMatch(/^[\w-]{22}$/);
});

test('all subjects are read, and what is none is left out', () => {
  expect(
    listActorNames([{ type: 'agent', id: 'a' }, { id: 'b' }, {}, null, 'c', { id: 7 }]),
  ).toEqual(['a', 'b']);
  for (const none of [undefined, null, 'a', { id: 'a' }]) expect(listActorNames(none)).toEqual([]);
});

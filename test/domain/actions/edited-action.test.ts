// What a reviewer makes of an action in the console is what the edits make of it, or the console says why it cannot be.
// @module-tag varied
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json, JsonObject } from '@assay/json';
import { readEdits } from '../../../console/src/pages/review/merge-patch.ts';
import { applyMergePatch, findLostNull } from '../../../src/domain/actions/merge-patch.ts';
import { chooseRuns } from '../../setup/runs.ts';

const { object } = fc.letrec<{ value: Json; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<Json>(null, 1, 'x', true),
    fc.array(tie('value'), { maxLength: 2 }),
    tie('object'),
  ),
  object: fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), { noNullPrototype: true }),
}));

test('the edits make of an action what the reviewer made of it', () => {
  const settled = fc.property(object, object, (action, edited) => {
    const { edits, changes, problem } = readEdits(action, JSON.stringify(edited));
    if (problem !== null) expect(problem).toMatch(/: cannot be set to null/);
    else if (edits === null) expect([changes, edited]).toEqual([[], action]);
    else {
      expect(applyMergePatch(action, edits as Json)).toEqual(edited);
      expect(findLostNull(action, edits as Json)).toBeNull();
    }
  });
  fc.assert(settled, { numRuns: chooseRuns(500, 20_000) });
});

test.each([
  [
    '{"a":1,"options":{"limit":null}}',
    'options.limit: cannot be set to null; take it away instead',
  ],
  ['{"a":{"b":{"c":null}}}', 'a.b.c: cannot be set to null; take it away instead'],
  ['{"a":null}', 'a: cannot be set to null; take it away instead'],
  ['{"a":[null]}', null],
])('%s is refused as %j', (text, problem) => {
  expect(readEdits({ a: 1 }, text).problem).toBe(problem);
});

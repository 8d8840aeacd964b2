// What holds for every prompt, result and action: no value in a result lacks a source, and what is missing proves nothing.
// @module-tag varied
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { OriginTracker, type Origins } from '../../../../packages/sdk-typescript/src/origins.ts';
import type { Json } from '../../../../packages/sdk-typescript/src/json.ts';
import { chooseRuns } from '../../../setup/runs.ts';

const TRACES = ['a', 'b', 'c', 'd'].map((letter) => `trc_${letter.repeat(32)}`);
const numRuns = chooseRuns(100, 3_000);

const word = fc.oneof(
  fc.constantFrom(
    'Bob',
    'bob',
    'Straße',
    'ΟΔΟΣ',
    'no.',
    '1,250.50',
    '12',
    '-3',
    '"x"',
    'a_b',
    '{',
    '\n',
  ),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
);
const text = fc.array(word, { maxLength: 6 }).map((words) => words.join(' '));
const leaf = fc.oneof(text, fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }));
const { result } = fc.letrec<{ result: Json }>((tie) => ({
  result: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.array(tie('result'), { maxLength: 4 }),
    fc.dictionary(text, tie('result'), { maxKeys: 4 }),
  ),
}));
const results = fc.array(result, { minLength: 1, maxLength: TRACES.length });

function listLeaves(value: Json): (string | number)[] {
  if (typeof value === 'string' || typeof value === 'number') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(listLeaves);
}

function track(prompts: readonly string[], given: readonly (Json | undefined)[]): OriginTracker {
  const tracker = new OriginTracker();
  for (const prompt of prompts) tracker.addPrompt(prompt);
  given.forEach((value, at) => value !== undefined && tracker.addResult(TRACES[at]!, value));
  return tracker;
}

const listSources = ({ values }: Origins): string[][] =>
  Object.values(values).flatMap((of) => (Array.isArray(of) ? [of] : [of.whole, ...of.atoms]));

test('a value that a result holds is never without a source', () => {
  fc.assert(
    fc.property(results, fc.array(text), (given, prompts) => {
      const tracker = track(prompts, given);
      for (const value of given.flatMap(listLeaves)) {
        const { values } = tracker.describe({ tool: 'act', arguments: [value] });
        const { '/arguments/0': sources } = values;
        // What is read as JSON is no text, and what is empty is no value.
        const isText = typeof value === 'number' || !/^\s*[{[]/.test(value);
        if (isText && sources) expect('whole' in sources ? sources.whole : sources).not.toEqual([]);
      }
    }),
    { numRuns },
  );
});

test('what is missing makes no value proven', () => {
  fc.assert(
    fc.property(
      fc.record({ given: results, prompts: fc.array(text), values: fc.array(leaf), at: fc.nat(3) }),
      ({ given, prompts, values, at }) => {
        const action = { tool: 'act', arguments: [...values, ...given.flatMap(listLeaves)] };
        const all = listSources(track(prompts, given).describe(action));
        const some = given.map((value, index) => (index === at ? undefined : value));
        const fewer = listSources(track(prompts, some).describe(action));
        const unprompted = listSources(track([], given).describe(action));
        all.forEach((sources, index) => {
          const isCut = sources.includes('more');
          for (const source of fewer[index]!) if (!isCut) expect(sources).toContain(source);
          expect(unprompted[index]).not.toContain('prompt');
          const seen = sources.filter((source) => source !== 'prompt~');
          if (!sources.includes('prompt')) expect(unprompted[index]).toEqual(seen);
        });
      },
    ),
    { numRuns },
  );
});

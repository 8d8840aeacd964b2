// The compiled set decides exactly as the straight reading of the rules, on random policies and random facts.
// @module-tag varied
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '@assay/json';
import { compilePolicies } from '../src/compile.ts';
import {
  actionTypes,
  checkPolicy,
  type Condition,
  type PolicyDefinition,
} from '../src/definition.ts';
import type { NamedLists } from '../src/values/lists.ts';
import { interpret } from '../../../test/domain/policies/naive.ts';
import { chooseRuns } from '../../../test/setup/runs.ts';

const scalar = fc.constantFrom(
  'a',
  'b',
  'ab',
  '',
  0,
  -0,
  1,
  0.5,
  true,
  false,
  null,
  '2026-01-31',
  '2026-02-01T00:00:00Z',
);
const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { weight: 4, arbitrary: scalar },
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', '0'), tie('value'), { maxKeys: 3 }),
  ),
}));
const longTexts = fc.constant(Array.from({ length: 70 }, () => 'x'.repeat(1_000)));
const field = fc.constantFrom(
  'a',
  'b',
  'c',
  'a.a',
  'a.0',
  'a.b.0',
  'b.a',
  'b.0.a',
  'missing',
  'long',
);
const facts = fc.record(
  { a: value, b: value, c: scalar, long: fc.oneof(longTexts, value) },
  { requiredKeys: [] },
);

const operation = fc.oneof(
  { weight: 3, arbitrary: fc.record({ operator: fc.constant('equals' as const), value }) },
  fc.record({
    operator: fc.constant('contains' as const),
    value: fc.constantFrom('a', 'b', 1, 0, true),
  }),
  fc.record({
    operator: fc.constantFrom('greater_than', 'less_than', 'at_least', 'at_most'),
    value: fc.constantFrom(0, 0.5, 1, '2026-01-31', '2026-02-01'),
  }),
  fc.record({
    operator: fc.constantFrom('in' as const, 'any_in' as const),
    value: fc.constantFrom<Json>(
      ['a'],
      [0, 'b', true],
      ['2026-01-31', 1],
      { list: 'known' },
      { list: 'gone' },
    ),
  }),
  fc.record({
    operator: fc.constant('regex' as const),
    value: fc.constantFrom('a', '^b', '(a|b)+$', '[a-z]{400}!', '(?=a)'),
  }),
);
const condition = fc
  .tuple(
    field,
    operation,
    fc.constantFrom('AND' as const, 'OR' as const, undefined),
    fc.constantFrom(undefined, undefined, true as const),
  )
  .map(
    ([field, parts, join, not]) =>
      ({
        field,
        ...parts,
        ...(not && { not }),
        ...(join && { logicalOperator: join }),
      }) as Condition,
  );
const lists: NamedLists = {
  known: { digest: 'a'.repeat(64), values: new Set<Json>(['a', 'ab', 1]) },
};
const definitions: fc.Arbitrary<PolicyDefinition[]> = fc
  .array(
    fc.record({
      priority: fc.integer({ min: -1, max: 2 }),
      observe: fc.constantFrom(undefined, undefined, undefined, true as const),
      conditions: fc.array(condition, { maxLength: 5 }),
      actions: fc.array(fc.record({ type: fc.constantFrom(...actionTypes) }), {
        minLength: 1,
        maxLength: 3,
      }),
    }),
    { maxLength: 12 },
  )
  .map((parts) =>
    parts.map((part, i) => ({
      id: `p${(i * 7) % 13}`,
      revision: 1,
      name: `n${i}`,
      description: '',
      lists,
      ...part,
    })),
  );

describe('the compiled set and the naive interpreter', () => {
  it('agree on action, decider, matches and errors', () => {
    const seen = { matches: 0, errors: 0, failures: 0, observed: 0 };
    fc.assert(
      fc.property(
        definitions,
        fc.array(facts, { minLength: 1, maxLength: 4 }),
        (policies, decisions) => {
          const set = compilePolicies(policies);
          for (const decision of decisions as JsonObject[]) {
            const { action, decidedBy, matched, failed, observed } = set.evaluate(decision);
            const verdict = {
              action,
              decidedBy,
              matched: matched.map(({ id, error }) => ({ id, error })),
              failed: failed.map(({ id, error }) => ({ id, error })),
            };
            const judging = policies.filter(({ observe }) => observe !== true);
            expect(verdict).toEqual(interpret(judging, decision));
            const observing = policies.filter(({ observe }) => observe === true);
            expect(observed.map(({ id, error }) => ({ id, error }))).toEqual(
              interpret(observing, decision).matched,
            );
            seen.observed += observed.length;
            seen.matches += matched.length;
            seen.errors += matched.filter(({ error }) => error !== null).length;
            seen.failures += failed.length;
          }
        },
      ),
      { numRuns: chooseRuns(1_000, 3_000) },
    );
    expect(Math.min(seen.matches, seen.errors, seen.failures, seen.observed)).toBeGreaterThan(
      chooseRuns(5, 50),
    );
  });

  it('draw conditions that could be saved, besides the one pattern that could not', () => {
    fc.assert(
      fc.property(fc.array(condition, { maxLength: 5 }), (conditions) => {
        const sound = conditions.filter(({ value }) => value !== '(?=a)');
        expect(checkPolicy(sound, [{ type: 'block' }])).toEqual([]);
      }),
    );
  });
});

// The rule language loses nothing: a policy that is printed and parsed is the same policy, to the last member.
// @module-tag varied
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '@assay/json';
import {
  actionTypes,
  checkPolicy,
  policyLimits,
  type Action,
  type Condition,
} from '../../src/definition.ts';
import { findTypeProblems } from '../../src/language/fact-types.ts';
import { parsePolicy, printPolicy, type PolicyText } from '../../src/language/policy-text.ts';
import { policyTemplates } from '../../src/templates/templates.ts';
import { chooseRuns } from '../../../../test/setup/runs.ts';
import { interpret } from '../../../../test/domain/policies/naive.ts';
import { policy } from '../../../../test/domain/policies/build.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 12 }).filter((made) => !made.includes('\0'));
const segment = fc.oneof(
  fc.constantFrom(
    'metadata',
    'a',
    'contains',
    'matches',
    'fact',
    'true',
    'in',
    'anyIn',
    'list',
    'if',
    'when',
    'then',
    '0',
    '12',
    '01',
    'cost centre',
    'a"b',
    'a\\b',
    '`',
    'é',
    '-1',
    'r',
  ),
  text.filter(
    (made) => made !== '' && !/[.\p{Cc}]|^(__proto__|constructor|prototype)$/u.test(made),
  ),
);
const field = fc
  .array(segment, { minLength: 1, maxLength: 5 })
  .map((segments) => segments.join('.'));
const json: fc.Arbitrary<Json> = fc
  .jsonValue({ maxDepth: 3, stringUnit: 'grapheme' })
  .map(
    (made) =>
      JSON.parse(
        JSON.stringify(made).replaceAll('\\u0000', '').replaceAll('__proto__', 'p'),
      ) as Json,
  );
const pattern = fc.constantFrom(
  'a',
  '\\d+',
  '"',
  '\\"',
  '^\\w+\n$',
  '(?i)x\\\\',
  'r"\\d"',
  '\u00e9\\.',
  '\\x{41}',
  ' ',
);
const date = fc.constantFrom('2026-01-31', '2026-01-31T09:00:00Z', '2026-01-31T10:00+01:00');
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((made) => made + 0);
const scalar = fc.oneof(
  text.filter((made) => made !== ''),
  number,
  fc.boolean(),
);
const operation = fc.oneof(
  json.map((value) => ({ operator: 'equals' as const, value })),
  scalar.map((value) => ({ operator: 'contains' as const, value })),
  fc
    .tuple(
      fc.constantFrom('greater_than', 'less_than', 'at_least', 'at_most'),
      fc.oneof(number, date),
    )
    .map(([operator, value]) => ({ operator, value })),
  fc
    .tuple(
      fc.constantFrom('in', 'any_in'),
      fc.oneof<fc.Arbitrary<Json>[]>(
        fc.array(scalar, { minLength: 1, maxLength: 5 }),
        fc.constantFrom('a', 'partners', 'own-domains_2').map((list) => ({ list })),
      ),
    )
    .map(([operator, value]) => ({ operator, value })),
  pattern.map((value) => ({ operator: 'regex' as const, value })),
);
const logical = fc.constantFrom<'AND' | 'OR' | undefined>('AND', 'OR', undefined);
const condition = fc
  .tuple(field, operation, logical, fc.boolean())
  .map(([path, made, logicalOperator, isNegated]): Condition => ({
    field: path,
    ...made,
    ...(isNegated && { not: true }),
    ...(logicalOperator !== undefined && { logicalOperator }),
  }));
const action = fc
  .tuple(
    fc.constantFrom(...actionTypes),
    fc.option(
      fc.dictionary(
        text.filter((key) => key !== '__proto__'),
        json,
        { maxKeys: 3 },
      ),
    ),
  )
  .map(([type, config]): Action =>
    config === null ? { type } : { type, config: JSON.parse(JSON.stringify(config)) as JsonObject },
  );
const valid: fc.Arbitrary<PolicyText> = fc
  .record(
    {
      name: text.filter((made) => made.trim() !== ''),
      description: text,
      enabled: fc.boolean(),
      observe: fc.constant(true),
      priority: fc.oneof(fc.constant(1), number),
      conditions: fc.array(condition, { maxLength: 8 }),
      actions: fc.array(action, { minLength: 1, maxLength: 4 }),
    },
    {
      noNullPrototype: true,
      requiredKeys: ['name', 'description', 'enabled', 'priority', 'conditions', 'actions'],
    },
  )
  .filter(({ conditions, actions }) => checkPolicy(conditions, actions).length === 0)
  .filter((made) => {
    // Integers that the strict parser of bodies refuses are in no policy.
    const numbers = [
      made.priority,
      ...(JSON.stringify(made).match(/-?\d+(\.\d+)?(e[+-]?\d+)?/g) ?? []).map(Number),
    ];
    return numbers.every((value) => !Number.isInteger(value) || Number.isSafeInteger(value));
  });

function parsed(source: string): PolicyText {
  const result = parsePolicy(source);
  if ('problem' in result) throw new Error(`${JSON.stringify(result.problem)}\n${source}`);
  return result.policy;
}

const many = { numRuns: chooseRuns(300, 800) };

describe('a valid policy', () => {
  test('printed and parsed is the same policy, with every logical operator as it was given', () => {
    fc.assert(
      fc.property(valid, (made) => {
        expect(parsed(printPolicy(made))).toStrictEqual(made);
      }),
      many,
    );
  });

  test('is printed in one way: what was printed, parsed and printed again is the same text', () => {
    fc.assert(
      fc.property(valid, (made) => {
        const source = printPolicy(made);
        expect(printPolicy(parsed(source))).toBe(source);
      }),
      many,
    );
  });
});

test('an expression means by the rules of CEL what its conditions mean from left to right', () => {
  const truths = fc.array(fc.tuple(fc.boolean(), logical), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(truths, (given) => {
      const conditions = given.map(([, logicalOperator], i): Condition => {
        const base = { field: `metadata.m${i}`, operator: 'equals' as const, value: true };
        return logicalOperator === undefined ? base : { ...base, logicalOperator };
      });
      const metadata = Object.fromEntries(given.map(([value], i) => [`m${i}`, value]));
      const source = printPolicy({ ...empty, conditions });
      const expression = source
        .replace(/^[^]*?when\n/, '')
        .replace(/\n(logicalOperators|then)[^]*$/, '');
      // JavaScript joins && and || as CEL does.
      // oxlint-disable-next-line typescript/no-implied-eval -- made by the printer from generated conditions
      const evaluateExpression = new Function(
        'metadata',
        `return ${expression.replaceAll('\n', ' ')}`,
      ) as (facts: JsonObject) => boolean;
      const { matched } = interpret([policy({ id: 'p', conditions })], { metadata });
      expect(evaluateExpression(metadata)).toBe(matched.length === 1);
    }),
    { numRuns: chooseRuns(300, 800) },
  );
});

const empty: PolicyText = {
  name: 'n',
  description: '',
  enabled: true,
  priority: 1,
  conditions: [],
  actions: [{ type: 'block' }],
};

test.each(policyTemplates)(
  'the template $id is written, read back, and has no condition that can never hold',
  (template) => {
    const { name, description, conditions, actions } = template;
    const given = { name, description, enabled: true, priority: 1, conditions, actions };
    expect(parsed(printPolicy(given))).toStrictEqual(given);
    expect(findTypeProblems(conditions)).toEqual([]);
  },
);

test('as many conditions and actions as there may be are parsed, unless their source is too long', () => {
  const largest = (value: string): PolicyText => ({
    ...empty,
    conditions: Array.from({ length: policyLimits.conditions }, (_, i) => ({
      field: `${'"'.repeat(10)}.`.repeat(15) + String(i),
      operator: 'equals' as const,
      value,
      logicalOperator: i % 2 === 0 ? ('OR' as const) : ('AND' as const),
    })),
    actions: Array.from({ length: policyLimits.actions }, () => ({
      type: 'notify' as const,
      config: { reason: value.slice(10) },
    })),
  });
  const given = largest('"'.repeat(500));
  expect(parsed(printPolicy(given))).toStrictEqual(given);
  const { conditions, actions } = largest('"'.repeat(policyLimits.json / 2 - 1));
  expect(checkPolicy(conditions, actions)).toEqual([]);
  expect(parsePolicy(printPolicy({ ...empty, conditions, actions }))).toMatchObject({
    problem: { message: 'more than 100000 characters' },
  });
});

// Sources as people write them: what they say, and where a wrong one is wrong.
// @module-tag varied
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Condition } from '../../src/definition.ts';
import { findTypeProblems } from '../../src/language/fact-types.ts';
import { parsePolicy, printPolicy } from '../../src/language/policy-text.ts';
import { sourceLimits } from '../../src/language/source.ts';
import { measureProcessorMs } from '../../../../test/setup/runtime.ts';
import { chooseRuns } from '../../../../test/setup/runs.ts';

function saying(expression: string): Condition[] {
  const result = parsePolicy(`policy "p" when ${expression} then block`);
  if ('problem' in result) throw new Error(result.problem.message);
  return result.policy.conditions;
}

function wrong(source: string): { line: number; column: number; message: string } {
  const result = parsePolicy(source);
  if (!('problem' in result)) throw new Error(`parsed: ${JSON.stringify(result.policy)}`);
  return result.problem;
}

test('a whole policy, with comments and clauses in any order', () => {
  const source = `// Refunds
policy "Money out" // its name
then flag_for_review { "reason": "Money leaves", "limits": [1, { "a": null }] }
priority 2.5
disabled
when
  action.names.contains("refund") && // a comment
  (action.largestAmount > 100)
description "Two\\nlines"
then notify`;
  expect(parsePolicy(source)).toMatchObject({
    policy: {
      name: 'Money out',
      description: 'Two\nlines',
      priority: 2.5,
      enabled: false,
      conditions: [
        { field: 'action.names', operator: 'contains', value: 'refund' },
        { field: 'action.largestAmount', operator: 'greater_than', value: 100 },
      ],
      actions: [
        {
          type: 'flag_for_review',
          config: { reason: 'Money leaves', limits: [1, { a: null }] },
        },
        { type: 'notify' },
      ],
    },
  });
});

test('the example of the document parses, and is written as it stands there', () => {
  const [block = ''] =
    /(?: {4}.*\n)+/.exec(readFileSync('docs/reference/rule-language.md', 'utf8')) ?? [];
  const source = block.replaceAll(/^ {4}/gm, '');
  const result = parsePolicy(source);
  if ('problem' in result) throw new Error(result.problem.message);
  expect(printPolicy(result.policy)).toBe(source);
});

const a: Condition = { field: 'metadata.a', operator: 'equals', value: 1 };
const notA: Condition = { ...a, not: true };
const or = { ...a, logicalOperator: 'OR' as const };

test.each<[string, Condition[]]>([
  ['metadata.a == 1', [a]],
  ['((metadata.a == 1))', [a]],
  ['metadata["a"] == 1', [a]],
  ['fact("metadata").a==1', [a]],
  ['metadata.a == 1 && metadata.a == 1', [a, a]],
  ['(metadata.a == 1 || metadata.a == 1) && metadata.a == 1', [or, a, a]],
  ['metadata.a == 1 && metadata.a == 1 || metadata.a == 1', [a, or, a]],
  ['metadata.a == 1 && (metadata.a == 1 && metadata.a == 1)', [a, a, a]],
  ['metadata.a == 1 || (metadata.a == 1 || metadata.a == 1)', [or, or, a]],
  [
    'time.instant > timestamp("2026-01-31")',
    [{ field: 'time.instant', operator: 'greater_than', value: '2026-01-31' }],
  ],
  ['rationale.matches(r"\\d")', [{ field: 'rationale', operator: 'regex', value: '\\d' }]],
  ['rationale.matches("\\\\d\\u0041")', [{ field: 'rationale', operator: 'regex', value: '\\dA' }]],
  [
    'alternatives[0].decision == "x"',
    [{ field: 'alternatives.0.decision', operator: 'equals', value: 'x' }],
  ],
  [
    'metadata["cost centre"] < -1.5e3',
    [{ field: 'metadata.cost centre', operator: 'less_than', value: -1500 }],
  ],
  [
    'metadata.contains.contains("x")',
    [{ field: 'metadata.contains', operator: 'contains', value: 'x' }],
  ],
  ['metadata.a != 1', [notA]],
  ['!(metadata.a == 1)', [notA]],
  ['!(metadata.a != 1)', [a]],
  ['!!(metadata.a == 1)', [a]],
  ['!((!metadata.a.contains("x")))', [{ field: 'metadata.a', operator: 'contains', value: 'x' }]],
  [
    'metadata.a == 1 && !(metadata.a == 1) || metadata.a == 1',
    [a, { ...notA, logicalOperator: 'OR' }, a],
  ],
  ['!metadata.a.matches("x")', [{ field: 'metadata.a', operator: 'regex', value: 'x', not: true }]],
  ['confidenceScore >= 0.5', [{ field: 'confidenceScore', operator: 'at_least', value: 0.5 }]],
  [
    'time.instant <= timestamp("2026-01-31")',
    [{ field: 'time.instant', operator: 'at_most', value: '2026-01-31' }],
  ],
  [
    'metadata.a in ["x", 1, true]',
    [{ field: 'metadata.a', operator: 'in', value: ['x', 1, true] }],
  ],
  [
    '!(metadata.a in list("partners"))',
    [{ field: 'metadata.a', operator: 'in', value: { list: 'partners' }, not: true }],
  ],
  [
    'action.names.anyIn(list("denied"))',
    [{ field: 'action.names', operator: 'any_in', value: { list: 'denied' } }],
  ],
  ['metadata.list in ["a"]', [{ field: 'metadata.list', operator: 'in', value: ['a'] }]],
  [
    'when == [1, "a", {"b": true}]',
    [{ field: 'when', operator: 'equals', value: [1, 'a', { b: true }] }],
  ],
])('%s', (expression, conditions) => {
  expect(saying(expression)).toStrictEqual(conditions);
});

describe('a problem is reported with its line and column', () => {
  test.each<[string, number, number, RegExp]>([
    ['', 1, 1, /expected policy, found the end/],
    ['policy', 1, 7, /expected a text in double quotes, found the end/],
    ['policy "p"', 1, 11, /expected then and an action/],
    [
      'policy "p"\nthen delete',
      2,
      6,
      /an action: block, flag_for_review, notify, approve, found delete/,
    ],
    ['policy "p" when then block', 1, 22, /expected ==/],
    ['policy "p"\n  when a == 1 &&\nthen block', 3, 6, /expected ==/],
    ['policy "p" when a == 1 || b == 1 && c == 1 then block', 1, 24, /read from left to right/],
    ['policy "p" when a == 1 && (b == 1 || c == 1) then block', 1, 24, /put the group before it/],
    ['policy "p" when !(a == 1 && b == 1) then block', 1, 17, /! stands before one condition/],
    ['policy "p" when ! && a == 1 then block', 1, 19, /expected a field, found &&/],
    ['policy "p" when !a > 1 then block', 1, 17, /as in !\(a > 1\)/],
    ['policy "p" when !!a != 1 then block', 1, 17, /as in !\(a > 1\)/],
    ['policy "p" when a % 1 then block', 1, 19, /expected ==, !=, </],
    ['policy "p" when a in list(b) then block', 1, 27, /a text in double quotes/],
    ['policy "p" when a in lists("b") then block', 1, 22, /expected a value/],
    ['policy "p" when a >= "2026-01-31" then block', 1, 22, /timestamp\("2026-01-31"\)/],
    ['policy "p" when "x" in tags then block', 1, 17, /expected a field/],
    ['policy "p" when true == 1 then block', 1, 17, /fact\("true"\)/],
    ['policy "p" when a.size() == 1 then block', 1, 23, /size\(\) is none of contains, matches/],
    ['policy "p" when a > "2026-01-31" then block', 1, 21, /timestamp\("2026-01-31"\)/],
    ['policy "p" when a == \'x\' then block', 1, 22, /double quotes/],
    ['policy "p" when a == "x then block', 1, 22, /closing quote/],
    ['policy "p" when a == "\\q" then block', 1, 22, /not a JSON value/],
    ['policy "p" when a == "\\ud800" then block', 1, 22, /lone surrogate/],
    ['policy "p" when a == 1e999 then block', 1, 22, /out of range/],
    ['policy "p" when a == 12345678901234567890 then block', 1, 22, /beyond 2\^53/],
    ['policy "p" when a == {"__proto__": 1} then block', 1, 22, /__proto__/],
    ['policy "p" when a == [1,] then block', 1, 25, /expected a value, found ]/],
    ['policy "p" when a == {b: 1} then block', 1, 23, /a name in double quotes/],
    ['policy "p" when a["b.c"] == 1 then block', 1, 19, /holds a dot/],
    ['policy "p" when a[01] == 1 then block', 1, 20, /expected ]/],
    ['policy "p" when a[-1] == 1 then block', 1, 19, /whole number/],
    ['policy "p" priority "1" then block', 1, 21, /expected a number/],
    ['policy "p" disabled disabled then block', 1, 21, /disabled a second time/],
    ['policy "p" policy "q" then block', 1, 12, /expected description, priority/],
    [
      'policy "p" when a == 1 logicalOperators OR then block extra',
      1,
      55,
      /or the end, found extra/,
    ],
    [
      'policy "p" when a == 1 && b == 1 logicalOperators OR, AND then block',
      1,
      51,
      /one for each condition/,
    ],
    [
      'policy "p" when a == 1 logicalOperators AND, AND then block',
      1,
      41,
      /one for each condition/,
    ],
    ['policy "p" then block @', 1, 23, /unexpected character "@"/],
    ['policy "p" then block [1]', 1, 23, /or the end/],
    [`policy "p" when a == ${'['.repeat(33)}`, 1, 54, /nested deeper than 32/],
    [`policy "p" when ${'('.repeat(65)}`, 1, 81, /more than 64 parentheses/],
    [`policy "p" when ${'a == 1 && '.repeat(51)}`, 1, 517, /more than 50 conditions/],
    [`policy "p" ${'then block '.repeat(11)}`, 1, 127, /more than 10 actions/],
  ])('%s', (source, line, column, message) => {
    expect(wrong(source)).toEqual({
      line,
      column,
      message: expect.stringMatching(message) as string,
    });
  });
});

test('a byte order mark before a source is ignored and in no column, and is wrong anywhere else', () => {
  const source = 'policy "p" when confidenceScore > 0.5 then block';
  expect(parsePolicy(`\ufeff${source}`)).toMatchObject({ policy: { name: 'p' } });
  expect(wrong('\ufeffpolice "p"')).toEqual(wrong('police "p"'));
  expect(wrong('\ufeff\n police "p"')).toEqual(wrong('\n police "p"'));
  expect(wrong('\ufeff')).toEqual(wrong(''));
  expect(wrong('policy "p"\ufeff then block')).toMatchObject({ line: 1, column: 11 });
  expect(wrong('\ufeff\ufeffpolicy "p" then block')).toMatchObject({ line: 1, column: 1 });
});

test('a source beyond the limit is not looked at', () => {
  expect(wrong('x'.repeat(sourceLimits.characters + 1)).message).toMatch(/100000 characters/);
});

test('a source of more tokens than the limit ends there', () => {
  const list = Array.from({ length: sourceLimits.tokens / 2 }, () => '1').join(',');
  expect(wrong(`policy "p" when a == [${list}] then block`).message).toMatch(
    /^more than 20000 words, values and signs/,
  );
});

test('no text breaks the parser', () => {
  const words = fc.constantFrom(
    'policy',
    '"p"',
    'when',
    'then',
    'block',
    'a',
    '.',
    '(',
    ')',
    '[',
    ']',
    '{',
    '}',
    ',',
    ':',
    '"',
    '\\',
    'r"',
    '&&',
    '||',
    '==',
    '!',
    '!=',
    '<=',
    'in',
    'list',
    'anyIn',
    '<',
    '1',
    '-',
    '//',
    '\n',
    'timestamp',
    'contains',
    'logicalOperators',
    'AND',
    '__proto__',
    'constructor',
    '\u2028',
    '\ud800',
  );
  fc.assert(
    fc.property(fc.array(words, { maxLength: 30 }), (parts) => {
      const result = parsePolicy(parts.join(parts.length % 2 === 0 ? ' ' : ''));
      expect('policy' in result || result.problem.column > 0).toBe(true);
    }),
    { numRuns: chooseRuns(3_000, 20_000) },
  );
});

test.each([
  '"',
  '(',
  '[',
  '{"a":',
  'a',
  ' ',
  '// ',
  '// \n',
  'a.',
  'then block ',
  '1',
  '\\',
  '&& ',
  '1,',
  '[],',
  '] && !!!',
])('a source of as many %j as it may hold is read within 50 ms', (part) => {
  const length = sourceLimits.characters - 50;
  const source = `policy "p" when a == [${part.repeat(Math.floor(length / part.length))}`;
  expect(wrong(source).message).not.toBe('');
  expect(measureProcessorMs(() => parsePolicy(source))).toBeLessThan(50);
});

describe('types', () => {
  test.each([
    'confidenceScore < 0.5',
    'tags.contains("LOW_CONFIDENCE")',
    'tags == ["A"]',
    'tags[0] == "A"',
    'agentName == null',
    'outputDecision.action == "refund"',
    'outputDecision.action == {"tool": "refund"}',
    'outputDecision.action.tool.matches("x")',
    'outputDecision.anything > 1',
    'alternatives[3].confidence > 0.5',
    'metadata.due > timestamp("2026-01-31")',
    'time.instant < timestamp("2026-01-31")',
    'crew.anything[0].else == 1',
    'output.text.matches("x")',
    'confidenceScore >= 0.5',
    'agentName in ["a", 1]',
    'tags in ["A"]',
    '!(action.recipientDomains in list("own"))',
  ])('%s can hold', (expression) => expect(findTypeProblems(saying(expression))).toEqual([]));

  const TEXTS = [
    ...['agentId', 'agentName', 'agentVersion', 'schemaVersion', 'rationale', 'timestamp'],
    ...['triggeringCondition', 'time.instant', 'output.text', 'outputDecision.rationale'],
    ...['inputContext.prompt', 'inputContext.systemPrompt', 'inputContext.conversationId'],
  ];
  const NUMBERS = [
    ...['confidenceScore', 'time.hourUtc', 'time.weekdayUtc', 'output.rationaleLength'],
    ...['action.largestAmount', 'action.totalAmount', 'action.largestList'],
  ];
  test.each([
    ...TEXTS.map((field) => [field, '"a"', '1']),
    ...NUMBERS.map((field) => [field, '1', '"a"']),
  ])('%s can equal %s and not %s', (field, value, other) => {
    expect(findTypeProblems(saying(`${field} == ${value}`))).toEqual([]);
    expect(findTypeProblems(saying(`${field} == ${other}`))).toHaveLength(1);
  });

  test.each<[string, string, RegExp]>([
    ['confidencescore < 0.5', 'field', /no decision has a fact "confidencescore"/],
    ['toString == 1', 'field', /no decision has a fact "toString"/],
    ['confidenceScore.value == 1', 'field', /is a number and has no members/],
    ['tags.first == "A"', 'field', /reached into by an index/],
    ['pii.kinds.contains("EMAIL")', 'field', /only types, outputTypes/],
    ['confidenceScore == "low"', 'value', /is a number: it does not equal a text/],
    ['confidenceScore.contains("0")', 'value', /never true/],
    ['confidenceScore.matches("0")', 'value', /texts and lists/],
    ['confidenceScore < timestamp("2026-01-31")', 'value', /no date/],
    ['tags.contains(1)', 'value', /does not contain a number/],
    ['tags > 1', 'value', /no number/],
    ['agentName == 1', 'value', /a text or null/],
    ['action.isToolCall == "yes"', 'value', /true or false/],
    ['rationale.contains(true)', 'value', /never true/],
    ['confidenceScore in ["low"]', 'value', /none of the values is of that type/],
    ['tags.anyIn([1])', 'value', /never true/],
    ['confidenceScore != "low"', 'value', /always true/],
    ['tags <= 1', 'value', /no number/],
  ])('%s can not', (expression, part, message) => {
    expect(findTypeProblems(saying(expression))).toEqual([
      { path: `conditions.0.${part}`, text: expect.stringMatching(message) as string },
    ]);
  });
});

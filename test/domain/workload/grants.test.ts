// Grants only narrow: whatever is met, asked for and passed on, nothing is allowed that the first did not allow.
// @module-tag varied
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type Grant,
  isWithinGrant,
  meetGrants,
  passOnGrant,
} from '../../../src/domain/workload/grant.ts';
import { findPatternProblem, findOtherClaim } from '../../../src/domain/workload/trust-rule.ts';
import { chooseRuns } from '../../setup/runs.ts';

const TOOLS = ['search', 'refund', 'delete', 'mail'];
const grants: fc.Arbitrary<Grant> = fc.record(
  {
    tools: fc.subarray(TOOLS),
    until: fc.integer({ min: 0, max: 5 }).map((days) => new Date(days * 86_400_000).toISOString()),
    depth: fc.integer({ min: 0, max: 3 }),
  },
  { requiredKeys: [] },
);

/** What a grant allows, spelt out. */
const listAllowed = ({ tools = TOOLS, until, depth = 10 }: Grant): string[] =>
  tools.flatMap((tool) =>
    Array.from({ length: 6 }, (_, day) => day)
      .filter((day) => until === undefined || day * 86_400_000 <= Date.parse(until))
      .flatMap((day) => Array.from({ length: depth + 1 }, (__, at) => `${tool} ${day} ${at}`)),
  );

const runs = { numRuns: chooseRuns(300, 20_000) };

test('the meeting of two grants allows what both allow', () => {
  fc.assert(
    fc.property(grants, grants, (one, other) => {
      const both = new Set(listAllowed(other));
      const met = meetGrants(one, other);
      expect(listAllowed(met)).toEqual(listAllowed(one).filter((what) => both.has(what)));
      expect([isWithinGrant(met, one), isWithinGrant(met, other)]).toEqual([true, true]);
    }),
    runs,
  );
});

test('a grant within another allows a part of it, also after it was passed on', () => {
  fc.assert(
    fc.property(grants, grants, (child, parent) => {
      const most = passOnGrant(parent);
      const whole = new Set(listAllowed(parent));
      if (most && isWithinGrant(child, most))
        expect(listAllowed(child).filter((what) => !whole.has(what))).toEqual([]);
      expect(most === null).toBe(parent.depth === 0);
    }),
    runs,
  );
});

test('a pattern fits the whole text, and cannot leave its frame', () => {
  const fits = (pattern: string, sub: string): boolean =>
    findOtherClaim({ subject: { pattern }, claims: {} }, { sub }) === null;
  expect([fits('repo:a/b:.*', 'repo:a/b:x'), fits('repo:a/b', 'repo:a/b:x')]).toEqual([
    true,
    false,
  ]);
  expect([fits('a|b', 'ab'), fits('(?m)^a$', 'a\nb'), fits('.*', 'a\nb')]).toEqual([
    false,
    false,
    false,
  ]);
  for (const source of ['a)|(?:b', '(', '', '(?=a)', '\\'])
    expect([source, findPatternProblem(source)]).toEqual([source, expect.any(String)]);
  expect(fits('a)|(?:b', 'b')).toBe(false);
});

test('claims are own members, found by name or by JSON Pointer', () => {
  const differs = (claims: Record<string, string>, given: object): string | null =>
    findOtherClaim({ subject: 's', claims }, { sub: 's', ...given });
  expect(differs({ '/a.b/c~1d/e~0': '1' }, { 'a.b': { 'c/d': { 'e~': '1' } } })).toBeNull();
  expect(differs({ a: '1' }, { a: ['2', '1'] })).toBeNull();
  expect(differs({ a: '1' }, { a: 1 })).toBe('a');
  expect(differs({ '/a/constructor/name': 'Object' }, { a: {} })).toBe('/a/constructor/name');
  expect(differs({ a: '1' }, {})).toBe('a');
});

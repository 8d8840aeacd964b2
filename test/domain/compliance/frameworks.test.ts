// The catalogues of frameworks and the computation of coverage.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CLAUSE_STATUSES } from '../../../src/domain/compliance/clause.ts';
import {
  CATALOGUES,
  computeCoverage,
  FRAMEWORKS,
  hasClause,
} from '../../../src/domain/compliance/frameworks.ts';

const word = /^[A-Za-z0-9][A-Za-z0-9._()-]{0,31}$/;

describe.each(FRAMEWORKS)('%s', (framework) => {
  const { clauses, version, source } = CATALOGUES[framework];

  test('every clause has an id that is valid in the chain, a title and one sentence', () => {
    expect(version).toMatch(word);
    expect(source).not.toBe('');
    expect(new Set(clauses.map(({ clauseId }) => clauseId)).size).toBe(clauses.length);
    for (const { clauseId, title, description } of clauses) {
      expect(clauseId).toMatch(word);
      expect(title).toMatch(/^\S.{2,60}$/);
      expect(description).toMatch(/^[A-Z][^.]{10,160}\.$/);
      expect(hasClause(framework, clauseId)).toBe(true);
    }
  });

  test('coverage counts every clause once, attested or not', () => {
    const note = fc.record({
      clauseId: fc.constantFrom(...clauses.map(({ clauseId }) => clauseId), 'unknown'),
      status: fc.constantFrom(...CLAUSE_STATUSES),
    });
    fc.assert(
      fc.property(fc.uniqueArray(note, { selector: ({ clauseId }) => clauseId }), (notes) => {
        const { covered, partial, gap, notApplicable, total } = computeCoverage(framework, notes);
        expect(total).toBe(clauses.length);
        expect(covered + partial + gap + notApplicable).toBe(total);
        const known = notes.filter(({ clauseId }) => clauseId !== 'unknown');
        expect(covered).toBe(known.filter(({ status }) => status === 'covered').length);
        expect(notApplicable).toBe(
          known.filter(({ status }) => status === 'not-applicable').length,
        );
      }),
    );
  });
});

test('ISO/IEC 42001 has eighteen clauses', () => {
  expect(CATALOGUES['iso-42001'].clauses).toHaveLength(18);
});

test('clause ids are unique across frameworks, so that the legacy map is unambiguous', () => {
  const all = FRAMEWORKS.flatMap((framework) =>
    CATALOGUES[framework].clauses.map(({ clauseId }) => clauseId),
  );
  expect(new Set(all).size).toBe(all.length);
});

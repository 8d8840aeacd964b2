// The rules of impact assessments: moves, completeness, the synthetic row of risks, the anchor.
import { createHash } from 'node:crypto';
import canonical from 'canonicalize';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  computeAnchor,
  computeCompleteness,
  type Risk,
  RISK_LEVELS,
  TEXT_SECTIONS,
  type WizardFields,
  mergeRiskTexts,
} from '../../../src/domain/fria/assessment.ts';
import {
  ASSESSMENT_STATUSES,
  mayMove,
  isEditable,
  isApproverOnly,
} from '../../../src/domain/fria/assessment-status.ts';

const level = fc.constantFrom(...RISK_LEVELS);
const text = fc.string({ unit: 'grapheme' });
const risk: fc.Arbitrary<Risk> = fc.record({
  title: text,
  description: fc.option(text),
  likelihood: level,
  severity: level,
  affectedRights: fc.array(text, { maxLength: 3 }),
  mitigation: fc.option(text),
  residualRisk: level,
});
const written = fc.option(text);
const fields: fc.Arbitrary<WizardFields> = fc.record({
  systemName: text,
  purpose: written,
  affectedPersons: written,
  usageContext: written,
  durationOfUse: written,
  humanOversightSummary: written,
  complaintsMechanism: written,
  identifiedRisks: fc.array(risk, { maxLength: 3 }),
});
const EMPTY: WizardFields = {
  systemName: 'Credit scoring',
  purpose: null,
  affectedPersons: null,
  usageContext: null,
  durationOfUse: null,
  humanOversightSummary: null,
  complaintsMechanism: null,
  identifiedRisks: [],
};
const ROW: Risk = {
  title: 'Bias',
  description: 'Old data',
  likelihood: 'high',
  severity: 'medium',
  affectedRights: ['Non-discrimination'],
  mitigation: null,
  residualRisk: 'low',
};

describe('moves', () => {
  const allowed = [
    'draft review',
    'draft archived',
    'review approved',
    'review archived',
    'approved draft',
    'approved archived',
  ];
  const pairs = ASSESSMENT_STATUSES.flatMap((from) =>
    ASSESSMENT_STATUSES.map((to) => [from, to] as const),
  );
  test.each(pairs)('from %s to %s', (from, to) => {
    expect(mayMove(from, to)).toBe(allowed.includes(`${from} ${to}`));
    expect(isApproverOnly(from, to)).toBe(from === 'approved' || to === 'approved');
  });
  test('drafts and assessments in review may be edited', () => {
    expect(ASSESSMENT_STATUSES.filter(isEditable)).toEqual(['draft', 'review']);
  });
});

describe('completeness', () => {
  test.each([
    ['the name alone', {}, 13],
    ['a blank section', { purpose: ' \n' }, 13],
    ['one section', { purpose: 'To score' }, 25],
    ['risks', { identifiedRisks: [ROW] }, 25],
    [
      'all',
      { ...Object.fromEntries(TEXT_SECTIONS.map((name) => [name, 'x'])), identifiedRisks: [ROW] },
      100,
    ],
  ])('%s', (_, more, expected) => {
    expect(computeCompleteness({ ...EMPTY, ...more })).toBe(expected);
  });
  test('never falls when a field is filled in, and stays from 0 to 100', () => {
    fc.assert(
      fc.property(fields, fc.constantFrom(...TEXT_SECTIONS), (given, name) => {
        const before = computeCompleteness(given);
        expect(before).toBeGreaterThanOrEqual(0);
        expect(computeCompleteness({ ...given, [name]: 'filled' })).toBeGreaterThanOrEqual(before);
        expect(computeCompleteness({ ...given, [name]: 'filled' })).toBeLessThanOrEqual(100);
      }),
    );
  });
});

describe('the synthetic row', () => {
  const summary = (description: string | null, mitigation: string | null): Risk => ({
    title: 'Risk Summary',
    description,
    likelihood: 'medium',
    severity: 'medium',
    affectedRights: [],
    mitigation,
    residualRisk: 'medium',
  });
  test.each([
    ['neither text', [ROW], {}, [ROW]],
    ['both', [], { risksIdentified: 'r', mitigations: 'm' }, [summary('r', 'm')]],
    ['one, beside other rows', [ROW], { risksIdentified: 'r' }, [ROW, summary('r', null)]],
    ['the other later', [summary('r', null), ROW], { mitigations: 'm' }, [summary('r', 'm'), ROW]],
    ['one again', [summary('r', 'm')], { risksIdentified: 'new' }, [summary('new', 'm')]],
    ['one emptied', [summary('r', 'm')], { risksIdentified: null }, [summary(null, 'm')]],
    ['both emptied', [summary('r', 'm'), ROW], { risksIdentified: null, mitigations: null }, [ROW]],
    ['nothing emptied', [ROW], { mitigations: null }, [ROW]],
  ])('%s', (_, rows, texts, expected) => {
    expect(mergeRiskTexts(rows, texts)).toEqual(expected);
  });
});

describe('the anchor', () => {
  test('equals the digest of the wizard’s fields by another implementation', () => {
    fc.assert(
      fc.property(fields, (given) => {
        const bytes = canonical(given) ?? '';
        expect(computeAnchor(given)).toBe(createHash('sha256').update(bytes).digest('hex'));
      }),
    );
  });
  test('covers no other field', () => {
    const more = { status: 'approved', deployerProfileId: 'p', approvedBy: 'u', updatedAt: 1 };
    expect(computeAnchor({ ...EMPTY, ...more } as WizardFields)).toBe(computeAnchor(EMPTY));
  });
  test('has a known value', () => {
    expect(computeAnchor({ ...EMPTY, identifiedRisks: [ROW] })).toBe(
      'e5e2abe83aa8ce4939b2b105bc62fc4063c1911c9e3f2311527737d8bdedef71',
    );
  });
});

// The printed report: each clause with what was measured, where that is shown, and what people attest.
import { CATALOGUES } from '../../../domain/compliance/frameworks.ts';
import type { PdfDocument } from '../../../platform/pdf/pdf-document.ts';
import type { Mapping } from '../compliance.schemas.ts';
import type { ComplianceProofs } from '../proofs/proofs.schemas.ts';

interface ReportParts {
  organization: string;
  proofs: ComplianceProofs;
  mapping: Mapping;
}

const ANSWER_WORDS = {
  shown: 'Shown',
  'not-shown': 'Not shown',
  'cannot-tell': 'Cannot tell',
} as const;

export function createReportPdf({ organization, proofs, mapping }: ReportParts): PdfDocument {
  const { framework, catalogVersion, measuredAt, windowDays, summary } = proofs;
  const { covered, partial, gap, notApplicable } = mapping.coverage;
  return {
    title: `Compliance: ${CATALOGUES[framework].source}`,
    subtitle: `${organization}, ${measuredAt.toISOString()}`,
    createdAt: measuredAt,
    orientation: 'landscape',
    blocks: [
      {
        kind: 'values',
        values: [
          ['Catalogue', catalogVersion],
          ['Counts are of', `the last ${windowDays} days`],
          ['Measured', formatSummary(summary)],
          [
            'Attested by people',
            `${covered} covered, ${partial} in part, ${gap} gaps, ${notApplicable} not applicable`,
          ],
        ],
      },
      { kind: 'heading', text: 'Clauses' },
      {
        kind: 'table',
        columns: [
          { title: 'Clause', width: 150 },
          { title: 'Measured', width: 65 },
          { title: 'By' },
          { title: 'Attested by people', width: 200 },
        ],
        rows: mapping.clauses.map((clause) => toRow(clause, proofs, mapping)),
      },
      { kind: 'heading', text: 'Measures' },
      {
        kind: 'table',
        columns: [
          { title: 'Measure', width: 190 },
          { title: 'Answer', width: 65 },
          { title: 'Finding' },
          { title: 'Source', width: 200 },
        ],
        rows: proofs.measures.map(({ title, answer, finding, source }) => [
          title,
          ANSWER_WORDS[answer],
          finding,
          `GET /api/v1${source}`,
        ]),
      },
    ],
  };
}

/** What was measured of all clauses, in words. */
export const formatSummary = ({
  shown,
  notShown,
  cannotTell,
}: ComplianceProofs['summary']): string =>
  `${shown} clauses shown, ${notShown} not shown, ${cannotTell} without an answer`;

function toRow(
  { clauseId, title }: Mapping['clauses'][number],
  { clauses, measures }: ComplianceProofs,
  { notes }: Mapping,
): string[] {
  const proof = clauses.find((one) => one.clauseId === clauseId);
  const note = notes.find((one) => one.clauseId === clauseId);
  const named = measures.filter(({ measure }) => proof?.measures.includes(measure));
  return [
    `${clauseId} ${title}`,
    proof && named.length > 0 ? ANSWER_WORDS[proof.answer] : 'By people alone',
    named.map((one) => one.title).join('\n'),
    note ? `${note.status}, ${note.reviewedByEmail ?? 'a former member'}` : 'nothing',
  ];
}

// The printed form of an approved impact assessment: approval, sections, risks, and the anchor to verify it.
import type { Risk } from '../../domain/fria/assessment.ts';
import type { PdfBlock, PdfDocument } from '../../platform/pdf/pdf-document.ts';
import type { AssessmentDocument } from './fria.model.ts';

interface PrintInput {
  assessment: AssessmentDocument;
  organization: string;
  /** Name and address of the approver; null: the account is gone. */
  approver: string | null;
}

const SECTIONS = [
  ['purpose', 'Purpose'],
  ['affectedPersons', 'Affected persons'],
  ['usageContext', 'Context of use'],
  ['durationOfUse', 'Duration and frequency of use'],
  ['humanOversightSummary', 'Human oversight'],
  ['complaintsMechanism', 'Complaints and redress'],
] as const;
const OPEN = '(not filled in)';

export function createAssessmentPdf({
  assessment,
  organization,
  approver,
}: PrintInput): PdfDocument {
  const { systemName, deployerProfileId, approvedBy, approvedAt, updatedAt, chainHash } =
    assessment;
  const approvedOn = approvedAt ?? updatedAt;
  return {
    title: `Fundamental rights impact assessment: ${systemName}`,
    subtitle: organization,
    createdAt: approvedOn,
    orientation: 'portrait',
    blocks: [
      {
        kind: 'values',
        values: [
          ['System', systemName],
          ['Assessment', assessment._id.toHexString()],
          ['Deployer profile', deployerProfileId ?? OPEN],
          ['Approved by', approver ?? approvedBy?.toHexString() ?? OPEN],
          ['Approved at', approvedOn.toISOString()],
          ['Anchor (SHA-256)', chainHash ?? OPEN],
        ],
      },
      ...SECTIONS.flatMap(([name, title]) => toSection(title, assessment[name])),
      ...toRiskBlocks(assessment.identifiedRisks),
    ],
  };
}

function toSection(title: string, text: string | null): PdfBlock[] {
  return [
    { kind: 'heading', text: title },
    { kind: 'text', text: text ?? OPEN },
  ];
}

/** Returns a table of all risks, then the texts of each. */
function toRiskBlocks(rows: readonly Risk[]): PdfBlock[] {
  if (rows.length === 0) return toSection('Risks', null);
  return [
    { kind: 'heading', text: 'Risks' },
    {
      kind: 'table',
      columns: [
        { title: 'Risk' },
        { title: 'Likelihood', width: 70 },
        { title: 'Severity', width: 70 },
        { title: 'Residual risk', width: 70 },
      ],
      rows: rows.map((risk) => [risk.title, risk.likelihood, risk.severity, risk.residualRisk]),
    },
    ...rows.flatMap(toRiskTexts),
  ];
}

function toRiskTexts(
  { title, description, affectedRights, mitigation }: Risk,
  at: number,
): PdfBlock[] {
  return [
    { kind: 'heading', text: `Risk ${at + 1}: ${title}` },
    {
      kind: 'values',
      values: [
        ['Description', description ?? OPEN],
        ['Affected rights', affectedRights.join('\n') || OPEN],
        ['Mitigation', mitigation ?? OPEN],
      ],
    },
  ];
}

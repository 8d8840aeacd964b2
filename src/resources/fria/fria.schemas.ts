// Inputs and views of impact assessments (document 3, sections 2 and 4.1).
import { z } from 'zod';
import { RISK_LEVELS } from '../../domain/fria/assessment.ts';
import { ASSESSMENT_STATUSES } from '../../domain/fria/assessment-status.ts';
import { id, instant, line, listOf, prose } from '../../http/declaration/views.ts';

const SECTION_MAX = 10_000;
const RISK_TEXT_MAX = 4000;
export const RISKS_MAX = 100;
const RIGHTS_MAX = 50;

/** A text that may be left open: empty means null. */
const open = <T extends z.ZodType>(text: T) =>
  z.union([z.literal('').transform(() => null), z.null(), text]);
const section = open(prose(SECTION_MAX)).exactOptional();
const level = z.enum(RISK_LEVELS);

const riskInput = z.object({
  title: line(200),
  description: open(prose(RISK_TEXT_MAX)).default(null),
  likelihood: level.default('medium'),
  severity: level.default('medium'),
  affectedRights: listOf(line(200), RIGHTS_MAX).default([]),
  mitigation: open(prose(RISK_TEXT_MAX)).default(null),
  residualRisk: level.default('medium'),
});

const sections = {
  deployerProfileId: open(line(100)).exactOptional(),
  purpose: section,
  affectedPersons: section,
  usageContext: section,
  durationOfUse: section,
  identifiedRisks: listOf(riskInput, RISKS_MAX).exactOptional(),
  risksIdentified: open(prose(RISK_TEXT_MAX))
    .exactOptional()
    .describe('Description of the row `Risk Summary`; send `identifiedRisks` instead'),
  mitigations: open(prose(RISK_TEXT_MAX))
    .exactOptional()
    .describe('Mitigation of the row `Risk Summary`; send `identifiedRisks` instead'),
  humanOversightSummary: section,
  complaintsMechanism: section,
};

export const assessmentInput = z.object({ systemName: line(200), ...sections });
export const assessmentChange = z.object({ systemName: line(200).exactOptional(), ...sections });
export const transitionInput = z.object({ status: z.enum(ASSESSMENT_STATUSES) });

export const assessmentQuery = z.object({
  status: z.enum(ASSESSMENT_STATUSES).optional(),
  search: z.string().min(1).max(100).optional().describe('A part of `systemName`, in any case'),
});

const text = z.string().nullable();
const riskView = z.object({
  title: z.string(),
  description: text,
  likelihood: level,
  severity: level,
  affectedRights: z.array(z.string()),
  mitigation: text,
  residualRisk: level,
});
export const assessmentView = z.object({
  _id: id,
  id,
  organizationId: id,
  systemName: z.string(),
  deployerProfileId: text,
  purpose: text,
  affectedPersons: text,
  usageContext: text,
  durationOfUse: text,
  identifiedRisks: z.array(riskView),
  humanOversightSummary: text,
  complaintsMechanism: text,
  status: z.enum(ASSESSMENT_STATUSES),
  completenessScore: z
    .int()
    .min(0)
    .max(100)
    .describe('Percentage of the eight wizard fields that are filled in'),
  submittedAt: instant.nullable(),
  approvedBy: id.nullable(),
  approvedAt: instant.nullable(),
  chainHash: z
    .string()
    .nullable()
    .describe('Anchor of the contents as submitted or approved last (docs/formats.md)'),
  createdAt: instant,
  updatedAt: instant,
});
export const deletedAssessmentView = z.object({ _id: id, id, deleted: z.literal(true) });

// Inputs and views of impact assessments (document 3, sections 2 and 4.1).
import { z } from 'zod';
import { nameSchemas } from '../../http/declaration/schema-names.ts';
import { optional, withDefault } from '../../http/declaration/optional.ts';
import { RISK_LEVELS } from '../../domain/fria/assessment.ts';
import { ASSESSMENT_STATUSES } from '../../domain/fria/assessment-status.ts';
import {
  id,
  instant,
  singleLine,
  boundedList,
  multiLine,
  createDeletedView,
} from '../../http/declaration/views.ts';

const SECTION_MAX = 10_000;
const RISK_TEXT_MAX = 4000;
export const RISKS_MAX = 100;
const RIGHTS_MAX = 50;

/** Accepts null and an empty text, which means null. */
const withEmptyAsNull = <T extends z.ZodType>(text: T) =>
  z.union([z.literal('').transform(() => null), z.null(), text]);
const section = optional(withEmptyAsNull(multiLine(SECTION_MAX)));
const level = z.enum(RISK_LEVELS);

const riskInput = z.object({
  title: singleLine(200),
  description: withDefault(withEmptyAsNull(multiLine(RISK_TEXT_MAX)), null),
  likelihood: withDefault(level, 'medium'),
  severity: withDefault(level, 'medium'),
  affectedRights: withDefault(boundedList(singleLine(200), RIGHTS_MAX), []),
  mitigation: withDefault(withEmptyAsNull(multiLine(RISK_TEXT_MAX)), null),
  residualRisk: withDefault(level, 'medium'),
});

const sections = {
  deployerProfileId: optional(withEmptyAsNull(singleLine(100))),
  purpose: section,
  affectedPersons: section,
  usageContext: section,
  durationOfUse: section,
  identifiedRisks: optional(boundedList(riskInput, RISKS_MAX)),
  risksIdentified: optional(withEmptyAsNull(multiLine(RISK_TEXT_MAX))).describe(
    'Description of the row `Risk Summary`; send `identifiedRisks` instead',
  ),
  mitigations: optional(withEmptyAsNull(multiLine(RISK_TEXT_MAX))).describe(
    'Mitigation of the row `Risk Summary`; send `identifiedRisks` instead',
  ),
  humanOversightSummary: section,
  complaintsMechanism: section,
};

export const assessmentInput = z.object({ systemName: singleLine(200), ...sections });
export const assessmentChange = z.object({ systemName: optional(singleLine(200)), ...sections });
export const transitionInput = z.object({ status: z.enum(ASSESSMENT_STATUSES) });

export const assessmentQuery = z.object({
  status: optional(z.enum(ASSESSMENT_STATUSES)),
  search: optional(z.string().min(1).max(100)).describe('A part of `systemName`, in any case'),
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
    .describe('Anchor of the contents as submitted or approved last (docs/reference/formats.md)'),
  createdAt: instant,
  updatedAt: instant,
});
export type AssessmentView = z.input<typeof assessmentView>;
export const deletedAssessmentView = createDeletedView();

nameSchemas({
  AssessmentInput: assessmentInput,
  AssessmentChange: assessmentChange,
  AssessmentTransitionInput: transitionInput,
  Assessment: assessmentView,
  DeletedAssessment: deletedAssessmentView,
});

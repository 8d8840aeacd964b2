// Views of what shows a clause: the measures of the service itself, beside what people attest.
import { z } from 'zod';
import { ANSWERS, MEASURE_NAMES, WINDOW_DAYS } from '../../../domain/compliance/measures.ts';
import { FRAMEWORKS } from '../../../domain/compliance/frameworks.ts';
import { nameSchemas } from '../../../http/declaration/schema-names.ts';
import { instant } from '../../../http/declaration/views.ts';

const answer = z.enum(ANSWERS);
const measure = z.enum(MEASURE_NAMES);

export const measureView = z.object({
  measure,
  title: z.string(),
  answer,
  finding: z.string().describe('What was found, in a sentence'),
  figures: z.record(z.string(), z.number().nullable()),
  page: z.string().describe('The page of the console that shows it, below `/console`'),
  source: z.string().describe('The route that answers with it, below `/api/v1`'),
});

export const clauseProofView = z.object({
  clauseId: z.string(),
  answer: answer.describe(
    'shown: all of its measures are; not-shown: one is not; else cannot-tell',
  ),
  measures: z.array(measure).describe('None: people alone can say'),
});

export const complianceProofsView = z.object({
  framework: z.enum(FRAMEWORKS),
  catalogVersion: z.string(),
  measuredAt: instant,
  windowDays: z.int().describe(`Counts in time are of the last ${WINDOW_DAYS} days`),
  summary: z.object({ shown: z.int(), notShown: z.int(), cannotTell: z.int() }),
  clauses: z.array(clauseProofView).describe('All of the framework, in its order'),
  measures: z.array(measureView).describe('Those that a clause of the framework names'),
});
export type ComplianceProofs = z.input<typeof complianceProofsView>;

nameSchemas({
  ComplianceMeasure: measureView,
  ClauseProof: clauseProofView,
  ComplianceProofs: complianceProofsView,
});

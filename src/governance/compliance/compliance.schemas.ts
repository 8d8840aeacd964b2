// Inputs and views of compliance mapping (document 3, sections 2 and 4.3).
import { z } from 'zod';
import { nameSchemas } from '../../http/declaration/schema-names.ts';
import { optional, withDefault } from '../../http/declaration/optional.ts';
import { CLAUSE_STATUSES } from '../../domain/compliance/clause.ts';
import { FRAMEWORKS } from '../../domain/compliance/frameworks.ts';
import { id, instant, multiLine } from '../../http/declaration/views.ts';

const EVIDENCE_MAX = 4000;
const LEGACY_MAX = 200;
const clauseId = z.string().min(1).max(32);
const framework = z.enum(FRAMEWORKS);
const status = z.enum(CLAUSE_STATUSES);
const evidence = z.union([z.literal(''), multiLine(EVIDENCE_MAX)]);

export const mappingQuery = z.object({ framework: withDefault(framework, 'iso-42001') });

export const mappingInput = z.strictObject({
  framework,
  clauseId: clauseId.describe('One of those that GET /compliance/mapping lists'),
  status: optional(status),
  evidence: optional(evidence),
});

export const legacyInput = z
  .record(
    z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._() -]{0,31}$/, 'must be a clause, such as 9.2(a)'),
    evidence,
  )
  .refine((map) => Object.keys(map).length <= LEGACY_MAX, `at most ${LEGACY_MAX} clauses`);

export const noteView = z.object({
  _id: id,
  id,
  organizationId: id,
  framework,
  clauseId: z.string(),
  status,
  evidence: z.string().nullable(),
  reviewedAt: instant.nullable(),
  reviewedBy: id.nullable(),
  reviewedByEmail: z.string().nullable(),
  createdAt: instant,
  updatedAt: instant,
});

const count = z.number().int();
export const coverageView = z.object({
  covered: count,
  partial: count,
  gap: count,
  notApplicable: count,
  total: count,
});

export const mappingView = z.object({
  framework,
  catalogVersion: z.string(),
  totalClauses: count,
  coverage: coverageView,
  notes: z.array(noteView).describe('What the organisation attests; every other clause is a gap'),
  clauses: z.array(z.object({ clauseId: z.string(), title: z.string(), description: z.string() })),
});
export type Mapping = z.input<typeof mappingView>;
export const attestedView = z.object({ note: noteView, coverage: coverageView });
export const legacyView = z.record(z.string(), z.string());

nameSchemas({
  ComplianceNoteInput: mappingInput,
  LegacyNotesInput: legacyInput,
  ComplianceNote: noteView,
  ComplianceCoverage: coverageView,
  ComplianceMapping: mappingView,
  AttestedNote: attestedView,
  LegacyNotes: legacyView,
});

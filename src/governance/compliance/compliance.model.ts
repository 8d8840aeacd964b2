// Attestations of the clauses of a framework, and the free texts that preceded them (document 3, section 2).
import { Schema } from 'mongoose';
import { CLAUSE_STATUSES } from '../../domain/compliance/clause.ts';
import { DEFAULT_STATUS, FRAMEWORKS } from '../../domain/compliance/frameworks.ts';
import { defineCollection, type DocumentOf, typeAs } from '../../platform/mongo/collection.ts';

export const complianceNoteSchema = defineCollection(
  'compliance_notes',
  {
    framework: { type: String, enum: FRAMEWORKS, required: true },
    clauseId: { type: String, required: true },
    status: { type: String, enum: CLAUSE_STATUSES, default: DEFAULT_STATUS },
    evidence: { type: String, default: null },
    reviewedAt: { type: Date, default: null },
    reviewedBy: { type: Schema.Types.ObjectId, default: null },
    /** Address of the reviewer at the time of the review. */
    reviewedByEmail: { type: String, default: null },
  },
  { timestamps: true },
);
export interface ComplianceNoteDocument extends DocumentOf<typeof complianceNoteSchema> {}
complianceNoteSchema.index(
  { organizationId: 1, framework: 1, clauseId: 1 },
  { name: 'clause', unique: true },
);

export const legacyNotesSchema = defineCollection(
  'compliance_legacy_notes',
  {
    notes: typeAs<{ clauseId: string; text: string }[]>({
      type: [{ _id: false, clauseId: String, text: String }],
      default: [],
    }),
  },
  { timestamps: true },
);
/** The legacy map of an organisation; a list, since the names of clauses have dots. */
export interface LegacyNotesDocument extends DocumentOf<typeof legacyNotesSchema> {}
legacyNotesSchema.index({ organizationId: 1 }, { name: 'organization', unique: true });

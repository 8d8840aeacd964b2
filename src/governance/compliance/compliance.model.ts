// Attestations of the clauses of a framework, and the free texts that preceded them (document 3, section 2).
import { Schema, type Types } from 'mongoose';
import { CLAUSE_STATUSES, type ClauseStatus } from '../../domain/compliance/clause.ts';
import { DEFAULT_STATUS, type Framework, FRAMEWORKS } from '../../domain/compliance/frameworks.ts';
import { guardTenancy } from '../../platform/mongo/tenancy.ts';

export interface ComplianceNoteDocument {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  framework: Framework;
  clauseId: string;
  status: ClauseStatus;
  evidence: string | null;
  reviewedAt: Date | null;
  reviewedBy: Types.ObjectId | null;
  /** Address of the reviewer at the time of the review. */
  reviewedByEmail: string | null;
  createdAt: Date;
  updatedAt: Date;
}

export const complianceNoteSchema = new Schema<ComplianceNoteDocument>(
  {
    framework: { type: String, enum: FRAMEWORKS, required: true },
    clauseId: { type: String, required: true },
    status: { type: String, enum: CLAUSE_STATUSES, default: DEFAULT_STATUS },
    evidence: { type: String, default: null },
    reviewedAt: { type: Date, default: null },
    reviewedBy: { type: Schema.Types.ObjectId, default: null },
    reviewedByEmail: { type: String, default: null },
  },
  { collection: 'compliance_notes', timestamps: true, autoIndex: false },
);
complianceNoteSchema.plugin(guardTenancy);
complianceNoteSchema.index(
  { organizationId: 1, framework: 1, clauseId: 1 },
  { name: 'clause', unique: true },
);

/** The legacy map of an organisation; a list, since the names of clauses have dots. */
export interface LegacyNotesDocument {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  notes: { clauseId: string; text: string }[];
}

export const legacyNotesSchema = new Schema<LegacyNotesDocument>(
  { notes: { type: [{ _id: false, clauseId: String, text: String }], default: [] } },
  { collection: 'compliance_legacy_notes', timestamps: true, autoIndex: false },
);
legacyNotesSchema.plugin(guardTenancy);
legacyNotesSchema.index({ organizationId: 1 }, { name: 'organization', unique: true });

// Fundamental-rights impact assessments, one per high-risk system (document 3, section 2).
import { Schema } from 'mongoose';
import { RISK_LEVELS } from '../../domain/fria/assessment.ts';
import { ASSESSMENT_STATUSES } from '../../domain/fria/assessment-status.ts';
import { defineCollection, definePart, type DocumentOf } from '../../platform/mongo/collection.ts';

const text = { type: String, default: null } as const;
const level = { type: String, enum: RISK_LEVELS, required: true } as const;

const risk = definePart(
  {
    title: { type: String, required: true },
    description: text,
    likelihood: level,
    severity: level,
    affectedRights: { type: [String], required: true },
    mitigation: text,
    residualRisk: level,
  },
  { id: false },
);

export const assessmentSchema = defineCollection(
  'assessments',
  {
    systemName: { type: String, required: true },
    deployerProfileId: text,
    purpose: text,
    affectedPersons: text,
    usageContext: text,
    durationOfUse: text,
    identifiedRisks: { type: [risk], required: true },
    humanOversightSummary: text,
    complaintsMechanism: text,
    status: { type: String, enum: ASSESSMENT_STATUSES, default: 'draft' },
    /** The first submission; null: it may be deleted. */
    submittedAt: { type: Date, default: null },
    approvedBy: { type: Schema.Types.ObjectId, default: null },
    approvedAt: { type: Date, default: null },
    /** Anchor of the contents as they were submitted or approved last. */
    chainHash: text,
  },
  { timestamps: true },
);
export interface AssessmentDocument extends DocumentOf<typeof assessmentSchema> {}
assessmentSchema.index({ organizationId: 1, createdAt: -1, _id: -1 }, { name: 'newest' });
assessmentSchema.index(
  { organizationId: 1, status: 1, createdAt: -1, _id: -1 },
  { name: 'newest_by_status' },
);

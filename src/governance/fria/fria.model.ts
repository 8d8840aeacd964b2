// Fundamental-rights impact assessments, one per high-risk system (document 3, section 2).
import { Schema, type Types } from 'mongoose';
import { RISK_LEVELS, type WizardFields } from '../../domain/fria/assessment.ts';
import { ASSESSMENT_STATUSES, type AssessmentStatus } from '../../domain/fria/assessment-status.ts';
import { guardTenancy } from '../../platform/mongo/tenancy.ts';

export type AssessmentDocument = WizardFields & {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  deployerProfileId: string | null;
  status: AssessmentStatus;
  /** The first submission; null: it may be deleted. */
  submittedAt: Date | null;
  approvedBy: Types.ObjectId | null;
  approvedAt: Date | null;
  /** Anchor of the contents as they were submitted or approved last. */
  chainHash: string | null;
  createdAt: Date;
  updatedAt: Date;
};

const text = { type: String, default: null };
const level = { type: String, enum: RISK_LEVELS, required: true };

const risk = new Schema(
  {
    title: { type: String, required: true },
    description: text,
    likelihood: level,
    severity: level,
    affectedRights: { type: [String], required: true },
    mitigation: text,
    residualRisk: level,
  },
  { _id: false, id: false },
);

export const assessmentSchema = new Schema<AssessmentDocument>(
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
    submittedAt: { type: Date, default: null },
    approvedBy: { type: Schema.Types.ObjectId, default: null },
    approvedAt: { type: Date, default: null },
    chainHash: text,
  },
  { collection: 'assessments', timestamps: true, autoIndex: false },
);
assessmentSchema.plugin(guardTenancy);
assessmentSchema.index({ organizationId: 1, createdAt: -1, _id: -1 }, { name: 'newest' });
assessmentSchema.index(
  { organizationId: 1, status: 1, createdAt: -1, _id: -1 },
  { name: 'newest_by_status' },
);

// Reports of compliance as they were rendered, and when an organisation wants the next one, sent to whom.
import { Schema } from 'mongoose';
import { FRAMEWORKS } from '../../../domain/compliance/frameworks.ts';
import { REPORT_PERIODS } from '../../../domain/compliance/report-period.ts';
import { defineCollection, type DocumentOf } from '../../../platform/mongo/collection.ts';

const fixed = { required: true, immutable: true } as const;

export const complianceReportSchema = defineCollection(
  'compliance_reports',
  {
    framework: { type: String, enum: FRAMEWORKS, ...fixed },
    /** Null: it was due. */
    createdBy: { type: Schema.Types.ObjectId, default: null },
    shown: { type: Number, ...fixed },
    notShown: { type: Number, ...fixed },
    cannotTell: { type: Number, ...fixed },
    pdf: { type: Buffer, ...fixed },
  },
  { timestamps: true },
);
export interface ComplianceReportDocument extends DocumentOf<typeof complianceReportSchema> {}
complianceReportSchema.index({ organizationId: 1, createdAt: -1, _id: -1 }, { name: 'newest' });

export const reportScheduleSchema = defineCollection(
  'compliance_report_schedules',
  {
    framework: { type: String, enum: FRAMEWORKS, required: true },
    every: { type: String, enum: REPORT_PERIODS, required: true },
    /** Members. */
    recipients: { type: [Schema.Types.ObjectId], required: true },
    nextAt: { type: Date, required: true },
    lastAt: { type: Date, default: null },
  },
  { timestamps: true },
);
export interface ReportScheduleDocument extends DocumentOf<typeof reportScheduleSchema> {}
reportScheduleSchema.index({ organizationId: 1 }, { name: 'organization', unique: true });
reportScheduleSchema.index({ nextAt: 1 }, { name: 'due' });

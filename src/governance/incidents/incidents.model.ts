// Incidents with the clocks of their regulators (document 3, section 2).
import { Schema, type Types } from 'mongoose';
import { CLOCK_STATUSES, type IncidentClock } from '../../domain/incidents/clock.ts';
import { INCIDENT_STATUSES, type IncidentStatus } from '../../domain/incidents/incident-status.ts';
import { type Regulator, REGULATORS } from '../../domain/incidents/rules/rule.ts';
import { guardTenancy } from '../../platform/mongo/tenancy.ts';

export const SEVERITIES = ['info', 'low', 'medium', 'high', 'critical'] as const;
export const CATEGORIES = [
  'data_breach',
  'ai_serious_incident',
  'operational',
  'cyber',
  'product_safety',
  'other',
] as const;

export type StoredClock = IncidentClock & { _id: Types.ObjectId };

/** A regulator that the incident is reported to. */
interface Submission {
  code: Regulator;
  name: string | null;
  contactEmail: string | null;
  /** Time of the first report. */
  submittedAt: Date | null;
  submissionRef: string | null;
}

export interface IncidentDocument {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  workspaceId: Types.ObjectId;
  externalRef: string | null;
  title: string;
  summary: string | null;
  severity: (typeof SEVERITIES)[number];
  category: (typeof CATEGORIES)[number];
  status: IncidentStatus;
  triggerTraceIds: string[];
  relatedAgentIds: string[];
  /** Recipients that a report has reached. */
  reportedTo: string[];
  regulators: Submission[];
  clocks: StoredClock[];
  /** Time of the next possible breach of an active clock; null: none. */
  breachAt: Date | null;
  /** The deadline that the last reminder was about; absent: none was sent. */
  remindedOf?: Date;
  createdBy: Types.ObjectId;
  createdByEmail: string;
  detectedAt: Date;
  closedAt: Date | null;
  rootCause: string | null;
  remediation: string | null;
  /** Notes from closing the incident. */
  notes: string | null;
  createdAt: Date;
  updatedAt: Date;
}

const text = { type: String, default: null };
const moment = { type: Date, default: null };
const regulator = { type: String, enum: REGULATORS, required: true };

const checkpoint = new Schema(
  {
    label: { type: String, required: true },
    deadlineAt: { type: Date, required: true },
    completedAt: moment,
    completedBy: text,
    evidenceTraceId: text,
    evidenceUrl: text,
    notes: text,
  },
  { _id: false, id: false },
);
const clock = new Schema(
  {
    regulator,
    articleRef: { type: String, required: true },
    ruleVersion: { type: String, required: true },
    clockStartedAt: { type: Date, required: true },
    applicabilityReason: text,
    checkpoints: { type: [checkpoint], required: true },
    status: { type: String, enum: CLOCK_STATUSES, required: true },
  },
  { id: false },
);
const submission = new Schema(
  { code: regulator, name: text, contactEmail: text, submittedAt: moment, submissionRef: text },
  { _id: false, id: false },
);

export const incidentSchema = new Schema<IncidentDocument>(
  {
    workspaceId: { type: Schema.Types.ObjectId, required: true },
    externalRef: text,
    title: { type: String, required: true },
    summary: text,
    severity: { type: String, enum: SEVERITIES, default: 'medium' },
    category: { type: String, enum: CATEGORIES, default: 'other' },
    status: { type: String, enum: INCIDENT_STATUSES, default: 'open' },
    triggerTraceIds: { type: [String], required: true },
    relatedAgentIds: { type: [String], required: true },
    reportedTo: { type: [String], required: true },
    regulators: { type: [submission], required: true },
    clocks: { type: [clock], required: true },
    breachAt: moment,
    remindedOf: Date,
    createdBy: { type: Schema.Types.ObjectId, required: true },
    createdByEmail: { type: String, required: true },
    detectedAt: { type: Date, required: true },
    closedAt: moment,
    rootCause: text,
    remediation: text,
    notes: text,
  },
  { collection: 'incidents', timestamps: true, autoIndex: false },
);
incidentSchema.plugin(guardTenancy);
incidentSchema.index({ organizationId: 1, createdAt: -1, _id: -1 }, { name: 'newest' });
incidentSchema.index(
  { organizationId: 1, status: 1, createdAt: -1, _id: -1 },
  { name: 'newest_by_status' },
);
incidentSchema.index({ organizationId: 1, breachAt: 1 }, { name: 'next_breach' });
incidentSchema.index({ breachAt: 1 }, { name: 'due' });

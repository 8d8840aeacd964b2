// Incidents with the clocks of their regulators (document 3, section 2).
import { Schema, type Types } from 'mongoose';
import { CLOCK_STATUSES, type IncidentClock } from '../../domain/incidents/clock.ts';
import { INCIDENT_STATUSES } from '../../domain/incidents/incident-status.ts';
import { REGULATORS } from '../../domain/incidents/cadence.ts';
import {
  defineCollection,
  definePart,
  type DocumentOf,
  typeAs,
} from '../../platform/mongo/collection.ts';

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

const text = { type: String, default: null } as const;
const moment = { type: Date, default: null } as const;
const regulator = { type: String, enum: REGULATORS, required: true } as const;

const checkpoint = definePart(
  {
    label: { type: String, required: true },
    deadlineAt: { type: Date, required: true },
    completedAt: moment,
    completedBy: text,
    evidenceTraceId: text,
    evidenceUrl: text,
    notes: text,
  },
  { id: false },
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
/** A regulator that the incident is reported to. */
const submission = definePart(
  {
    code: regulator,
    name: text,
    contactEmail: text,
    /** Time of the first report. */
    submittedAt: moment,
    submissionRef: text,
  },
  { id: false },
);

export const incidentSchema = defineCollection(
  'incidents',
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
    /** Recipients that a report has reached. */
    reportedTo: { type: [String], required: true },
    regulators: { type: [submission], required: true },
    clocks: typeAs<StoredClock[]>({ type: [clock], required: true }),
    /** Time of the next possible breach of an active clock; null: none. */
    breachAt: moment,
    /** The deadline that the last reminder was about; absent: none was sent. */
    remindedOf: Date,
    createdBy: { type: Schema.Types.ObjectId, required: true },
    createdByEmail: { type: String, required: true },
    detectedAt: { type: Date, required: true },
    closedAt: moment,
    rootCause: text,
    remediation: text,
    /** Notes from closing the incident. */
    notes: text,
  },
  { timestamps: true },
);
export interface IncidentDocument extends DocumentOf<typeof incidentSchema> {}
incidentSchema.index({ organizationId: 1, createdAt: -1, _id: -1 }, { name: 'newest' });
incidentSchema.index(
  { organizationId: 1, status: 1, createdAt: -1, _id: -1 },
  { name: 'newest_by_status' },
);
incidentSchema.index({ organizationId: 1, breachAt: 1 }, { name: 'next_breach' });
incidentSchema.index({ breachAt: 1 }, { name: 'due' });

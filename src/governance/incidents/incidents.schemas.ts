// Inputs and views of incidents, clocks and checkpoints (document 3, sections 2 and 4.2).
import { z } from 'zod';
import { nameSchemas } from '../../http/declaration/schema-names.ts';
import { optional, withDefault } from '../../http/declaration/optional.ts';
import { CLOCK_STATUSES } from '../../domain/incidents/clock.ts';
import {
  INCIDENT_STATUSES,
  REPORTING_STATUSES,
  RESPONSE_STATUSES,
} from '../../domain/incidents/incident-status.ts';
import { REGULATORS } from '../../domain/incidents/cadence.ts';
import {
  emailAddress,
  id,
  idParam,
  instant,
  singleLine,
  boundedList,
  multiLine,
} from '../../http/declaration/views.ts';
import { CATEGORIES, SEVERITIES } from './incidents.model.ts';

const NAMED_MAX = 100;
/** Each regulator makes one clock, but the same one may be sent twice. */
const REGULATORS_MAX = 20;
/** Earlier incidents are implausible, and this bound keeps every deadline a valid date. */
const EARLIEST = new Date('2000-01-01T00:00:00Z');

/** Accepts null and an empty text, which means null. */
const withEmptyAsNull = <T extends z.ZodType>(text: T) =>
  z.union([z.literal('').transform(() => null), z.null(), text]);
const moment = z.iso
  .datetime({ offset: true })
  .transform((text) => new Date(text))
  .refine((at) => at >= EARLIEST, 'must not be before the year 2000');
const nameList = boundedList(singleLine(200), NAMED_MAX);
const url = z.url({ protocol: /^https?$/ }).max(2000);

const regulator = z.object({
  code: z.enum(REGULATORS),
  name: withDefault(withEmptyAsNull(singleLine(200)), null),
  contactEmail: withDefault(withEmptyAsNull(emailAddress), null),
  submissionRef: withDefault(withEmptyAsNull(singleLine(200)), null),
  applicabilityReason: withDefault(withEmptyAsNull(multiLine(4000)), null).describe(
    'Why the clock applies',
  ),
});

export const incidentInput = z.object({
  title: singleLine(200),
  summary: withDefault(withEmptyAsNull(multiLine(10_000)), null),
  severity: withDefault(z.enum(SEVERITIES), 'medium'),
  category: withDefault(z.enum(CATEGORIES), 'other'),
  triggerTraceIds: withDefault(nameList, []),
  relatedAgentIds: withDefault(nameList, []),
  regulators: withDefault(boundedList(regulator, REGULATORS_MAX), []).describe(
    'One clock a code; of the same code the first counts',
  ),
  detectedAt: optional(moment).describe('When the clocks begin; default: now'),
  externalRef: withDefault(withEmptyAsNull(singleLine(200)), null),
});

export const incidentChange = z.object({
  title: optional(singleLine(200)),
  summary: optional(withEmptyAsNull(multiLine(10_000))),
  severity: optional(z.enum(SEVERITIES)),
  category: optional(z.enum(CATEGORIES)),
  status: optional(z.enum(INCIDENT_STATUSES)),
  triggerTraceIds: optional(nameList),
  relatedAgentIds: optional(nameList),
  detectedAt: optional(moment).describe('Moves the open deadlines'),
  externalRef: optional(withEmptyAsNull(singleLine(200))),
});

export const closeInput = z.object({
  rootCause: optional(withEmptyAsNull(multiLine(10_000))),
  remediation: optional(withEmptyAsNull(multiLine(10_000))),
  notes: optional(withEmptyAsNull(multiLine(4000))),
});

export const incidentQuery = z.object({
  status: optional(z.enum(INCIDENT_STATUSES)),
  severity: optional(z.enum(SEVERITIES)),
  regulator: optional(z.enum(REGULATORS)).describe('With a clock of this regulator'),
  search: optional(z.string().min(1).max(100)).describe('A part of `title` or `summary`'),
});

const evidence = {
  evidenceTraceId: withDefault(withEmptyAsNull(singleLine(200)), null),
  notes: withDefault(withEmptyAsNull(multiLine(4000)), null),
};
export const completionInput = z.object({
  ...evidence,
  evidenceUrl: withDefault(withEmptyAsNull(url), null),
});
export const clockCheckpointInput = z.object({
  ...evidence,
  checkpointIndex: z.int().min(0).max(99).describe('Within the clock, from 0'),
});
export const clockParams = z.object({ id: idParam, clockId: idParam });
export const checkpointParams = z.object({ id: idParam, checkpointId: z.string().max(10) });

const text = z.string().nullable();
const checkpointView = z.object({
  id: z.string().describe('`cp-0`, `cp-1`, ...: counted over all clocks in their order'),
  label: z.string(),
  deadlineAt: instant,
  completedAt: instant.nullable(),
  completedBy: id.nullable(),
  evidenceTraceId: text,
  evidenceUrl: text,
  notes: text,
});
export const clockView = z.object({
  _id: id,
  id,
  regulator: z.enum(REGULATORS),
  articleRef: z.string(),
  ruleVersion: z.string(),
  source: z.string().describe('The act that the deadlines follow from'),
  clockStartedAt: instant,
  applicabilityReason: text,
  checkpoints: z.array(checkpointView),
  nextCheckpointAt: instant.nullable(),
  finalDeadlineAt: instant,
  status: z.enum(CLOCK_STATUSES),
});
export type ClockView = z.input<typeof clockView>;
export const incidentView = z.object({
  _id: id,
  id,
  organizationId: id,
  workspaceId: id,
  externalRef: text,
  title: z.string(),
  summary: text,
  severity: z.enum(SEVERITIES),
  category: z.enum(CATEGORIES),
  status: z.enum(INCIDENT_STATUSES),
  statusAs: z
    .object({ reporting: z.enum(REPORTING_STATUSES), response: z.enum(RESPONSE_STATUSES) })
    .describe('The status in each of its two vocabularies'),
  triggerTraceIds: z.array(z.string()),
  relatedAgentIds: z.array(z.string()),
  reportedTo: z.array(z.string()),
  regulators: z.array(
    z.object({
      code: z.enum(REGULATORS),
      name: text,
      contactEmail: text,
      submittedAt: instant.nullable(),
      submissionRef: text,
    }),
  ),
  clocks: z.array(clockView),
  nextCheckpointAt: instant.nullable().describe('The earliest of all clocks'),
  createdBy: id,
  createdByEmail: z.string(),
  detectedAt: instant,
  closedAt: instant.nullable(),
  rootCause: text,
  remediation: text,
  notes: text,
  createdAt: instant,
  updatedAt: instant,
});
export type IncidentView = z.input<typeof incidentView>;

nameSchemas({
  IncidentInput: incidentInput,
  IncidentChange: incidentChange,
  IncidentClosureInput: closeInput,
  CheckpointCompletionInput: completionInput,
  ClockCheckpointInput: clockCheckpointInput,
  IncidentClock: clockView,
  Incident: incidentView,
});

// Inputs and views of incidents, clocks and checkpoints (document 3, sections 2 and 4.2).
import { z } from 'zod';
import { CLOCK_STATUSES } from '../../domain/incidents/clock.ts';
import {
  INCIDENT_STATUSES,
  REPORTING_STATUSES,
  RESPONSE_STATUSES,
} from '../../domain/incidents/incident-status.ts';
import { REGULATORS } from '../../domain/incidents/rules/rule.ts';
import {
  emailAddress,
  id,
  idParam,
  instant,
  line,
  listOf,
  prose,
} from '../../http/declaration/views.ts';
import { CATEGORIES, SEVERITIES } from './incidents.model.ts';

const NAMED_MAX = 100;
/** Each is a clock at most once, but may be sent again. */
const REGULATORS_MAX = 20;
/** Nobody has an older incident, and every deadline stays a date that can be written. */
const EARLIEST = new Date('2000-01-01T00:00:00Z');

/** A text that may be left open: empty means null. */
const open = <T extends z.ZodType>(text: T) =>
  z.union([z.literal('').transform(() => null), z.null(), text]);
const moment = z.iso
  .datetime({ offset: true })
  .transform((text) => new Date(text))
  .refine((at) => at >= EARLIEST, 'must not be before the year 2000');
const named = listOf(line(200), NAMED_MAX);
const url = z.url({ protocol: /^https?$/ }).max(2000);

const regulator = z.object({
  code: z.enum(REGULATORS),
  name: open(line(200)).default(null),
  contactEmail: open(emailAddress).default(null),
  submissionRef: open(line(200)).default(null),
  applicabilityReason: open(prose(4000)).default(null).describe('Why the clock applies'),
});

export const incidentInput = z.object({
  title: line(200),
  summary: open(prose(10_000)).default(null),
  severity: z.enum(SEVERITIES).default('medium'),
  category: z.enum(CATEGORIES).default('other'),
  triggerTraceIds: named.default([]),
  relatedAgentIds: named.default([]),
  regulators: listOf(regulator, REGULATORS_MAX)
    .default([])
    .describe('One clock a code; of the same code the first counts'),
  detectedAt: moment.optional().describe('When the clocks begin; default: now'),
  externalRef: open(line(200)).default(null),
});

export const incidentChange = z.object({
  title: line(200).exactOptional(),
  summary: open(prose(10_000)).exactOptional(),
  severity: z.enum(SEVERITIES).exactOptional(),
  category: z.enum(CATEGORIES).exactOptional(),
  status: z.enum(INCIDENT_STATUSES).exactOptional(),
  triggerTraceIds: named.exactOptional(),
  relatedAgentIds: named.exactOptional(),
  detectedAt: moment.exactOptional().describe('Moves the open deadlines'),
  externalRef: open(line(200)).exactOptional(),
});

export const closeInput = z.object({
  rootCause: open(prose(10_000)).exactOptional(),
  remediation: open(prose(10_000)).exactOptional(),
  notes: open(prose(4000)).exactOptional(),
});

export const incidentQuery = z.object({
  status: z.enum(INCIDENT_STATUSES).optional(),
  severity: z.enum(SEVERITIES).optional(),
  regulator: z.enum(REGULATORS).optional().describe('With a clock of this regulator'),
  search: z.string().min(1).max(100).optional().describe('A part of `title` or `summary`'),
});

const evidence = {
  evidenceTraceId: open(line(200)).default(null),
  notes: open(prose(4000)).default(null),
};
export const completionInput = z.object({ ...evidence, evidenceUrl: open(url).default(null) });
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

// Inputs and views of reports of compliance and of their schedule.
import { z } from 'zod';
import { FRAMEWORKS } from '../../../domain/compliance/frameworks.ts';
import { REPORT_PERIODS } from '../../../domain/compliance/report-period.ts';
import { nameSchemas } from '../../../http/declaration/schema-names.ts';
import { boundedList, id, idParam, instant } from '../../../http/declaration/views.ts';

const RECIPIENTS_MAX = 20;
const framework = z.enum(FRAMEWORKS);

export const reportInput = z.strictObject({ framework });
export const reportView = z.object({
  _id: id,
  id,
  framework,
  createdAt: instant,
  createdBy: id.nullable().describe('Null: the schedule'),
  shown: z.int(),
  notShown: z.int(),
  cannotTell: z.int(),
});
export type ComplianceReportView = z.input<typeof reportView>;

export const scheduleInput = z.strictObject({
  framework,
  every: z
    .enum([...REPORT_PERIODS, 'never'])
    .describe('Mondays or the first of a month, 06:00 UTC'),
  recipients: boundedList(idParam, RECIPIENTS_MAX).describe(
    'Ids of members; at least one unless `every` is never',
  ),
});
export const scheduleView = z.object({
  framework: framework.nullable(),
  every: z.enum([...REPORT_PERIODS, 'never']),
  recipients: z.array(id),
  nextAt: instant.nullable(),
  lastAt: instant.nullable(),
});
export type ReportScheduleView = z.input<typeof scheduleView>;

nameSchemas({
  ReportInput: reportInput,
  MeasuredReport: reportView,
  ReportScheduleInput: scheduleInput,
  ReportSchedule: scheduleView,
});

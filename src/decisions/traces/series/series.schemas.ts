// Query and view of decisions counted over time.
import { z } from 'zod';
import { nameSchemas } from '../../../http/declaration/schema-names.ts';
import { optional, withDefault } from '../../../http/declaration/optional.ts';
import { from, instant, to } from '../../../http/declaration/views.ts';
import { BUCKETS, MOST_BUCKETS } from '../../../domain/series.ts';

const bucket = z.enum(BUCKETS);

export const seriesQuery = z.object({
  bucket: withDefault(bucket, 'hour').describe('In UTC'),
  by: optional(z.literal('status')).describe('By the status that the agent was answered'),
  agentId: optional(z.string().min(1).max(200)).describe('Of one registered agent: id or name'),
  dateFrom: optional(from).describe(
    `Absent: 24 hours, or 30 days, up to \`dateTo\`. At most ${MOST_BUCKETS.hour} hours or ${MOST_BUCKETS.day} days`,
  ),
  dateTo: optional(to).describe('Absent: now'),
});
export type SeriesQuery = z.output<typeof seriesQuery>;

const count = z.number().int();
const point = z.object({
  at: instant.describe('The beginning of the bucket'),
  approved: count,
  flagged: count,
  blocked: count,
});
export const seriesView = z.object({
  bucket,
  by: z.literal('status'),
  from: instant,
  to: instant.describe('The end of the last bucket'),
  points: z.array(point).describe('Of every bucket, earliest first'),
});
export type DecisionSeries = z.input<typeof seriesView>;

nameSchemas({ SeriesBucket: bucket, SeriesPoint: point, DecisionSeries: seriesView });

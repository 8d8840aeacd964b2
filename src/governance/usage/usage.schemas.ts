// Views of usage (document 3, section 4.9).
import { z } from 'zod';
import { nameSchemas } from '../../http/declaration/schema-names.ts';
import { USAGE_STATUSES } from '../../domain/billing/usage-summary.ts';
import { SPAN_DIALECTS } from '@assay/otlp-decisions';
import { instant, planName } from '../../http/declaration/views.ts';

const count = z.number().int();

export const usageView = z.object({
  plan: planName,
  limit: count.nullable().describe('Decisions a month; null: unlimited'),
  unlimited: z.boolean(),
  thisMonth: count.describe('Since the first of the month, UTC'),
  percentUsed: z.number(),
  remaining: count.nullable(),
  resetDate: instant,
  today: count,
  dailyAverage: count,
  projectedMonthly: count,
  lastMonth: count,
  monthOverMonthChange: z.number().describe('In percent'),
  totalAllTime: count,
  status: z.enum(USAGE_STATUSES),
  spans: z
    .array(
      z.object({
        dialect: z.enum(SPAN_DIALECTS),
        recorded: count.describe('Became a decision'),
        repeated: count.describe('Were a decision already'),
        linked: count.describe('Belong to a decision that was asked for'),
        context: count.describe('Say what a call was about'),
        unmapped: count.describe('Say nothing that is read'),
        rejected: count.describe('Could not be recorded; the exporter got the reason'),
        withoutArguments: count.describe('Of the recorded: the arguments are unknown'),
      }),
    )
    .describe('Spans of OpenTelemetry since the first of the month, by dialect'),
});

export const usageHistoryView = z.array(
  z.object({ label: z.string().describe('Such as Nov 2026'), count }),
);

nameSchemas({ Usage: usageView });

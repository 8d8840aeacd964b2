// Views of usage (document 3, section 4.9).
import { z } from 'zod';
import { nameSchemas } from '../../http/declaration/schema-names.ts';
import { USAGE_STATUSES } from '../../domain/billing/usage-summary.ts';
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
});

export const usageHistoryView = z.array(
  z.object({ label: z.string().describe('Such as Nov 2026'), count }),
);

nameSchemas({ Usage: usageView });

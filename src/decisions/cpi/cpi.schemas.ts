// Views of the index (document 2, section 4.6).
import { z } from 'zod';
import { nameSchemas } from '../../http/declaration/schema-names.ts';
import { CPI_FORMULA, MINIMUM_SAMPLE } from '../../domain/cpi.ts';
import { id, instant } from '../../http/declaration/views.ts';

const count = z.number().int();
const rate = z.number().min(0).max(1).nullable();
const score = z.number().min(0).max(100).nullable();

const judged = z.object({
  correctFlags: count.describe('held, and rejected or corrected'),
  falseFlags: count.describe('held, and approved'),
  misses: count.describe('let pass, and corrected'),
  confirmations: count.describe('let pass, and approved'),
  overridden: count,
});
const decisions = z.object({ total: count, approved: count, flagged: count, blocked: count });
const window = z.object({ from: instant.describe('Midnight in UTC'), to: instant, days: count });
export type Window = z.input<typeof window>;

export const scoreboardView = z.object({
  score: score.describe(`0 to 100; null below ${MINIMUM_SAMPLE} judged decisions`),
  formula: z.literal(CPI_FORMULA),
  sampleSize: count,
  minimumSample: z.literal(MINIMUM_SAMPLE),
  correctFlagRate: rate,
  falseFlagRate: rate,
  humanOverrideRate: rate,
  averageConfidence: z.object({ approved: rate, flagged: rate, blocked: rate }),
  decisions,
  judged,
  window,
  trend: z
    .array(
      z.object({
        date: z.iso.date(),
        decisions: count,
        judged: count,
        correctFlags: count,
        falseFlags: count,
        misses: count,
        overridden: count,
        humanOverrideRate: rate,
      }),
    )
    .describe('Oldest first, a row for every day'),
});

export const cpiAnalyticsView = z.object({
  window,
  sampleSize: count.describe('the newest verdicts of the window, at most 1,000'),
  truncated: z.boolean(),
  agents: z.array(
    z.object({
      agentId: z.string(),
      name: z.string().nullable(),
      judged: count,
      overridden: count,
      overrideRate: rate,
    }),
  ),
  topReasons: z.array(z.object({ reason: z.string(), count })),
  confidence: z.object({
    corrected: rate.describe('mean score of what people corrected or rejected'),
    confirmed: rate.describe('mean score of what people approved'),
    delta: z.number().min(-1).max(1).nullable(),
  }),
  timeToCorrection: z.array(
    z.object({
      underHours: z.number().nullable().describe('null: longer than all others'),
      count,
    }),
  ),
  reversed: count.describe(
    'Decisions of the sample whose first verdict another person reversed; a key counts as one person',
  ),
});
export type Analytics = z.input<typeof cpiAnalyticsView>;

export const complianceReportView = z.object({
  organizationId: id,
  workspaceId: id.nullable(),
  generatedAt: instant,
  index: scoreboardView.omit({ trend: true }),
  oversight: z.object({ pending: count, overdue: count, approved: count, rejected: count }),
  chain: z.object({
    totalEntries: count,
    lastChainHash: z.string().nullable(),
    lastVerifiedAt: instant.nullable(),
    lastVerificationOk: z.boolean().nullable(),
  }),
});

nameSchemas({
  PerformanceIndex: scoreboardView,
  PerformanceAnalytics: cpiAnalyticsView,
  ComplianceReport: complianceReportView,
});

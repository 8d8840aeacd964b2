// Views of the effectiveness of policies, and the auditor's view (document 2, section 4.2).
import { z } from 'zod';
import { nameSchemas } from '../../http/declaration/schema-names.ts';
import { id, instant } from '../../http/declaration/views.ts';
import { approvalRecordView } from '../approvals/approval-record.schemas.ts';

const share = z
  .object({ value: z.number(), low: z.number(), high: z.number(), of: z.int() })
  .nullable()
  .describe('With its 95 % Wilson interval; null without data');

const effectiveness = {
  truePositives: z.int().describe('Held, and rejected or corrected'),
  falsePositives: z.int().describe('Held, and approved'),
  falseNegatives: z.int().describe('Let pass, and corrected'),
  trueNegatives: z.int().describe('Let pass, and confirmed'),
  precision: share,
  recall: share,
  f1: z.number().nullable(),
  falsePositiveRate: share,
};

const sample = {
  window: z.object({ from: instant, to: instant, days: z.int() }),
  sampleSize: z.int().describe('Decisions that people judged, at most the newest 1,000 verdicts'),
  truncated: z.boolean().describe('There are more verdicts or more policies (500) than are read'),
};

export const effectivenessView = z.object({
  ...sample,
  policies: z.array(z.object({ policyId: id, name: z.string(), ...effectiveness })),
});
export type EffectivenessReport = z.input<typeof effectivenessView>;

export const auditorView = z.object({
  ...sample,
  policies: z.array(
    z.object({
      policyId: id,
      name: z.string(),
      workspaceId: id,
      enabled: z.boolean(),
      priority: z.number(),
      revisions: z.int(),
      createdAt: instant,
      lastChange: z.object({
        at: instant,
        by: id.nullable(),
        approvalId: id.nullable().describe('The approval that made it; see `approvals`'),
      }),
      matchCount: z.int(),
      lastMatched: instant.nullable(),
      effectiveness: z.object(effectiveness),
    }),
  ),
  approvals: z
    .array(approvalRecordView)
    .describe('Proposed changes with every step and reason, newest first, at most 100'),
  approvalsTruncated: z.boolean(),
});
export type AuditorReport = z.input<typeof auditorView>;

nameSchemas({ PolicyEffectiveness: effectivenessView, AuditorView: auditorView });

// The insurance feed of a month: counts and the head of the chain, no decisions (document 2, section 4.2).
import { z } from 'zod';
import { nameSchemas } from '../../http/declaration/schema-names.ts';
import { id, instant } from '../../http/declaration/views.ts';

const count = z.int();

export const insuranceFeedView = z.object({
  format: z.literal('assay-insurance-feed'),
  version: z.literal(1),
  organizationId: id,
  generatedAt: instant,
  period: z.object({
    month: z.string().describe('YYYY-MM, in UTC; the current one, so far'),
    from: instant,
  }),
  decisions: z.object({ total: count, approved: count, flagged: count, blocked: count }),
  oversight: z
    .object({
      judged: count.describe('Decisions that a person judged this month'),
      correctFlags: count,
      falseFlags: count,
      misses: count,
      confirmations: count,
      overridden: count,
      pendingReviews: count,
    })
    .describe('Names as in the performance index'),
  policies: z.object({
    enabled: count,
    changes: count.describe('Revisions this month'),
    approvalRequired: z.boolean(),
    unreviewed: count.describe('In force by a broken glass, and not reviewed yet'),
  }),
  incidents: z.object({
    opened: count,
    closed: count,
    open: count,
    breached: count.describe('Detected this month, with a missed deadline'),
  }),
  record: z.object({
    sequence: z.int(),
    chainHash: z.string().nullable(),
    verifiedAt: instant.nullable(),
    isWhole: z.boolean().nullable(),
  }),
  digest: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .describe('SHA-256 of all but `generatedAt` and itself as canonical JSON (RFC 8785)'),
});
export type InsuranceFeed = z.input<typeof insuranceFeedView>;

nameSchemas({ InsuranceFeed: insuranceFeedView });

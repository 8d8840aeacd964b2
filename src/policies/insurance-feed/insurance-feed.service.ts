// Computes the insurance feed: an organisation's month in counts (document 2, 4.2; decisions: insurance feed).
import { canonicalize, type Json } from '@assay/json';
import { countPendingReviews } from '../../decisions/traces/decision-lookup.service.ts';
import type { Platform } from '../../platform/platform.ts';
import { toMonthKey, toMonthStart } from '../../domain/billing/months.ts';
import { loadCpiCounts } from '../../decisions/cpi/cpi.service.ts';
import { type JudgedCounts, countSample } from '../../domain/cpi.ts';
import type { Context } from '../../platform/context.ts';
import { sha256Hex } from '../../domain/record/chain.ts';
import { AppError } from '../../errors.ts';
import { countAtMost } from '../../platform/mongo/queries.ts';
import { getNeighbours } from '../neighbours.ts';
import type { InsuranceFeed } from './insurance-feed.schemas.ts';
import {
  getOrganizationContext,
  loadOrganizationSettings,
} from '../../identity/organization/organization.service.ts';
import { describeStatus } from '../../evidence/hash-chain/hash-chain.service.ts';

interface FeedFacts {
  format: 'assay-insurance-feed';
  version: 1;
  organizationId: string;
  period: { month: string; from: Date };
  decisions: Record<'total' | 'approved' | 'flagged' | 'blocked', number>;
  oversight: JudgedCounts & { judged: number; pendingReviews: number };
  policies: { enabled: number; changes: number; approvalRequired: boolean; unreviewed: number };
  incidents: Record<'opened' | 'closed' | 'open' | 'breached', number>;
  record: {
    sequence: number;
    chainHash: string | null;
    verifiedAt: Date | null;
    isWhole: boolean | null;
  };
}

export async function generateFeed(
  platform: Platform,
  organizationId: string,
): Promise<InsuranceFeed> {
  const generatedAt = platform.clock.now();
  const from = toMonthStart(generatedAt);
  const { countIncidents } = getNeighbours(platform);
  const facts: FeedFacts = {
    format: 'assay-insurance-feed',
    version: 1,
    organizationId,
    period: { month: toMonthKey(generatedAt), from },
    ...(await countDecisionsAndOversight(platform, organizationId, from)),
    policies: await countPolicies(platform, organizationId, from),
    incidents: await countIncidents(organizationId, from),
    record: await describeRecord(platform, organizationId),
  };
  return { ...facts, generatedAt, digest: computeFeedDigest(facts) };
}

/** Generates the feed for a recipient. @throws AppError `FORBIDDEN` unless the organisation has opted in */
export async function releaseFeed({ platform, tenant }: Context): Promise<InsuranceFeed> {
  const { insuranceFeed } = await loadOrganizationSettings(platform, tenant);
  if (!insuranceFeed.enabled)
    throw new AppError('FORBIDDEN', 'The organisation has not opted in to the insurance feed');
  return generateFeed(platform, tenant.organizationId);
}

async function countDecisionsAndOversight(platform: Platform, organizationId: string, from: Date) {
  const { decisions, judged } = await loadCpiCounts(platform, organizationId, from);
  const pendingReviews = await countPendingReviews(platform, organizationId);
  return { decisions, oversight: { judged: countSample(judged), ...judged, pendingReviews } };
}

async function countPolicies(
  platform: Platform,
  organizationId: string,
  from: Date,
): Promise<FeedFacts['policies']> {
  const { models } = platform;
  const { requiresPolicyApproval } = await getOrganizationContext(platform, organizationId);
  const enabled = { organizationId, deletedAt: null, enabled: true };
  return {
    enabled: await countAtMost(models.policies, enabled),
    changes: await countAtMost(models.policyRevisions, {
      organizationId,
      createdAt: { $gte: from },
    }),
    approvalRequired: requiresPolicyApproval,
    unreviewed: await countAtMost(models.policyApprovals, {
      organizationId,
      state: 'broken_glass',
    }),
  };
}

async function describeRecord(
  platform: Platform,
  organizationId: string,
): Promise<FeedFacts['record']> {
  const status = await describeStatus({ platform, tenant: { organizationId } });
  return {
    sequence: status.lastSequence,
    chainHash: status.lastChainHash,
    verifiedAt: status.lastVerifiedAt,
    isWhole: status.lastVerificationOk,
  };
}

function computeFeedDigest(facts: FeedFacts): string {
  return sha256Hex(canonicalize(JSON.parse(JSON.stringify(facts)) as Json));
}

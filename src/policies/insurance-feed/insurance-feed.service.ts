// Computes the insurance feed: an organisation's month in counts (document 2, 4.2; decisions: insurance feed).
import { canonicalize, type Json } from '@assay/json';
import type { Platform } from '../../platform/platform.ts';
import { toMonthKey, toMonthStart } from '../../domain/billing/months.ts';
import { type JudgedCounts, countSample } from '../../domain/cpi.ts';
import type { Tenant } from '../../domain/identity/tenant.ts';
import { sha256Hex } from '../../domain/record/chain.ts';
import { AppError } from '../../errors.ts';
import { READ_MAX_MS } from '../../platform/mongo/queries.ts';
import type { CpiService } from '../../decisions/cpi/cpi.service.ts';
import type { HashChainService } from '../../evidence/hash-chain/hash-chain.service.ts';
import type { DecisionLookup } from '../../decisions/traces/decision-lookup.service.ts';
import type { OrganizationService } from '../../identity/organization/organization.service.ts';
import type { InsuranceFeed } from './insurance-feed.schemas.ts';

/** Counts the incidents of a month; each count stops at `limit`. */
type CountIncidents = (
  organizationId: string,
  from: Date,
  limit: number,
) => Promise<Record<'opened' | 'closed' | 'open' | 'breached', number>>;

interface Deps {
  cpi: CpiService;
  chain: HashChainService;
  organizations: OrganizationService;
  decisionLookup: DecisionLookup;
  incidentCounts: { countSince: CountIncidents };
}

/** The whole organisation, whichever workspace is chosen. */
type OrganizationScope = Pick<Tenant, 'organizationId'>;

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

/** Each count stops here. */
const COUNTED_MAX = 10_000;

export function createInsuranceFeedService(
  platform: Pick<Platform, 'models' | 'clock'>,
  deps: Deps,
) {
  const { models, clock } = platform;
  const { cpi, chain, organizations, decisionLookup, incidentCounts } = deps;

  async function countDecisionsAndOversight(organizationId: string, from: Date) {
    const { decisions, judged } = await cpi.loadCounts(organizationId, from);
    const pendingReviews = await decisionLookup.countPending(organizationId, COUNTED_MAX);
    return { decisions, oversight: { judged: countSample(judged), ...judged, pendingReviews } };
  }

  async function countPolicies(organizationId: string, from: Date): Promise<FeedFacts['policies']> {
    const { requiresPolicyApproval } = await organizations.getContext(organizationId);
    const enabled = { organizationId, deletedAt: null, enabled: true };
    return {
      enabled: await countMatching(models.policies, enabled),
      changes: await countMatching(models.policyRevisions, {
        organizationId,
        createdAt: { $gte: from },
      }),
      approvalRequired: requiresPolicyApproval,
      unreviewed: await countMatching(models.policyApprovals, {
        organizationId,
        state: 'broken_glass',
      }),
    };
  }

  async function describeRecord(tenant: OrganizationScope): Promise<FeedFacts['record']> {
    const status = await chain.describeStatus(tenant);
    return {
      sequence: status.lastSequence,
      chainHash: status.lastChainHash,
      verifiedAt: status.lastVerifiedAt,
      isWhole: status.lastVerificationOk,
    };
  }

  async function generate(tenant: OrganizationScope): Promise<InsuranceFeed> {
    const { organizationId } = tenant;
    const generatedAt = clock.now();
    const from = toMonthStart(generatedAt);
    const facts: FeedFacts = {
      format: 'assay-insurance-feed',
      version: 1,
      organizationId,
      period: { month: toMonthKey(generatedAt), from },
      ...(await countDecisionsAndOversight(organizationId, from)),
      policies: await countPolicies(organizationId, from),
      incidents: await incidentCounts.countSince(organizationId, from, COUNTED_MAX),
      record: await describeRecord(tenant),
    };
    return { ...facts, generatedAt, digest: computeFeedDigest(facts) };
  }

  return {
    generate,

    /** Generates the feed for a recipient. @throws AppError `FORBIDDEN` unless the organisation has opted in */
    async release(tenant: Tenant): Promise<InsuranceFeed> {
      const { insuranceFeed } = await organizations.loadSettings(tenant);
      if (!insuranceFeed.enabled)
        throw new AppError('FORBIDDEN', 'The organisation has not opted in to the insurance feed');
      return generate(tenant);
    },
  };
}
export type InsuranceFeedService = ReturnType<typeof createInsuranceFeedService>;

/** A filter within one organisation. */
type OrganizationFilter = { organizationId: string } & Record<string, unknown>;

/** The part of a model that counting needs. */
interface Countable {
  countDocuments(where: object, options: object): PromiseLike<number>;
}

async function countMatching(model: Countable, where: OrganizationFilter): Promise<number> {
  return model.countDocuments(where, { limit: COUNTED_MAX, maxTimeMS: READ_MAX_MS });
}

function computeFeedDigest(facts: FeedFacts): string {
  return sha256Hex(canonicalize(JSON.parse(JSON.stringify(facts)) as Json));
}

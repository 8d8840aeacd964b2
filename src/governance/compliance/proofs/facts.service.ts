// Reads what the measures of compliance need: counters and bounded reads, never a walk over decisions.
import { type MeasuredFacts, WINDOW_DAYS } from '../../../domain/compliance/measures.ts';
import { findPercentile, sumCounts } from '../../../domain/counts/wait-buckets.ts';
import { computeBucketRange } from '../../../domain/series.ts';
import {
  countKeys,
  countVerdictsOverTime,
} from '../../../decisions/traces/series/decision-counts.service.ts';
import { measureQueue } from '../../../decisions/traces/series/queue-ages.service.ts';
import { countActiveRules } from '../../../events/alerts/active-rules.service.ts';
import { countErasures } from '../../../evidence/erasure/erasures.service.ts';
import { describeStatus } from '../../../evidence/hash-chain/hash-chain.service.ts';
import { hasWitnesses } from '../../../evidence/log/logs.service.ts';
import { listAnchors } from '../../../evidence/log/tree/anchors.service.ts';
import { listAgents, listSeenAgents } from '../../../identity/agents/agents.service.ts';
import { readAuditLength } from '../../../identity/audit/audit-log.service.ts';
import { findOrganization } from '../../../identity/organization/organization-facts.service.ts';
import { measureMembers } from '../../../identity/team/member-protection.service.ts';
import { countPolicies } from '../../../policies/policies.service.ts';
import type { Context } from '../../../platform/context.ts';
import { countAssessments } from '../../fria/fria.service.ts';
import { listHalts } from '../../halts/halts.service.ts';
import { countIncidents } from '../../incidents/incident-counts.service.ts';

const DAY_MS = 86_400_000;
/** Heads that may wait for witnesses. */
const HEADS_READ = 20;
const ONE = { skip: 0, limit: 1 };

/** Of the whole organisation, whatever workspace the caller has chosen. */
export async function loadFacts(caller: Context): Promise<MeasuredFacts> {
  const { platform, tenant } = caller;
  const ctx = { ...caller, tenant: { ...tenant, workspaceId: null, agentIds: null } };
  const { organizationId } = tenant;
  const now = platform.clock.now();
  const from = new Date(now.getTime() - WINDOW_DAYS * DAY_MS);
  const incidents = await countIncidents(platform, organizationId, from);
  const organization = await findOrganization(platform, organizationId);
  return {
    now,
    ...(await loadCounts(ctx, from, now)),
    queue: await measureQueue(ctx),
    stops: await countStops(ctx),
    ...(await loadChain(ctx)),
    auditEntries: await readAuditLength(platform, organizationId),
    incidents,
    assessments: await countAssessments(platform, organizationId),
    members: await measureMembers(platform, organizationId),
    policies: await countPolicies(ctx),
    isApprovalRequired: organization?.requirePolicyApproval ?? false,
    erasures: await countErasures(platform, organizationId),
    agents: await countAgents(ctx),
    alertRules: await countActiveRules(platform, organizationId),
  };
}

type Counts = Pick<MeasuredFacts, 'decisions' | 'held' | 'waits'>;

async function loadCounts(ctx: Context, from: Date, to: Date): Promise<Counts> {
  const range = computeBucketRange('day', from, to);
  const days = await countVerdictsOverTime(ctx, { ...range, agentIds: null });
  const counted = await countKeys(ctx, { dimension: 'wait', unit: 'day', ...range });
  const buckets = new Map([...counted].map(([key, count]) => [Number(key), count]));
  const held = days.reduce((sum, { flagged }) => sum + flagged, 0);
  return {
    held,
    decisions: days.reduce((sum, { approved, blocked }) => sum + approved + blocked, held),
    waits: {
      count: sumCounts(buckets),
      p50Seconds: findPercentile(buckets, 0.5),
      p95Seconds: findPercentile(buckets, 0.95),
    },
  };
}

async function loadChain(ctx: Context): Promise<Pick<MeasuredFacts, 'chain' | 'anchor'>> {
  const { totalEntries, lastVerifiedAt, lastVerificationOk } = await describeStatus(ctx);
  const anchors = await listAnchors(ctx, { limit: HEADS_READ });
  const witnessed = hasWitnesses(ctx.platform) && anchors.find((one) => one.witnessed);
  const anchor = witnessed || anchors[0];
  return {
    chain: { entries: totalEntries, verifiedAt: lastVerifiedAt, isIntact: lastVerificationOk },
    anchor: anchor
      ? {
          treeSize: anchor.treeSize,
          isWitnessed: anchor === witnessed,
          sealedAt: anchor.sealedAt,
        }
      : null,
  };
}

async function countStops(ctx: Context): Promise<MeasuredFacts['stops']> {
  const { total: all } = await listHalts(ctx, {}, ONE);
  const { total: binding } = await listHalts(ctx, { binding: true }, ONE);
  return { all, binding };
}

async function countAgents(ctx: Context): Promise<MeasuredFacts['agents']> {
  const { total: registered } = await listAgents(ctx, ONE);
  return { registered, unregistered: (await listSeenAgents(ctx)).length };
}

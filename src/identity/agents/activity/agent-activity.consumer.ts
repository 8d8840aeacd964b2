// Updates the activity of agents: lifetime verdicts, versions, status, recent history (document 1, section 2, Agent).
import type { ClientSession } from 'mongoose';
import type { PolicyVerdict } from '@assay/policy';
import { groupBy } from '../../../domain/group-by.ts';
import { isViolation, OBSERVED } from '../../../domain/otlp/observed.ts';
import { rollStatus, statusWindow } from '../../../domain/agents/agent-status.ts';
import type { TraceStatus } from '../../../domain/record/payload.ts';
import type { Sealed } from '../../../ledger/entry.ts';
import type { Consumer } from '../../../ledger/follow/consumer.ts';
import type { Models } from '../../../models.ts';
import type { AgentActivityDocument } from './agent-activity.model.ts';

interface RecentDecision {
  status: TraceStatus;
  confidenceScore: number;
  humanOverride: boolean;
  review?: { status: string; decidedBy?: string | null };
}
interface ObservedDecision extends Sealed, RecentDecision {
  agentId: string;
  /** Null: it names no agent of the organisation. */
  agentName: string | null;
  agentVersion: string | null;
  verdict: PolicyVerdict['status'];
  tags: string[];
}

const PROJECTION = {
  agentId: 1,
  agentName: 1,
  agentVersion: 1,
  verdict: 1,
  tags: 1,
  createdAt: 1,
  status: 1,
  confidenceScore: 1,
  humanOverride: 1,
  review: 1,
} as const;

/** Maximum number of versions kept of an agent: decisions may name any, and each update writes them all. */
const VERSIONS_MAX = 200;
/** Minimum number of human verdicts for an override rate. */
const LEAST_JUDGED = 5;

export function createAgentActivityConsumer(models: Models): Consumer<ObservedDecision> {
  return {
    name: 'agent-activity',
    from: 'start',
    kinds: ['trace'],
    projection: PROJECTION,
    async consume(entries, context) {
      // A decision that names no agent of the organisation may carry anything as `agentId`, another tenant's id too.
      const observed = entries.filter(({ agentName }) => agentName !== null);
      const byAgent = groupBy(observed, ({ agentId }) => agentId);
      if (byAgent.size > 0) await recordActivity(models, byAgent, context);
    },
  };
}

interface Context {
  organizationId: string;
  session: ClientSession;
}

/** Updates the activity of the agents of these decisions, which are oldest first. */
async function recordActivity(
  models: Models,
  byAgent: ReadonlyMap<string, readonly ObservedDecision[]>,
  context: Context,
): Promise<void> {
  const { organizationId, session } = context;
  const before = await loadActivities(models, [...byAgent.keys()], context);
  const updates: AgentUpdate[] = [];
  for (const [agentId, decisions] of byAgent) {
    const recent = await loadRecent(models, { agentId, decisions }, context);
    const filter = { _id: agentId, organizationId };
    const update = buildUpdate(before.get(agentId), decisions, recent);
    updates.push({ updateOne: { filter, update, upsert: true } });
  }
  await models.agentActivity.bulkWrite(updates, { session });
}

interface AgentUpdate {
  updateOne: {
    filter: { _id: string; organizationId: string };
    update: ReturnType<typeof buildUpdate>;
    upsert: true;
  };
}

/** The activity of these agents so far, by id. */
async function loadActivities(
  models: Models,
  agentIds: readonly string[],
  { organizationId, session }: Context,
): Promise<ReadonlyMap<string, AgentActivityDocument>> {
  const found = await models.agentActivity
    .find({ _id: { $in: agentIds }, organizationId })
    .session(session)
    .lean<AgentActivityDocument[]>();
  return new Map(found.map((activity) => [activity._id.toHexString(), activity]));
}

interface AgentDecisions {
  agentId: string;
  /** Oldest first, at least one. */
  decisions: readonly ObservedDecision[];
}

/** Returns the agent's newest decisions in their current state, newest first; reads earlier ones only where needed. */
async function loadRecent(
  models: Models,
  { agentId, decisions }: AgentDecisions,
  { organizationId, session }: Context,
): Promise<readonly RecentDecision[]> {
  const observed = decisions.slice(-statusWindow.size).reverse();
  const limit = statusWindow.size - observed.length;
  if (limit === 0) return observed;
  const earlier = await models.traces
    .find(
      { organizationId, agentId, sequence: { $lt: observed.at(-1)?.sequence ?? 0 } },
      'status confidenceScore humanOverride review.status review.decidedBy',
    )
    .session(session)
    .sort({ sequence: -1 })
    .limit(limit)
    .lean<RecentDecision[]>();
  return [...observed, ...earlier];
}

function buildUpdate(
  before: AgentActivityDocument | undefined,
  decisions: readonly ObservedDecision[],
  recent: readonly RecentDecision[],
) {
  const count = (verdict: ObservedDecision['verdict']): number =>
    decisions.filter((decision) => decision.verdict === verdict).length;
  const acts = decisions.filter(({ tags }) => tags.includes(OBSERVED));
  const newest = acts.at(-1);
  return {
    $set: {
      ...(newest && { 'observed.lastAt': newest.createdAt }),
      status: rollStatus(before?.status ?? 'healthy', recent),
      lastActive: decisions.at(-1)?.createdAt ?? null,
      versions: withVersions(before?.versions ?? [], decisions),
      recent: computeHistory(recent),
    },
    $inc: {
      'verdicts.approved': count('approved'),
      'verdicts.flagged': count('flagged'),
      'verdicts.blocked': count('blocked'),
      ...(newest && {
        'observed.acts': acts.length,
        'observed.breaches': acts.filter(({ verdict, tags }) => isViolation(verdict, tags)).length,
      }),
    },
  };
}

function withVersions(
  knownVersions: AgentActivityDocument['versions'],
  decisions: readonly ObservedDecision[],
): AgentActivityDocument['versions'] {
  const versions = new Map(knownVersions.map((entry) => [entry.version, { ...entry }]));
  for (const { agentVersion: version, createdAt } of decisions) {
    if (version === null) continue;
    const seen = versions.get(version) ?? {
      version,
      firstSeenAt: createdAt,
      lastSeenAt: createdAt,
      traces: 0,
    };
    versions.set(version, { ...seen, lastSeenAt: createdAt, traces: seen.traces + 1 });
  }
  return keepMostRecent([...versions.values()]);
}

/** Keeps the versions that were seen last, in the order of their first appearance. */
function keepMostRecent(
  versions: AgentActivityDocument['versions'],
): AgentActivityDocument['versions'] {
  if (versions.length <= VERSIONS_MAX) return versions;
  const bySight = versions.toSorted((a, b) => b.lastSeenAt.getTime() - a.lastSeenAt.getTime());
  const kept = new Set(bySight.slice(0, VERSIONS_MAX));
  return versions.filter((version) => kept.has(version));
}

/**
 * Computes shares of the recent decisions, at least one. The override rate is null until people judged enough of
 * them.
 */
function computeHistory(recent: readonly RecentDecision[]): AgentActivityDocument['recent'] {
  const judged = recent.filter((decision) => isOverridden(decision) || isJudged(decision));
  const overridden = judged.filter(isOverridden);
  const restricted = recent.filter(({ status }) => status === 'flagged' || status === 'blocked');
  return {
    overrideRate:
      judged.length < LEAST_JUDGED ? null : computeShare(overridden.length, judged.length),
    flagRate: computeShare(restricted.length, recent.length),
  };
}

/** A withdrawal is no judgement. */
function isJudged({ review }: RecentDecision): boolean {
  return Boolean(review?.decidedBy) && review?.status !== 'withdrawn';
}

/** A rejection stays a rejection, whatever the agent's own keys report afterwards. */
function isOverridden({ humanOverride, review }: RecentDecision): boolean {
  return humanOverride === true || review?.status === 'rejected';
}

/** Rounds the share to four decimals. */
function computeShare(part: number, whole: number): number {
  return Math.round((part / whole) * 10_000) / 10_000;
}

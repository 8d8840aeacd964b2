// Measures how well policies judge, by people's verdicts, and builds the auditor's view (document 2, section 4.2).
import type { Types } from 'mongoose';
import { isRestricting } from '@assay/policy';
import type { Context } from '../../platform/context.ts';
import {
  type Effectiveness,
  computeEffectiveness,
  type HumanJudgement,
  NO_OUTCOMES,
  countOutcomes,
} from '../../domain/policies/measures/effectiveness.ts';
import { READ_MAX_MS } from '../../platform/mongo/queries.ts';
import type {
  PolicyDocument,
  PolicyRevisionDocument,
  PolicyStatisticsDocument,
} from '../policies.model.ts';
import {
  APPROVALS_SHOWN,
  type ApprovalRecord,
  listNewestApprovals,
} from '../approvals/approval-history.service.ts';
import { loadJudgedSample } from './judged-sample.service.ts';
import type { EffectivenessReport, AuditorReport } from './effectiveness.schemas.ts';

type Policy = Pick<
  PolicyDocument,
  | '_id'
  | 'name'
  | 'workspaceId'
  | 'enabled'
  | 'priority'
  | 'actions'
  | 'revision'
  | 'createdAt'
  | 'updatedAt'
>;
type Id = Types.ObjectId;

interface Sample {
  window: { from: Date; to: Date; days: number };
  sampleSize: number;
  truncated: boolean;
}

interface AuditedPolicy extends Omit<Policy, '_id' | 'actions' | 'revision' | 'updatedAt'> {
  policyId: Id;
  revisions: number;
  lastChange: { at: Date; by: Id | null; approvalId: Id | null };
  matchCount: number;
  lastMatched: Date | null;
  effectiveness: Effectiveness;
}

const DAYS = 90;
const DAY_MS = 86_400_000;
const POLICIES_MAX = 500;
const MEMBERS = 'name workspaceId enabled priority actions revision createdAt updatedAt';

export async function measureEffectiveness(ctx: Context): Promise<EffectivenessReport> {
  const { sample, decisions, policies } = await readSample(ctx);
  const measured = policies.map((policy) => ({
    policyId: policy._id,
    name: policy.name,
    ...measurePolicy(policy, decisions),
  }));
  return { ...sample, policies: measured };
}

export async function buildAuditorView(ctx: Context): Promise<AuditorReport> {
  const { sample, decisions, policies } = await readSample(ctx);
  const changers = await loadChangers(ctx, policies);
  const matches = await loadMatches(ctx, policies);
  const approvals = await listNewestApprovals(ctx);
  const audited = policies.map((policy): AuditedPolicy => {
    const { _id: policyId, name, workspaceId, enabled, priority, createdAt } = policy;
    const key = String(policyId);
    return {
      policyId,
      name,
      workspaceId,
      enabled,
      priority,
      revisions: policy.revision,
      createdAt,
      lastChange: {
        at: policy.updatedAt,
        by: changers.get(key) ?? null,
        approvalId: findApprovalId(approvals, policy),
      },
      matchCount: matches.get(key)?.matchCount ?? 0,
      lastMatched: matches.get(key)?.lastMatched ?? null,
      effectiveness: measurePolicy(policy, decisions),
    };
  });
  return {
    ...sample,
    policies: audited,
    approvals: approvals.slice(0, APPROVALS_SHOWN),
    approvalsTruncated: approvals.length > APPROVALS_SHOWN,
  };
}

async function readSample(ctx: Context) {
  const { platform, tenant } = ctx;
  const to = platform.clock.now();
  const from = new Date(to.getTime() - DAYS * DAY_MS);
  const found = await loadNewestPolicies(ctx);
  const { decisions, truncated } = await loadJudgedSample(platform.models, tenant, from);
  const sample: Sample = {
    window: { from, to, days: DAYS },
    sampleSize: decisions.length,
    truncated: truncated || found.length > POLICIES_MAX,
  };
  return { sample, decisions, policies: found.slice(0, POLICIES_MAX) };
}

/** Returns the newest first, one more than is shown. */
function loadNewestPolicies({ platform, tenant }: Context): Promise<Policy[]> {
  const { organizationId, workspaceId } = tenant;
  const workspaceFilter = workspaceId === null ? {} : { workspaceId };
  return platform.models.policies
    .find({ organizationId, deletedAt: null, ...workspaceFilter }, MEMBERS)
    .sort({ createdAt: -1, _id: -1 })
    .limit(POLICIES_MAX + 1)
    .maxTimeMS(READ_MAX_MS)
    .lean<Policy[]>();
}

/** Maps each policy to the user who made its newest revision. */
async function loadChangers(
  { platform, tenant: { organizationId } }: Context,
  policies: readonly Policy[],
): Promise<ReadonlyMap<string, Id | null>> {
  if (policies.length === 0) return new Map();
  const newest = policies.map(({ _id, revision }) => ({ policyId: _id, revision }));
  const found = await platform.models.policyRevisions
    .find({ organizationId, $or: newest }, 'policyId changedBy')
    .maxTimeMS(READ_MAX_MS)
    .lean<Pick<PolicyRevisionDocument, 'policyId' | 'changedBy'>[]>();
  return new Map(found.map(({ policyId, changedBy }) => [String(policyId), changedBy]));
}

async function loadMatches(
  { platform, tenant: { organizationId } }: Context,
  policies: readonly Policy[],
): Promise<ReadonlyMap<string, PolicyStatisticsDocument>> {
  const found = await platform.models.policyStatistics
    .find({ organizationId, _id: { $in: policies.map(({ _id }) => _id) } })
    .maxTimeMS(READ_MAX_MS)
    .lean<PolicyStatisticsDocument[]>();
  return new Map(found.map((statistics) => [String(statistics._id), statistics]));
}

/** The approval that made the newest revision; null: it was a direct change. */
function findApprovalId(
  approvals: readonly ApprovalRecord[],
  { _id, revision }: Policy,
): Id | null {
  const approval = approvals.find(
    ({ policyId, promotedRevision, undoneRevision }) =>
      policyId?.equals(_id) && [promotedRevision, undoneRevision].includes(revision),
  );
  return approval?.approvalId ?? null;
}

function measurePolicy(policy: Policy, decisions: readonly HumanJudgement[]): Effectiveness {
  const { _id, workspaceId, createdAt, actions } = policy;
  const measured = { id: String(_id), workspaceId: String(workspaceId), createdAt };
  return computeEffectiveness(
    isRestricting(actions) ? countOutcomes(measured, decisions) : NO_OUTCOMES,
  );
}

// Explains the verdict of a stored decision, from what its entry commits to and the policies that judged it.
import type { PolicyDefinition } from '@assay/policy';
import { loadTrace } from '../../decisions/traces/traces.service.ts';
import { loadStoredDecision } from '../../decisions/traces/decision-lookup.service.ts';
import { AppError } from '../../errors.ts';
import type { Context } from '../../platform/context.ts';
import {
  explainDecision,
  type ExplainedPolicy,
  MATCH_OUTCOMES,
} from '../../domain/policies/trials/explain.ts';
import type { DecisionOnRecord } from '../../domain/policies/trials/rejudge.ts';
import { findOr404 } from '../../platform/mongo/queries.ts';
import { type ListRef, withLists } from '../lists/list-contents.service.ts';
import { loadRevisions, toDefinition } from '../policy-revisions.ts';
import { resolvePolicySet } from '../policy-sets.service.ts';
import {
  parseTracePayload,
  STORED_DECISION,
  type StoredDecision,
  toRecordedDecision,
} from '../replay/recorded-decision.ts';
import { toJudgedKey } from '../replay/replay-sets.service.ts';
import type { Explanation } from './explanation.schemas.ts';

/** How many policies are explained at most; those that matched come first. */
export const EXPLAINED_POLICIES = 50;

/** A revision of a policy that judged the decision. */
interface JudgingRevision {
  id: string;
  revision: number;
  lists: ListRef[];
}

interface Judged {
  decision: DecisionOnRecord;
  /** The policies that judged it. */
  revisions: JudgingRevision[];
  policySetDigest: string;
}

/**
 * @param name its `traceId` or its object id
 * @throws AppError `NOT_FOUND`, also when its judgement is erased
 */
export async function explainVerdict(ctx: Context, name: string): Promise<Explanation> {
  const { decision, revisions, policySetDigest } = await loadRecord(ctx, name);
  const { evaluation, facts } = decision;
  const all = [...evaluation.matchedPolicies, ...(facts?.observed ?? [])];
  const matched = new Set(all.map(({ id }) => id));
  const chosen = revisions
    .toSorted((one, other) => Number(matched.has(other.id)) - Number(matched.has(one.id)))
    .slice(0, EXPLAINED_POLICIES);
  const definitions = await loadDefinitions(ctx, chosen);
  const policies = explainDecision(decision, definitions);
  return {
    policySetDigest,
    policies: policies.toSorted((one, other) => rankOutcome(one) - rankOutcome(other)),
    total: revisions.length,
  };
}

/** What acted comes first, then what only observed or stayed within its limit. */
const rankOutcome = ({ outcome }: ExplainedPolicy): number =>
  outcome === null ? MATCH_OUTCOMES.length : MATCH_OUTCOMES.indexOf(outcome);

async function loadDefinitions(
  { platform, tenant }: Context,
  chosen: readonly JudgingRevision[],
): Promise<PolicyDefinition[]> {
  const { models } = platform;
  const { organizationId } = tenant;
  const lists = new Map(chosen.map((one) => [one.id, one.lists]));
  const found = (await loadRevisions(models, organizationId, chosen)).map(toDefinition);
  const named = found.map((policy) => ({ policy, lists: lists.get(policy.id) ?? [] }));
  return (await withLists(models, organizationId, named)).sort(
    (one, other) => one.priority - other.priority || (one.id < other.id ? -1 : 1),
  );
}

/** @throws AppError `NOT_FOUND`, also when its judgement is erased */
async function loadRecord(ctx: Context, name: string): Promise<Judged> {
  const { platform, tenant } = ctx;
  const { traceId } = await loadTrace(ctx, name);
  const { organizationId } = tenant;
  const stored = await findOr404(
    loadStoredDecision<StoredDecision>(platform, { organizationId, traceId }, STORED_DECISION),
  );
  const payload = parseTracePayload(stored);
  const { policySetDigest } = payload;
  const { members } = await resolvePolicySet(ctx, policySetDigest);
  const revisions = members.map(({ id, revision, lists = [] }) => ({
    id: id.toHexString(),
    revision,
    lists,
  }));
  const judgedBy = new Set(members.map(toJudgedKey));
  const opened = await platform.contents.decryptOne(organizationId, stored);
  const decision = toRecordedDecision(opened, payload, judgedBy);
  if (decision === null) throw new AppError('NOT_FOUND', 'Its judgement is erased');
  return { decision, revisions, policySetDigest };
}

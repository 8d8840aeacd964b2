// Explains the verdict of a stored decision, from what its entry commits to and the policies that judged it.
import { AppError } from '../../../errors.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Tenant } from '../../../domain/identity/tenant.ts';
import { type ExplainedPolicy, explainDecision } from '../../../domain/policies/trials/explain.ts';
import { toRevisionName } from '../../../domain/policies/trials/rejudge.ts';
import { findOr404 } from '../../../platform/mongo/queries.ts';
import type { TraceDocument } from '../../traces/traces.model.ts';
import type { PolicyRevisionDocument } from '../policies.model.ts';
import type { PolicySetService } from '../policy-sets.service.ts';
import { parseTracePayload, toRecordedDecision } from '../replay/recorded-decision.ts';

/** How many policies are explained at most; those that matched come first. */
export const EXPLAINED_POLICIES = 50;

export interface Explanation {
  policySetDigest: string;
  policies: ExplainedPolicy[];
  /** How many policies judged it. */
  total: number;
}

const PROJECTION = {
  sequence: 1,
  traceId: 1,
  schemaVersion: 1,
  view: 1,
  sealed: 1,
  content: 1,
  generation: 1,
} as const;

type Stored = Pick<TraceDocument, 'sequence' | 'traceId' | 'schemaVersion' | 'view' | 'sealed'>;

export function createExplanationService(
  { models, contents }: Pick<Platform, 'models' | 'contents'>,
  { policySets }: { policySets: PolicySetService },
) {
  async function loadDefinitions(organizationId: string, chosen: readonly RevisionId[]) {
    const $or = chosen.map(({ id, revision }) => ({ policyId: id, revision }));
    const found =
      $or.length === 0
        ? []
        : await models.policyRevisions
            .find({ organizationId, $or })
            .lean<PolicyRevisionDocument[]>();
    return found
      .map(({ policyId, revision, name, description, priority, conditions, actions }) => {
        const id = policyId.toHexString();
        return { id, revision, name, description, priority, conditions, actions };
      })
      .sort((one, other) => one.priority - other.priority || (one.id < other.id ? -1 : 1));
  }

  return {
    /** @param traceId of a decision that the caller may read @throws AppError `NOT_FOUND`, also when its judgement is erased */
    async explain(tenant: Tenant, traceId: string): Promise<Explanation> {
      const { organizationId } = tenant;
      const stored = await findOr404(
        models.traces.findOne({ organizationId, traceId }, PROJECTION).lean<Stored>(),
      );
      const payload = parseTracePayload(stored as never);
      const { members } = await policySets.resolve(tenant, payload.policySetDigest);
      const revisions = members.map(({ id, revision }) => ({ id: String(id), revision }));
      const judged = new Set(revisions.map(toRevisionName));
      const opened = await contents.openOne(organizationId, stored);
      const recorded = toRecordedDecision(opened as never, payload, judged);
      if (recorded === null) throw new AppError('NOT_FOUND', 'Its judgement is erased');
      const matched = new Set(recorded.evaluation.matchedPolicies.map(({ id }) => id));
      const inOrder = revisions.toSorted(
        (one, other) => Number(matched.has(other.id)) - Number(matched.has(one.id)),
      );
      const chosen = inOrder.slice(0, EXPLAINED_POLICIES);
      const policies = explainDecision(recorded, await loadDefinitions(organizationId, chosen));
      return {
        policySetDigest: payload.policySetDigest,
        policies: policies.toSorted((one, other) => Number(other.matched) - Number(one.matched)),
        total: revisions.length,
      };
    },
  };
}
export type ExplanationService = ReturnType<typeof createExplanationService>;

interface RevisionId {
  id: string;
  revision: number;
}

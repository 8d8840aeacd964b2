// Begins, shows and cancels replays (document 2, section 4.2). The runner does the work.
import type { z } from 'zod';
import type { Platform } from '../../../composition/platform.ts';
import type { Tenant, User } from '../../../domain/identity/tenant.ts';
import type { PolicyDefinition } from '../../../domain/policies/definition.ts';
import { sameJson } from '../../../domain/policies/condition.ts';
import type { JsonObject } from '../../../domain/record/json.ts';
import { AppError } from '../../../errors.ts';
import { AFTER, findOr404, insertOne, requireFewer } from '../../../platform/mongo/queries.ts';
import type { MembershipService } from '../../organization/memberships/memberships.service.ts';
import { contentsOf, type PolicyContents, type PolicyDocument } from '../policies.model.ts';
import type { PolicyService } from '../policies.service.ts';
import { UNFINISHED, type PolicyReplayDocument } from './policy-replays.model.ts';
import { type replayInput, replayLimits, type replayOfPolicyInput } from './replay.schemas.ts';

type Deps = Pick<Platform, 'models' | 'ledger' | 'clock' | 'newId' | 'onCommit' | 'wakeJob'> & {
  memberships: MembershipService;
  definitions: PolicyService;
};

interface PolicyReplayView extends Omit<PolicyReplayDocument, 'untold'> {
  id: PolicyReplayDocument['_id'];
  cannotTellBecause: PolicyReplayDocument['untold'];
}

/** The candidate of a replay: in place of the stored policy, or in addition to the stored ones. */
interface Plan {
  workspaceId: string;
  policyId: string | null;
  candidate: PolicyDefinition | null;
  limit: number;
}

export interface Starter {
  tenant: Tenant;
  user: User;
}

export function createReplayService(deps: Deps) {
  const { models, ledger, clock, newId, memberships, definitions } = deps;

  /**
   * Takes the lock of the organisation first, so that the count holds.
   * @throws AppError `INVALID_OPERATION` when too many are under way
   */
  async function requireRoom(organizationId: string): Promise<void> {
    await memberships.lock(organizationId);
    const unfinished = { organizationId, state: UNFINISHED };
    const found = models.policyReplays.countDocuments(unfinished);
    const most = replayLimits.unfinished;
    await requireFewer(found, most, `At most ${most} replays may be under way`);
  }

  async function begin({ tenant, user }: Starter, plan: Plan): Promise<PolicyReplayView> {
    const { organizationId } = tenant;
    await requireRoom(organizationId);
    const { workspaceId, policyId, candidate, limit } = plan;
    const live = await models.policies
      .find({ organizationId, workspaceId, deletedAt: null, enabled: true }, 'revision')
      .lean<PolicyDocument[]>();
    const others = live.filter(({ _id }) => _id.toHexString() !== policyId);
    const head = await ledger.appender.head(organizationId);
    const replay = await insertOne(models.policyReplays, {
      organizationId,
      workspaceId,
      policyId,
      candidate: candidate === null ? null : JSON.stringify(candidate),
      members: others.map(({ _id, revision }) => ({ id: _id, revision })),
      limit,
      below: (head?.sequence ?? 0) + 1,
      startedBy: user.userId,
    });
    deps.onCommit(() => deps.wakeJob('policies.replay'));
    return toView(replay);
  }

  return {
    /**
     * Tries a new policy beside the enabled ones of the workspace.
     * @throws AppError `INVALID_OPERATION` when too many are under way
     */
    ofNew(
      starter: Starter,
      { policy, limit }: z.output<typeof replayInput>,
    ): Promise<PolicyReplayView> {
      const { tenant } = starter;
      const workspaceId = tenant.workspaceId ?? tenant.defaultWorkspaceId;
      const candidate = policy.enabled ? definitionOf(newId(), 0, policy) : null;
      return begin(starter, { workspaceId, policyId: null, candidate, limit });
    },

    /**
     * Tries a candidate in place of the policy.
     * @throws AppError `NOT_FOUND`; `INVALID_OPERATION` when too many are under way
     */
    async ofPolicy(
      starter: Starter,
      policyId: string,
      { policy: given, limit }: z.output<typeof replayOfPolicyInput>,
    ): Promise<PolicyReplayView> {
      const stored = await definitions.get(starter.tenant, policyId);
      const contents = given ?? { ...contentsOf(stored), enabled: true };
      const revision = isJudgedAlike(contents, stored) ? stored.revision : 0;
      const candidate = contents.enabled ? definitionOf(policyId, revision, contents) : null;
      const workspaceId = stored.workspaceId.toHexString();
      return begin(starter, { workspaceId, policyId, candidate, limit });
    },

    /** @throws AppError `NOT_FOUND` */
    async get(tenant: Tenant, _id: string): Promise<PolicyReplayView> {
      const where = { ...visible(tenant), _id };
      return toView(
        await findOr404(models.policyReplays.findOne(where).lean<PolicyReplayDocument>()),
      );
    },

    /**
     * Cancels a replay and keeps its counts so far.
     * @throws AppError `NOT_FOUND`; `INVALID_OPERATION` when it has ended
     */
    async cancel(tenant: Tenant, _id: string): Promise<PolicyReplayView> {
      const where = { ...visible(tenant), _id };
      await findOr404(models.policyReplays.exists(where));
      const cancelled = await models.policyReplays
        .findOneAndUpdate(
          { ...where, state: UNFINISHED },
          { $set: { state: 'cancelled', finishedAt: clock.now() } },
          AFTER,
        )
        .lean<PolicyReplayDocument>();
      if (!cancelled) throw new AppError('INVALID_OPERATION', 'The replay has ended');
      return toView(cancelled);
    },
  };
}
export type ReplayService = ReturnType<typeof createReplayService>;

function visible({ organizationId, workspaceId }: Tenant) {
  return { organizationId, ...(workspaceId !== null && { workspaceId }) };
}

function definitionOf(
  id: string,
  revision: number,
  { name, description, priority, conditions, actions }: PolicyContents,
): PolicyDefinition {
  return { id, revision, name, description, priority, conditions, actions };
}

/** Returns whether the candidate judges like the stored revision, whose decisions are on record. */
function isJudgedAlike(one: PolicyContents, other: PolicyContents): boolean {
  const judged = ({ priority, conditions, actions }: PolicyContents) =>
    ({ priority, conditions, actions }) as unknown as JsonObject;
  return sameJson(judged(one), judged(other));
}

function toView({ untold, ...replay }: PolicyReplayDocument): PolicyReplayView {
  return { ...replay, id: replay._id, cannotTellBecause: untold };
}

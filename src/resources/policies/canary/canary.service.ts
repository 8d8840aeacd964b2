// Begins and ends canaries of policies, and reports their status (document 2, section 4.2; decisions: canary).
import type { Types } from 'mongoose';
import type { z } from 'zod';
import type { Platform } from '../../../platform/platform.ts';
import type { Tenant, User } from '../../../domain/identity/tenant.ts';
import { type CanaryState, hasSameEffect } from '../../../domain/policies/changes/canary.ts';
import {
  ALPHA,
  type Arm,
  ARMS,
  type CanaryDecision,
  computePValue,
} from '../../../domain/policies/changes/sequential-test.ts';
import { AppError } from '../../../errors.ts';
import { insertOne } from '../../../platform/mongo/queries.ts';
import { toPolicyContents, type ControlPolicy, type PolicyContents } from '../policies.model.ts';
import type { PolicyChangeDeps } from '../policy-changes.service.ts';
import type { PolicyService, PolicyView } from '../policies.service.ts';
import type { policyEdit } from './canary.schemas.ts';
import type { PolicyCanaryDocument } from './policy-canaries.model.ts';

type Deps = Pick<PolicyChangeDeps, 'policySets' | 'requireAllowed'> & {
  definitions: PolicyService;
  /** The policy service that asks for no approval: a restored version was approved before. */
  approved: PolicyService;
};

interface Editor {
  tenant: Tenant;
  user: User;
}

/** The policy that judges a share of the decisions, and the one that judges the others. */
interface Division {
  policy: PolicyView;
  control: ControlPolicy | null;
  share: number;
  startedBy: string;
}

interface Begin {
  change: Partial<PolicyContents>;
  share: number;
  liftsOthers?: boolean;
}

type Edit = z.output<typeof policyEdit>;
type Ending = 'promote' | 'rollback';

interface CanaryStatus {
  policyId: string;
  state: CanaryState | 'none';
  share: number | null;
  decision: CanaryDecision;
  pValue: number;
  alpha: typeof ALPHA;
  arms: { name: Arm; n: number; events: number }[];
  revision: number | null;
  controlRevision: number | null;
  startedBy: Types.ObjectId | null;
  startedAt: Date | null;
  decidedAt: Date | null;
  endedAt: Date | null;
}

const NO_CANARY: Omit<CanaryStatus, 'policyId'> = {
  state: 'none',
  share: null,
  decision: 'continue',
  pValue: 1,
  alpha: ALPHA,
  arms: ARMS.map((name) => ({ name, n: 0, events: 0 })),
  revision: null,
  controlRevision: null,
  startedBy: null,
  startedAt: null,
  decidedAt: null,
  endedAt: null,
};

export function createCanaryService(
  platform: Pick<Platform, 'models' | 'clock' | 'onCommit'>,
  deps: Deps,
) {
  const { models, clock, onCommit } = platform;
  const { policySets, requireAllowed, definitions, approved } = deps;

  /** Allows one canary at a time in a workspace, for the effects of two could not be distinguished. */
  async function requireNone({ organizationId, workspaceId }: PolicyView): Promise<void> {
    const running = { organizationId, workspaceId, state: 'running' } as const;
    if (await models.policyCanaries.exists(running))
      throw new AppError('INVALID_OPERATION', 'Another canary is under way in the workspace');
  }

  /** Starts the split: the policy judges its share as soon as the transaction commits. */
  async function splitDecisions(
    { organizationId }: Tenant,
    { policy, control, share, startedBy }: Division,
  ): Promise<void> {
    const { workspaceId, _id, revision } = policy;
    const { _id: id } = await insertOne(models.policyCanaries, {
      organizationId,
      workspaceId,
      policyId: _id,
      share,
      revision,
      controlRevision: control?.revision ?? null,
      startedBy,
      startedAt: clock.now(),
    });
    const canary = { id, share, control };
    await models.policies.updateOne({ _id, organizationId }, { $set: { canary } });
    onCommit(() => policySets.invalidate(organizationId));
  }

  async function beginCanary(
    { tenant, user }: Editor,
    policyId: string,
    { change, share, liftsOthers = false }: Begin,
  ): Promise<PolicyView> {
    const before = await definitions.getPolicy(tenant, policyId);
    await requireNone(before);
    await requireAllowed(tenant, { before, after: { ...toPolicyContents(before), ...change } });
    const isChange = Object.keys(change).length > 0;
    if (!isChange && !liftsOthers) requireNothingLifted(before);
    const after = isChange ? await definitions.update(tenant, policyId, change) : before;
    const control = isChange ? { revision: before.revision, ...toPolicyContents(before) } : null;
    if (hasSameEffect(control, after))
      throw new AppError('INVALID_OPERATION', 'Both arms would judge alike');
    await splitDecisions(tenant, { policy: after, control, share, startedBy: user.userId });
    return definitions.getPolicy(tenant, policyId);
  }

  async function endCanary(tenant: Tenant, policyId: string, how: Ending): Promise<PolicyView> {
    const { organizationId } = tenant;
    const policy = await definitions.getPolicy(tenant, policyId);
    const { canary } = policy;
    if (!canary) throw new AppError('INVALID_OPERATION', 'No canary of the policy is under way');
    const state = how === 'promote' ? ('promoted' as const) : ('rolled_back' as const);
    await models.policyCanaries.updateOne(
      { _id: canary.id, organizationId },
      { $set: { state, endedAt: clock.now() } },
    );
    await models.policies.updateOne({ _id: policyId, organizationId }, { $set: { canary: null } });
    onCommit(() => policySets.invalidate(organizationId));
    if (how === 'promote') return definitions.getPolicy(tenant, policyId);
    const restored = canary.control ? toPolicyContents(canary.control) : { enabled: false };
    return approved.update(tenant, policyId, restored);
  }

  return {
    /**
     * Changes a policy, at once or as a canary. A direct change of what it judges ends a canary.
     * @throws AppError `NOT_FOUND`; `VALIDATION_ERROR` for a change beside an end; `INVALID_OPERATION` when another
     * canary is under way or none is, when both arms would judge alike, and like every change
     */
    changePolicy(
      editor: Editor,
      policyId: string,
      { canary, ...change }: Edit,
    ): Promise<PolicyView> {
      const { tenant } = editor;
      if (canary === undefined) return definitions.update(tenant, policyId, change);
      if ('share' in canary) return beginCanary(editor, policyId, { change, ...canary });
      if (Object.keys(change).length > 0)
        throw new AppError('VALIDATION_ERROR', 'canary: ends by itself, or together with nothing');
      return endCanary(tenant, policyId, canary.end);
    },

    /** @throws AppError `NOT_FOUND` */
    async loadStatus(tenant: Tenant, policyId: string): Promise<CanaryStatus> {
      await definitions.getPolicy(tenant, policyId);
      const newest = await models.policyCanaries
        .findOne({ organizationId: tenant.organizationId, policyId })
        .sort({ startedAt: -1 })
        .lean<PolicyCanaryDocument>();
      return newest ? toStatus(newest) : { policyId, ...NO_CANARY };
    },
  };
}
export type CanaryService = ReturnType<typeof createCanaryService>;

/** @throws AppError `INVALID_OPERATION` when a policy that blocks would stop judging some decisions */
function requireNothingLifted({ enabled, actions }: PolicyView): void {
  if (enabled && actions.some(({ type }) => type === 'block'))
    throw new AppError(
      'INVALID_OPERATION',
      'Without a change the policy no longer judges the other share of the decisions: send canary { share, liftsOthers: true } if that is meant',
    );
}

function toStatus(canary: PolicyCanaryDocument): CanaryStatus {
  const { policyId, state, share, test, decisions } = canary;
  const { revision, controlRevision, startedBy, startedAt, decidedAt, endedAt } = canary;
  return {
    policyId: policyId.toHexString(),
    state,
    share,
    decision: test.decision,
    pValue: computePValue(test),
    alpha: ALPHA,
    arms: ARMS.map((name) => ({ name, n: decisions[name], events: test.events[name] })),
    revision,
    controlRevision,
    startedBy,
    startedAt,
    decidedAt,
    endedAt,
  };
}

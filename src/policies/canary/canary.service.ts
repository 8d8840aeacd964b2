// Begins and ends canaries of policies, and reports their status (document 2, section 4.2; decisions: canary).
import type { z } from 'zod';
import type { Platform } from '../../platform/platform.ts';
import type { Tenant, User } from '../../domain/identity/tenant.ts';
import { hasSameEffect } from '../../domain/policies/changes/canary.ts';
import { ALPHA, ARMS, computePValue } from '../../domain/policies/changes/sequential-test.ts';
import { AppError } from '../../errors.ts';
import { insertOne } from '../../platform/mongo/queries.ts';
import { toPolicyContents, type ControlPolicy, type PolicyContents } from '../policies.model.ts';
import type { PolicyChangeDeps } from '../policy-changes.service.ts';
import type { PolicyService, PolicyView } from '../policies.service.ts';
import type { DecisionLookup } from '../../decisions/traces/decision-lookup.service.ts';
import type { policyEdit, CanaryStatus } from './canary.schemas.ts';
import type { CanaryNotices } from './canary-notices.service.ts';
import type { PolicyCanaryDocument } from './policy-canaries.model.ts';

type Deps = Pick<PolicyChangeDeps, 'policySets' | 'requireAllowed'> & {
  definitions: PolicyService;
  /** The policy service that asks for no approval: a restored version was approved before. */
  approved: PolicyService;
  canaryNotices: CanaryNotices;
  decisionLookup: DecisionLookup;
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
}

type Edit = Omit<z.output<typeof policyEdit>, 'reason'>;
type Ending = 'promote' | 'rollback';

const DAY_MS = 86_400_000;

const NO_CANARY: Omit<CanaryStatus, 'policyId' | 'matchedLastDay'> = {
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
  const { policySets, requireAllowed, definitions, approved, canaryNotices, decisionLookup } = deps;

  /** Allows one canary at a time in a workspace, for the effects of two could not be distinguished. */
  async function requireNone({ organizationId, workspaceId }: PolicyView): Promise<void> {
    const running = { organizationId, workspaceId, state: 'running' } as const;
    if (await models.policyCanaries.exists(running))
      throw new AppError(
        'INVALID_OPERATION',
        'Another canary is under way in the workspace: end it first',
      );
  }

  function countLastDay({ organizationId, _id }: PolicyView): Promise<number> {
    const since = new Date(clock.now().getTime() - DAY_MS);
    return decisionLookup.countMatches(organizationId, { policyId: _id.toHexString(), since });
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
    { change, share }: Begin,
  ): Promise<PolicyView> {
    const before = await definitions.getPolicy(tenant, policyId);
    await requireNone(before);
    const isAsStored = Object.keys(change).length === 0;
    const tried = isAsStored && !before.enabled ? { enabled: true } : change;
    const contents = { ...toPolicyContents(before), ...tried };
    await requireAllowed(tenant, { before, after: contents });
    requireDifference(before, contents);
    const policy = await definitions.update(tenant, policyId, tried);
    const control = { revision: before.revision, ...toPolicyContents(before) };
    await splitDecisions(tenant, { policy, control, share, startedBy: user.userId });
    await canaryNotices.announce(user, policy, { share });
    return definitions.getPolicy(tenant, policyId);
  }

  async function endCanary(
    { tenant, user }: Editor,
    policyId: string,
    how: Ending,
  ): Promise<PolicyView> {
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
    await canaryNotices.announce(user, policy, { end: how });
    // Without a control, a canary of an earlier version changed nothing: the policy is as it was before.
    return how === 'rollback' && canary.control
      ? approved.update(tenant, policyId, toPolicyContents(canary.control))
      : definitions.getPolicy(tenant, policyId);
  }

  return {
    /**
     * Changes a policy, at once or as a canary. A direct change of what it judges ends a canary.
     * @throws AppError `NOT_FOUND`; `VALIDATION_ERROR` for a change beside an end; `INVALID_OPERATION` when another
     * canary is under way or none is, when nothing would be judged differently, and like every change
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
      return endCanary(editor, policyId, canary.end);
    },

    /** @throws AppError `NOT_FOUND` */
    async loadStatus(tenant: Tenant, policyId: string): Promise<CanaryStatus> {
      const policy = await definitions.getPolicy(tenant, policyId);
      const matchedLastDay = policy.canary ? null : await countLastDay(policy);
      const newest = await models.policyCanaries
        .findOne({ organizationId: tenant.organizationId, policyId })
        .sort({ startedAt: -1 })
        .lean<PolicyCanaryDocument>();
      return { ...(newest ? toStatus(newest) : { policyId, ...NO_CANARY }), matchedLastDay };
    },
  };
}
export type CanaryService = ReturnType<typeof createCanaryService>;

/** @throws AppError `INVALID_OPERATION` when a canary would change nothing that is judged */
function requireDifference(before: PolicyView, tried: PolicyContents): void {
  if (!hasSameEffect(before, tried)) return;
  throw new AppError(
    'INVALID_OPERATION',
    before.enabled
      ? 'The policy judges every decision like this already: send what the canary changes beside it, such as conditions, or enabled: false to try to be without the policy'
      : 'The policy is off, and stays so: send enabled: true beside the canary, or the canary alone',
  );
}

function toStatus(canary: PolicyCanaryDocument): Omit<CanaryStatus, 'matchedLastDay'> {
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

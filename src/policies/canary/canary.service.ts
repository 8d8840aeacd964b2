// Begins and ends canaries of policies, and reports their status (document 2, section 4.2; decisions: canary).
import type { z } from 'zod';
import { countPolicyMatches } from '../../decisions/traces/decision-lookup.service.ts';
import type { Context, UserContext } from '../../platform/context.ts';
import { hasSameEffect } from '../../domain/policies/changes/canary.ts';
import { ALPHA, ARMS, computePValue } from '../../domain/policies/changes/sequential-test.ts';
import { AppError } from '../../errors.ts';
import { insertOne } from '../../platform/mongo/queries.ts';
import { requireDirectEdit } from '../approvals/direct-edits.service.ts';
import {
  isJudging,
  toPolicyContents,
  type ControlPolicy,
  type PolicyContents,
} from '../policies.model.ts';
import { getPolicy, type PolicyView, updatePolicy } from '../policies.service.ts';
import { invalidatePolicySets } from '../policy-sets.service.ts';
import type { policyEdit, CanaryStatus } from './canary.schemas.ts';
import type { PolicyCanaryDocument } from './policy-canaries.model.ts';
import { notify } from '../../events/notifications/notices/notices.service.ts';

/** The policy that judges a share of the decisions, and the one that judges the others. */
interface Division {
  policy: PolicyView;
  control: ControlPolicy;
  share: number;
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

/**
 * Changes a policy, at once or as a canary. A direct change of what it judges ends a canary.
 * @throws AppError `NOT_FOUND`; `VALIDATION_ERROR` for a change beside an end; `INVALID_OPERATION` when another
 * canary is under way or none is, when nothing would be judged differently, and like every change
 */
export async function changePolicy(
  ctx: UserContext,
  policyId: string,
  { canary, ...change }: Edit,
): Promise<PolicyView> {
  if (canary === undefined) return updatePolicy(ctx, policyId, change);
  if ('share' in canary) return beginCanary(ctx, policyId, { change, ...canary });
  if (Object.keys(change).length > 0)
    throw new AppError('VALIDATION_ERROR', 'canary: ends by itself, or together with nothing');
  return endCanary(ctx, policyId, canary.end);
}

/** @throws AppError `NOT_FOUND` */
export async function loadCanaryStatus(ctx: Context, policyId: string): Promise<CanaryStatus> {
  const policy = await getPolicy(ctx, policyId);
  const matchedLastDay = policy.canary ? null : await countLastDay(ctx, policy);
  const { platform, tenant } = ctx;
  const newest = await platform.models.policyCanaries
    .findOne({ organizationId: tenant.organizationId, policyId })
    .sort({ startedAt: -1 })
    .lean<PolicyCanaryDocument>();
  return { ...(newest ? toStatus(newest) : { policyId, ...NO_CANARY }), matchedLastDay };
}

/** Some decisions are judged otherwise than before, or no longer are. */
async function announceCanary(
  { platform, user }: UserContext,
  { _id, organizationId, name: policy, enabled: isEnabled }: PolicyView,
  step: { share: number } | { end: Ending },
): Promise<void> {
  const policyId = _id.toHexString();
  const about = { policyId, policy, by: user.name, step: { ...step, isEnabled } };
  const organization = organizationId.toHexString();
  await notify(platform, { organizationId: organization, event: 'canary.changed', about: [about] });
}

async function beginCanary(
  ctx: UserContext,
  policyId: string,
  { change, share }: Begin,
): Promise<PolicyView> {
  const before = await getPolicy(ctx, policyId);
  await requireNone(ctx, before);
  const isAsStored = Object.keys(change).length === 0;
  const tried = isAsStored && !isJudging(before) ? { enabled: true, observe: false } : change;
  const contents = { ...toPolicyContents(before), ...tried };
  await requireDirectEdit(ctx, { before, after: contents });
  requireDifference(before, contents);
  const policy = await updatePolicy(ctx, policyId, tried);
  const control = { revision: before.revision, ...toPolicyContents(before) };
  await splitDecisions(ctx, { policy, control, share });
  await announceCanary(ctx, policy, { share });
  return getPolicy(ctx, policyId);
}

async function endCanary(ctx: UserContext, policyId: string, how: Ending): Promise<PolicyView> {
  const { platform, tenant } = ctx;
  const { models, clock } = platform;
  const { organizationId } = tenant;
  const policy = await getPolicy(ctx, policyId);
  const { canary } = policy;
  if (!canary) throw new AppError('INVALID_OPERATION', 'No canary of the policy is under way');
  const state = how === 'promote' ? ('promoted' as const) : ('rolled_back' as const);
  await models.policyCanaries.updateOne(
    { _id: canary.id, organizationId },
    { $set: { state, endedAt: clock.now() } },
  );
  await models.policies.updateOne({ _id: policyId, organizationId }, { $set: { canary: null } });
  platform.onCommit(() => invalidatePolicySets(platform, organizationId));
  await announceCanary(ctx, policy, { end: how });
  // Without a control, a canary of an earlier version changed nothing: the policy is as it was before.
  if (how !== 'rollback' || !canary.control) return getPolicy(ctx, policyId);
  // What is restored was approved before.
  const approved = { ...ctx, isApproved: true } as const;
  return updatePolicy(approved, policyId, toPolicyContents(canary.control));
}

/** Allows one canary at a time in a workspace, for the effects of two could not be distinguished. */
async function requireNone(
  { platform }: Context,
  { organizationId, workspaceId }: PolicyView,
): Promise<void> {
  const running = { organizationId, workspaceId, state: 'running' } as const;
  if (await platform.models.policyCanaries.exists(running))
    throw new AppError(
      'INVALID_OPERATION',
      'Another canary is under way in the workspace: end it first',
    );
}

function countLastDay({ platform }: Context, { organizationId, _id }: PolicyView): Promise<number> {
  const since = new Date(platform.clock.now().getTime() - DAY_MS);
  return countPolicyMatches(platform, organizationId, { policyId: _id.toHexString(), since });
}

/** Starts the split: the policy judges its share as soon as the transaction commits. */
async function splitDecisions(
  { platform, tenant: { organizationId }, user }: UserContext,
  { policy, control, share }: Division,
): Promise<void> {
  const { models, clock } = platform;
  const { workspaceId, _id, revision } = policy;
  const { _id: id } = await insertOne(models.policyCanaries, {
    organizationId,
    workspaceId,
    policyId: _id,
    share,
    revision,
    controlRevision: control.revision,
    startedBy: user.userId,
    startedAt: clock.now(),
  });
  const canary = { id, share, control };
  await models.policies.updateOne({ _id, organizationId }, { $set: { canary } });
  platform.onCommit(() => invalidatePolicySets(platform, organizationId));
}

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

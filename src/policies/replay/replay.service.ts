// Begins, shows and cancels replays (document 2, section 4.2). The runner does the work.
import { lockOrganization } from '../../identity/organization/memberships/memberships.service.ts';
import type { z } from 'zod';
import type { JsonObject } from '@assay/json';
import { type PolicyDefinition, isSameJson } from '@assay/policy';
import type { Context, UserContext } from '../../platform/context.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Tenant } from '../../domain/identity/tenant.ts';
import type { Page } from '../../domain/page.ts';
import { AppError } from '../../errors.ts';
import {
  AFTER,
  findOr404,
  insertOne,
  type Listed,
  listPage,
  requireFewer,
} from '../../platform/mongo/queries.ts';
import { findListsOf } from '../lists/list-contents.service.ts';
import { toPolicyContents, type PolicyContents, type PolicyDocument } from '../policies.model.ts';
import { getPolicy } from '../policies.service.ts';
import { UNFINISHED, type PolicyReplayDocument } from './policy-replays.model.ts';
import { type replayInput, replayLimits, type replayOfPolicyInput } from './replay.schemas.ts';

interface PolicyReplayView extends Omit<PolicyReplayDocument, 'untold' | 'halting'> {
  halting: number;
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

/**
 * Tries a new policy beside the enabled ones of the workspace.
 * @throws AppError `INVALID_OPERATION` when too many are under way
 */
export function startNewPolicyReplay(
  ctx: UserContext,
  { policy, limit }: z.output<typeof replayInput>,
): Promise<PolicyReplayView> {
  const { platform, tenant } = ctx;
  const workspaceId = tenant.workspaceId ?? tenant.defaultWorkspaceId;
  const candidate = policy.enabled ? toDefinition(platform.generateId(), 0, policy) : null;
  return beginReplay(ctx, { workspaceId, policyId: null, candidate, limit });
}

/**
 * Tries a candidate in place of the policy.
 * @throws AppError `NOT_FOUND`; `INVALID_OPERATION` when too many are under way
 */
export async function startPolicyReplay(
  ctx: UserContext,
  policyId: string,
  { policy: candidateContents, limit }: z.output<typeof replayOfPolicyInput>,
): Promise<PolicyReplayView> {
  const stored = await getPolicy(ctx, policyId);
  const contents = candidateContents ?? { ...toPolicyContents(stored), enabled: true };
  const revision = isJudgedAlike(contents, stored) ? stored.revision : 0;
  const candidate = contents.enabled ? toDefinition(policyId, revision, contents) : null;
  const workspaceId = stored.workspaceId.toHexString();
  return beginReplay(ctx, { workspaceId, policyId, candidate, limit });
}

/** Newest first; a replay is kept for 30 days. */
export async function listReplays(
  { platform, tenant }: Context,
  page: Page,
): Promise<Listed<PolicyReplayView>> {
  const where = filterVisible(tenant);
  const { items, total } = await listPage(platform.models.policyReplays, where, page);
  return { items: items.map(toView), total };
}

/** @throws AppError `NOT_FOUND` */
export async function getReplay(
  { platform, tenant }: Context,
  _id: string,
): Promise<PolicyReplayView> {
  const query = platform.models.policyReplays.findOne({ ...filterVisible(tenant), _id });
  return toView(await findOr404(query.lean<PolicyReplayDocument>()));
}

/**
 * Cancels a replay and keeps its counts so far.
 * @throws AppError `NOT_FOUND`; `INVALID_OPERATION` when it has ended
 */
export async function cancelReplay(
  { platform: { models, clock }, tenant }: Context,
  _id: string,
): Promise<PolicyReplayView> {
  const where = { ...filterVisible(tenant), _id };
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
}

async function beginReplay(
  { platform, tenant: { organizationId }, user }: UserContext,
  { workspaceId, policyId, candidate, limit }: Plan,
): Promise<PolicyReplayView> {
  const { models, ledger } = platform;
  await requireRoom(platform, organizationId);
  const live = await models.policies
    .find({ organizationId, workspaceId, deletedAt: null, enabled: true }, 'revision')
    .lean<PolicyDocument[]>();
  const others = live.filter(({ _id }) => _id.toHexString() !== policyId);
  const head = await ledger.appender.readHead(organizationId);
  const lists = await findListsOf(models, organizationId, workspaceId);
  const replay = await insertOne(models.policyReplays, {
    organizationId,
    workspaceId,
    policyId,
    candidate: candidate === null ? null : JSON.stringify(candidate),
    members: others.map(({ _id, revision }) => ({ id: _id, revision })),
    lists,
    limit,
    below: (head?.sequence ?? 0) + 1,
    startedBy: user.userId,
  });
  platform.onCommit(() => platform.wakeJob('policies.replay'));
  return toView(replay);
}

/**
 * Takes the lock of the organisation first, so that the count holds.
 * @throws AppError `INVALID_OPERATION` when too many are under way
 */
async function requireRoom(platform: Platform, organizationId: string): Promise<void> {
  await lockOrganization(platform, organizationId);
  const unfinished = { organizationId, state: UNFINISHED };
  const found = platform.models.policyReplays.countDocuments(unfinished);
  const most = replayLimits.unfinished;
  await requireFewer(found, most, `At most ${most} replays may be under way`);
}

function filterVisible({ organizationId, workspaceId }: Tenant) {
  return { organizationId, ...(workspaceId !== null && { workspaceId }) };
}

function toDefinition(
  id: string,
  revision: number,
  { name, description, priority, conditions, actions }: PolicyContents,
): PolicyDefinition {
  return { id, revision, name, description, priority, conditions, actions };
}

/** Whether the candidate, which judges, does so like the stored revision, whose decisions are on record. */
function isJudgedAlike(one: PolicyContents, other: PolicyContents): boolean {
  const toJudgedParts = ({ priority, conditions, actions }: PolicyContents) =>
    ({ priority, conditions, actions }) as unknown as JsonObject;
  return other.observe !== true && isSameJson(toJudgedParts(one), toJudgedParts(other));
}

function toView({ untold, halting = 0, ...replay }: PolicyReplayDocument): PolicyReplayView {
  return { ...replay, halting, id: replay._id, cannotTellBecause: untold };
}

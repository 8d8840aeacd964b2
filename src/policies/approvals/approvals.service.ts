// Policy approvals: opens, edits and moves them by six actions (document 2, section 4.2; decisions: approvals).
import { lockOrganization } from '../../identity/organization/memberships/memberships.service.ts';
import type { QueryFilter } from 'mongoose';
import type { z } from 'zod';
import type { Context, UserContext } from '../../platform/context.ts';
import type { Platform } from '../../platform/platform.ts';
import type { User } from '../../domain/identity/tenant.ts';
import type { Page } from '../../domain/page.ts';
import {
  type ApprovalAction,
  resolveApprovalMove,
  type ApprovalState,
  isEnforcing,
  mayTake,
  OPEN_STATES,
} from '../../domain/policies/changes/approval.ts';
import { AppError } from '../../errors.ts';
import {
  AFTER,
  findOr404,
  insertOne,
  type Listed,
  listPage,
  requireFewer,
} from '../../platform/mongo/queries.ts';
import type { ListChange } from '../../domain/policies/list-contents.ts';
import { proposeListChange } from '../lists/list-changes.service.ts';
import type { policyListChange } from '../lists/policy-lists.schemas.ts';
import { requireLists } from '../lists/policy-lists.service.ts';
import { toPolicyContents, type PolicyContents } from '../policies.model.ts';
import { proposeToolsChange } from '../tools/tool-changes.service.ts';
import type { ToolsChange } from '../../domain/policies/tool-entries.ts';
import type { toolsChange } from '../tools/tools.schemas.ts';
import { getPolicy, resolveWorkspace } from '../policies.service.ts';
import {
  type policyApprovalActionInput,
  type policyApprovalChange,
  type policyApprovalInput,
  OPEN_APPROVALS,
} from './approvals.schemas.ts';
import { filterVisibleApprovals } from './approval-history.service.ts';
import { notifyOfStep } from './approval-notices.service.ts';
import { requireFewSteps, requireSeen, listSteps } from './approval-steps.ts';
import {
  describeOther,
  parseApprovedContents,
  parseListChange,
  parseToolsChange,
  type ProposedContents,
  serializeContents,
} from './approved-contents.ts';
import { applyApproval, type EnforcementResult, revertApproval } from './enforcement.service.ts';
import type { ApprovalStep, PolicyApprovalDocument } from './policy-approvals.model.ts';

interface ApprovalView extends Omit<PolicyApprovalDocument, 'contents' | 'steps'> {
  id: PolicyApprovalDocument['_id'];
  /** Null: `list` or `tools` change. */
  policy: PolicyContents | null;
  list: ListChange | null;
  tools: ToolsChange['tools'] | null;
  steps: ApprovalStep[];
  needsReview: boolean;
}

export interface MovedApproval {
  approval: ApprovalView;
  from: ApprovalState;
  /** Whether what was in force without a review was reverted on rejection; null: does not apply. */
  undone: boolean | null;
}

/** The fields that a step changes, and the step itself. */
type ApprovalUpdate = Partial<PolicyApprovalDocument> & { step: ApprovalStep };

/** A proposed change before it is stored. */
interface Proposal {
  workspaceId: string | null;
  policyId: string | null;
  listName?: string;
  baseRevision: number | null;
  ofTools?: true;
  contents: ProposedContents;
}

interface PolicyProposal extends Proposal {
  workspaceId: string;
  contents: PolicyContents;
}

/** Lists the approvals that the tenant sees, newest first. */
export async function listApprovals(
  { platform, tenant }: Context,
  { state }: { state?: ApprovalState | undefined },
  page: Page,
): Promise<Listed<ApprovalView>> {
  const where: QueryFilter<PolicyApprovalDocument> = filterVisibleApprovals(tenant);
  if (state !== undefined) where.state = state;
  const { items, total } = await listPage(platform.models.policyApprovals, where, page);
  return { items: items.map(toView), total };
}

/** @throws AppError `NOT_FOUND` */
export async function getApproval(ctx: Context, id: string): Promise<ApprovalView> {
  return toView(await findApproval(ctx, id));
}

/**
 * Opens an approval: a draft, or a change that waits for review.
 * @throws AppError `NOT_FOUND` for an unknown policy or workspace; `INVALID_OPERATION` for a change without
 * effect, or when too many are open
 */
export async function openApproval(
  ctx: UserContext,
  input: z.output<typeof policyApprovalInput>,
): Promise<ApprovalView> {
  const proposal = await buildProposal(ctx, input);
  const { contents, workspaceId } = proposal;
  await requireLists(ctx, { ...contents, workspaceId });
  return storeProposal(ctx, proposal, input.submit ? 'pending_review' : 'draft');
}

/**
 * Opens an approval of other values of a list, or of its removal.
 * @throws AppError `NOT_FOUND`; `INVALID_OPERATION` without effect, beyond the limits, to remove what is in use, or when
 * too many are open
 */
export async function openListApproval(
  ctx: UserContext,
  listName: string,
  proposed: z.output<typeof policyListChange>,
): Promise<ApprovalView> {
  const { workspaceId, change: contents } = await proposeListChange(ctx, listName, proposed);
  const about = { workspaceId, policyId: null, listName, baseRevision: null };
  return storeProposal(ctx, { ...about, contents }, 'pending_review');
}

/**
 * Opens an approval of other tools of the workspace.
 * @throws AppError `VALIDATION_ERROR` for a bad name; `INVALID_OPERATION` without effect, beyond the limits, or when too
 * many are open
 */
export async function openToolsApproval(
  ctx: UserContext,
  proposed: z.output<typeof toolsChange>,
): Promise<ApprovalView> {
  const workspaceId = await resolveWorkspace(ctx, undefined);
  const contents = await proposeToolsChange(ctx, workspaceId, proposed);
  const about = { workspaceId, policyId: null, ofTools: true, baseRevision: null } as const;
  return storeProposal(ctx, { ...about, contents }, 'pending_review');
}

async function storeProposal(
  ctx: UserContext,
  { contents, ...about }: Proposal,
  state: 'draft' | 'pending_review',
): Promise<ApprovalView> {
  const { platform, tenant, user } = ctx;
  const { organizationId } = tenant;
  await requireRoom(platform, organizationId);
  const serialized = serializeContents(contents);
  const { digest } = serialized;
  const opened = createStep(ctx, { action: 'open', reason: null, digest, from: null, to: state });
  const author = user.userId;
  const row = { ...about, ...serialized, organizationId, state, author, steps: [opened] };
  const stored = await insertOne(platform.models.policyApprovals, row);
  await notifyOfStep(platform, stored);
  return toView(stored);
}

/**
 * Edits a change, by its author only; an earlier review is void.
 * @throws AppError `NOT_FOUND`, `FORBIDDEN`, `INVALID_OPERATION`
 */
export async function changeApproval(
  ctx: UserContext,
  id: string,
  { policy: change = {}, submit }: z.output<typeof policyApprovalChange>,
): Promise<ApprovalView> {
  const found = await findApproval(ctx, id);
  requireEditable(found, ctx.user);
  const { state, policyId } = found;
  const contents = await mergeChange(ctx, found, change);
  const baseRevision = policyId && (await getPolicy(ctx, policyId.toHexString())).revision;
  const isDraft = state === 'draft' && submit !== true;
  const next = isDraft ? ('draft' as const) : ('pending_review' as const);
  const serialized = serializeContents(contents);
  const { digest } = serialized;
  const step = createStep(ctx, { action: 'update', reason: null, digest, from: state, to: next });
  const edited = { ...serialized, baseRevision, state: next, reviewer: null, step };
  return toView(await writeStep(ctx, found, edited));
}

/**
 * Takes one of the six actions.
 * @throws AppError `NOT_FOUND`; `FORBIDDEN` for the wrong person; `INVALID_OPERATION` in the wrong state, for
 * another digest, or when
 * the policy has changed since; `VALIDATION_ERROR` for breaking the glass without a reason, or an edited change
 * without a digest
 */
export async function moveApproval(
  ctx: UserContext,
  { id, action }: { id: string; action: ApprovalAction },
  { reason, digest }: z.output<typeof policyApprovalActionInput>,
): Promise<MovedApproval> {
  const { user } = ctx;
  // The role is checked before the approval is looked for.
  requireRole(action, user);
  const found = await findApproval(ctx, id);
  const { state: from } = found;
  const to = resolveState(action, found, user);
  requireReason(action, reason);
  requireSeen(found, action, digest);
  const enforced: EnforcementResult = isEnforcing(action) ? await applyApproval(ctx, found) : {};
  const isUndone = from === 'broken_glass' && to === 'rejected';
  const { undone, undoneRevision } = isUndone ? await revertApproval(ctx, found) : NOT_UNDONE;
  const actionTaken = { action, reason: reason ?? null };
  const step = createStep(ctx, { ...actionTaken, digest: found.digest, from, to });
  const moved = await writeStep(ctx, found, {
    ...recordActor(actionTaken, step),
    ...enforced,
    undoneRevision,
    state: to,
    step,
  });
  return { approval: toView(moved), from, undone };
}

const NOT_UNDONE = { undone: null, undoneRevision: null };

/** @throws AppError `INVALID_OPERATION`, `FORBIDDEN` for another than its author */
function requireEditable(approval: PolicyApprovalDocument, { userId }: User): void {
  const { state, author } = approval;
  if (!isOpen(state)) throw new AppError('INVALID_OPERATION', `${state} is not edited`);
  if (author.toHexString() !== userId)
    throw new AppError('FORBIDDEN', 'Only its author edits a change');
  if (describeOther(approval) !== null)
    throw new AppError(
      'INVALID_OPERATION',
      'A change of a list or of tools is not edited: withdraw it and propose another',
    );
  requireFewSteps(approval);
}

/** @throws AppError `VALIDATION_ERROR` for a list that there is not */
async function mergeChange(
  ctx: Context,
  found: PolicyApprovalDocument,
  change: Partial<PolicyContents>,
): Promise<PolicyContents> {
  const contents = { ...parseApprovedContents(found), ...change };
  await requireLists(ctx, { ...contents, workspaceId: String(found.workspaceId) });
  return contents;
}

function findApproval({ platform, tenant }: Context, _id: string): Promise<PolicyApprovalDocument> {
  const where = { ...filterVisibleApprovals(tenant), _id };
  const query = platform.models.policyApprovals.findOne(where);
  return findOr404(query.lean<PolicyApprovalDocument>());
}

/** Writes and notifies, conditionally on the state: of two concurrent steps one conflicts, and its request runs again. */
async function writeStep(
  { platform }: Context,
  before: PolicyApprovalDocument,
  { step, ...$set }: ApprovalUpdate,
): Promise<PolicyApprovalDocument> {
  const { _id, organizationId, state } = before;
  const where = { _id, organizationId, state };
  const update = { $set: { ...$set, steps: [...listSteps(before), step] } };
  const query = platform.models.policyApprovals.findOneAndUpdate(where, update, AFTER);
  const after = await findOr404(query.lean<PolicyApprovalDocument>());
  await notifyOfStep(platform, after);
  return after;
}

const createStep = (
  { platform, user }: UserContext,
  taken: Omit<ApprovalStep, 'by' | 'at'>,
): ApprovalStep => ({ ...taken, by: user.userId as never, at: platform.clock.now() });

async function buildProposal(
  ctx: Context,
  input: z.output<typeof policyApprovalInput>,
): Promise<PolicyProposal> {
  if (input.policyId == null) {
    const workspaceId = await resolveWorkspace(ctx, undefined);
    return { workspaceId, policyId: null, baseRevision: null, contents: input.policy };
  }
  const { policyId, policy: change = { enabled: true } } = input;
  const stored = await getPolicy(ctx, policyId);
  const before = toPolicyContents(stored);
  const contents = { ...before, ...change };
  if (serializeContents(contents).digest === serializeContents(before).digest)
    throw new AppError('INVALID_OPERATION', 'The policy says that already');
  const workspaceId = stored.workspaceId.toHexString();
  return { workspaceId, policyId, baseRevision: stored.revision, contents };
}

/** Takes the lock of the organisation first, so that the count holds. @throws AppError `INVALID_OPERATION` */
async function requireRoom(platform: Platform, organizationId: string): Promise<void> {
  await lockOrganization(platform, organizationId);
  const open = { organizationId, state: { $in: OPEN_STATES } };
  const found = platform.models.policyApprovals.countDocuments(open);
  await requireFewer(found, OPEN_APPROVALS, `At most ${OPEN_APPROVALS} approvals may be open`);
}

/** @throws AppError `FORBIDDEN` */
function requireRole(action: ApprovalAction, { role }: User): void {
  if (!mayTake(action, role)) throw new AppError('FORBIDDEN', `${action} is not for this role`);
}

/** @throws AppError `VALIDATION_ERROR` */
function requireReason(action: ApprovalAction, reason: string | undefined): void {
  if (action === 'break-glass' && reason === undefined)
    throw new AppError('VALIDATION_ERROR', 'reason: required to break the glass');
}

type ActionTaken = Pick<NonNullable<PolicyApprovalDocument['lastAction']>, 'action' | 'reason'>;

/** Returns the fields that name the last action, and the reviewer or enforcer who took it. */
function recordActor(
  actionTaken: ActionTaken,
  { by, at }: ApprovalStep,
): Partial<PolicyApprovalDocument> {
  const acted = { lastAction: { ...actionTaken, by, at } };
  if (actionTaken.action === 'author-withdraw') return acted;
  return actionTaken.action.startsWith('reviewer-')
    ? { ...acted, reviewer: by }
    : { ...acted, enforcer: by };
}

/**
 * Returns the state after the action.
 * @throws AppError `FORBIDDEN` for the wrong person, `INVALID_OPERATION` in the wrong state
 */
function resolveState(
  action: ApprovalAction,
  { state, author, reviewer, enforcer }: PolicyApprovalDocument,
  user: User,
): ApprovalState {
  const involved = {
    author: author.toHexString(),
    reviewer: reviewer && reviewer.toHexString(),
    enforcer: enforcer && enforcer.toHexString(),
  };
  const move = resolveApprovalMove(action, { state, involved }, user);
  if ('to' in move) return move.to;
  const code = move.refused === 'person' ? 'FORBIDDEN' : 'INVALID_OPERATION';
  throw new AppError(code, move.why);
}

const isOpen = (state: ApprovalState): boolean =>
  (OPEN_STATES as readonly ApprovalState[]).includes(state);

function toView(approval: PolicyApprovalDocument): ApprovalView {
  const { _id, state } = approval;
  const list = parseListChange(approval);
  const tools = parseToolsChange(approval)?.tools ?? null;
  const policy = list || tools ? null : parseApprovedContents(approval);
  const about = { policy, list, tools, steps: listSteps(approval) };
  return { ...approval, id: _id, ...about, needsReview: state === 'broken_glass' };
}

// Workspaces of an organisation (document 1, section 1: selected by `x-workspace-id`).
import type { ReviewSla } from '@assay/policy';
import type { Platform } from '../../../platform/platform.ts';
import type { LinkProof } from '../../../domain/review/link-proof.ts';
import { DEFAULT_SELF_REVIEW, type SelfReviewRules } from '../../../domain/review/self-review.ts';
import type { AgentCredentials } from '../../../domain/workload/agent-credentials.ts';
import {
  DEFAULT_SESSION_RULES,
  type SessionRules,
} from '../../../domain/sessions/session-rules.ts';
import { AppError } from '../../../errors.ts';
import type { Models } from '../../../models.ts';
import { AFTER, findOr404, omitUndefined, insertOne } from '../../../platform/mongo/queries.ts';
import type { AutoApproval } from '../../../domain/automatic-approval.ts';
import {
  type ControlSwitches,
  listSwitchedOff,
} from '../../../domain/dual-control/weakened-switches.ts';
import { type PendingView, findPendingView } from '../../../domain/dual-control/second-word.ts';
import { settleAutoApproval } from './auto-approval-switch.service.ts';
import { findEnterableMembership } from '../memberships/memberships.service.ts';
import type { WorkspaceDocument } from './workspaces.model.ts';
import type { WorkspaceChange } from './workspaces.schemas.ts';
import type { UserContext, Context } from '../../../platform/context.ts';
import { perInstance } from '../../../platform/per-instance.ts';
import { getUpperRooms } from '../../upper-rooms.ts';

interface WorkspaceView extends Omit<
  WorkspaceDocument,
  | 'autoApprovalRequest'
  | 'reviewExpiry'
  | 'observed'
  | 'reviewLinks'
  | 'preventSelfReview'
  | 'keys'
  | 'sessions'
> {
  sessions: SessionRules;
  reviewExpiry: { expiresIn: number } | null;
  observed: { review: boolean };
  reviewLinks: LinkProof;
  preventSelfReview: SelfReviewRules;
  keys: AgentCredentials;
  autoApprovalRequest?: PendingView & { autoApproval: AutoApproval };
  /** Whether decisions go to it when no workspace is chosen. */
  isDefault: boolean;
}

/** How a workspace's reviews are handled, and how its agents act. */
export interface WorkspaceSettings {
  keys: AgentCredentials;
  reviewSla: ReviewSla;
  /** Seconds; null: holds do not expire. */
  reviewExpiresIn: number | null;
  reviewLinks: LinkProof;
  preventSelfReview: SelfReviewRules;
  escalateTo: string | null;
  /** Whether people review what a policy would have held among the decisions after the fact. */
  reviewsObserved: boolean;
  sessionRules: SessionRules;
}

const CACHED_WORKSPACES = 10_000;
const ID = /^[0-9a-f]{24}$/;

const openSettingsCache = perInstance(({ caches }: Platform) =>
  caches.openCache<WorkspaceSettings>({
    collections: ['workspaces'],
    max: CACHED_WORKSPACES,
  }),
);

/** Null when it is no workspace of the organisation. */
export async function loadWorkspaceSettings(
  platform: Platform,
  organizationId: string,
  workspaceId: string,
): Promise<WorkspaceSettings | null> {
  if (!ID.test(workspaceId)) return null;
  return openSettingsCache(platform).get(`${organizationId}/${workspaceId}`, async () => {
    const found = await platform.models.workspaces
      .findOne({ _id: workspaceId, organizationId })
      .lean<WorkspaceDocument>();
    return found && { organizationId, value: toSettings(found) };
  });
}

/** Null: the whole organisation. @throws AppError `NOT_FOUND` */
export async function requireWorkspace(
  { models }: Platform,
  organizationId: string,
  _id: string | null,
): Promise<void> {
  if (_id === null) return;
  await findOr404(models.workspaces.exists({ _id, organizationId }), 'No such workspace');
}

/** Returns the id if it is a workspace of the organisation, else null. */
export async function findWorkspaceId(
  platform: Platform,
  organizationId: string,
  workspaceId: string,
): Promise<string | null> {
  return (await loadWorkspaceSettings(platform, organizationId, workspaceId)) && workspaceId;
}

export async function listWorkspaces({
  platform: { models, clock },
  tenant: { organizationId, defaultWorkspaceId },
}: Context): Promise<WorkspaceView[]> {
  const found = await models.workspaces
    .find({ organizationId })
    .sort({ createdAt: -1, _id: -1 })
    .lean<WorkspaceDocument[]>();
  return found.map((workspace) => toView(workspace, defaultWorkspaceId, clock.now()));
}

/** @throws AppError `ALREADY_EXISTS` when the name is taken */
export async function createWorkspace(
  { platform: { models, clock }, tenant: { organizationId } }: Context,
  { name }: { name: string },
): Promise<WorkspaceView> {
  await requireFreeName(models, { organizationId, name });
  return toView(await insertOne(models.workspaces, { organizationId, name }), null, clock.now());
}

/** When a workspace was changed last. @throws AppError `NOT_FOUND` */
export async function readWorkspaceChange(
  { platform: { models }, tenant: { organizationId } }: Context,
  id: string,
): Promise<Date> {
  const query = models.workspaces.findOne({ _id: id, organizationId }, 'updatedAt');
  return (await findOr404(query.lean<WorkspaceDocument>())).updatedAt;
}

/** @throws AppError `NOT_FOUND`, `ALREADY_EXISTS` */
export async function changeWorkspace(
  ctx: UserContext,
  id: string,
  change: WorkspaceChange,
): Promise<WorkspaceView> {
  const { platform } = ctx;
  const { organizationId, defaultWorkspaceId } = ctx.tenant;
  const { name } = change;
  if (name !== undefined)
    await requireFreeName(platform.models, { organizationId, name, _id: { $ne: id } });
  await requireReceiver(platform, organizationId, change);
  const settled = await settleAutoApproval(ctx, id, change);
  await notifyOfWeakening(platform, organizationId, id, settled);
  const changed = await findOr404(
    platform.models.workspaces
      .findOneAndUpdate({ _id: id, organizationId }, { $set: flattenChange(settled) }, AFTER)
      .lean<WorkspaceDocument>(),
  );
  platform.onCommit(() => openSettingsCache(platform).invalidate(organizationId));
  return toView(changed, defaultWorkspaceId, platform.clock.now());
}

/** @throws AppError `NOT_FOUND` when the receiver of escalations is no active member */
async function requireReceiver(
  platform: Platform,
  organizationId: string,
  { escalationPolicy }: WorkspaceChange,
): Promise<void> {
  const receiver = escalationPolicy?.escalateTo ?? null;
  if (receiver !== null && !(await findEnterableMembership(platform, organizationId, receiver)))
    throw new AppError('NOT_FOUND', 'No active member has this id');
}

/** Notifies managers of controls that a change of settings weakens. */
async function notifyOfWeakening(
  platform: Platform,
  organizationId: string,
  _id: string,
  changed: WorkspaceChange,
): Promise<void> {
  const found = await platform.models.workspaces
    .findOne(
      { _id, organizationId },
      'reviewLinks autoApproval observed preventSelfReview keys sessions',
    )
    .lean<Controls>();
  if (!found) return;
  const before = toSwitches(found);
  const preventSelfReview = mergeRules(found.preventSelfReview, changed.preventSelfReview);
  const after = toSwitches({ ...found, ...omitUndefined(changed), preventSelfReview });
  const about = listSwitchedOff({ before, after }, '/settings/workspaces');
  await getUpperRooms(platform).notify({ organizationId, event: 'control.weakened', about });
}

/** The settings that are controls. */
type Controls = Pick<
  WorkspaceChange,
  'reviewLinks' | 'autoApproval' | 'observed' | 'preventSelfReview' | 'keys' | 'sessions'
>;

type GivenRules = WorkspaceChange['preventSelfReview'];

const mergeRules = (before: GivenRules, changed: GivenRules): SelfReviewRules => ({
  ...DEFAULT_SELF_REVIEW,
  ...omitUndefined(before ?? {}),
  ...omitUndefined(changed ?? {}),
});

const toSwitches = ({
  reviewLinks,
  autoApproval,
  observed,
  preventSelfReview: rules,
  keys,
  sessions,
}: Controls): ControlSwitches => ({
  signInForLinks: reviewLinks !== 'token',
  personsDecide: (autoApproval ?? null) === null,
  reviewsObserved: observed?.review === true,
  actorsExcluded: rules?.actor !== 'off',
  keyMakersExcluded: (rules?.keyMaker ?? 'off') !== 'off',
  agentOwnersExcluded: (rules?.agentOwner ?? 'off') !== 'off',
  keylessAgents: keys === 'workload',
  sessionsByAgent: sessions?.by === 'agent',
});

/** Completes workspaces of earlier versions, which have no settings. */
function toView(
  { autoApprovalRequest: request, ...workspace }: WorkspaceDocument,
  defaultId: string | null,
  now: Date,
): WorkspaceView {
  const { escalationPolicy, reviewSla, observed, autoApproval } =
    workspace as Partial<WorkspaceDocument>;
  const waiting = request
    ? findPendingView({ by: request.by.toHexString(), at: request.at }, now)
    : null;
  return {
    ...workspace,
    ...(request &&
      waiting && { autoApprovalRequest: { ...waiting, autoApproval: request.autoApproval } }),
    escalationPolicy: { escalateTo: escalationPolicy?.escalateTo ?? null },
    reviewSla: {
      critical: reviewSla?.critical ?? null,
      high: reviewSla?.high ?? null,
      medium: reviewSla?.medium ?? null,
      low: reviewSla?.low ?? null,
    },
    reviewExpiry: workspace.reviewExpiry ?? null,
    observed: { review: observed?.review ?? false },
    reviewLinks: workspace.reviewLinks ?? 'sign-in',
    preventSelfReview: mergeRules(workspace.preventSelfReview, undefined),
    keys: workspace.keys ?? 'any',
    sessions: { ...DEFAULT_SESSION_RULES, ...omitUndefined(workspace.sessions ?? {}) },
    autoApproval: autoApproval ?? null,
    isDefault: workspace._id.toHexString() === defaultId,
  };
}

function toSettings(workspace: WorkspaceDocument): WorkspaceSettings {
  const view = toView(workspace, null, workspace.updatedAt);
  const { reviewSla, reviewExpiry, reviewLinks, escalationPolicy, observed } = view;
  return {
    reviewSla,
    reviewExpiresIn: reviewExpiry?.expiresIn ?? null,
    reviewLinks,
    preventSelfReview: view.preventSelfReview,
    keys: view.keys,
    escalateTo: escalationPolicy.escalateTo?.toHexString() ?? null,
    reviewsObserved: observed.review,
    sessionRules: view.sessions,
  };
}

/** Flattens the change, so that what is absent in a part of it stays as it is. */
function flattenChange({
  reviewSla,
  preventSelfReview,
  sessions,
  ...others
}: WorkspaceChange): object {
  const parts = Object.entries({ reviewSla, preventSelfReview, sessions }).flatMap(
    ([name, part = {}]) =>
      Object.entries(omitUndefined(part)).map(([key, value]) => [`${name}.${key}`, value]),
  );
  return Object.assign(omitUndefined(others), Object.fromEntries(parts));
}

async function requireFreeName(
  models: Models,
  where: { organizationId: string; name: string; _id?: { $ne: string } },
): Promise<void> {
  if (await models.workspaces.exists(where))
    throw new AppError('ALREADY_EXISTS', 'A workspace of this name exists');
}

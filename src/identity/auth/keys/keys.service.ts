// Workspace API keys: minted, listed, changed and revoked (document 1, section 4.2).
import type { z } from 'zod';
import type { Platform } from '../../../platform/platform.ts';
import { hashKey } from '../../../domain/identity/key-hash.ts';
import { getMonthlyLimit } from '../../../domain/identity/plans.ts';
import type { Key } from '../../../domain/identity/tenant.ts';
import type { Page } from '../../../domain/page.ts';
import { AppError } from '../../../errors.ts';
import type { Models } from '../../../models.ts';
import {
  AFTER,
  findOr404,
  omitUndefined,
  insertOne,
  type Listed,
  listPage,
  requireFewer,
} from '../../../platform/mongo/queries.ts';
import type { ResolvedAgent } from '../../agents/agent-resolver.service.ts';
import { lockOrganization } from '../../organization/memberships/memberships.service.ts';
import { requireWorkspace } from '../../organization/workspaces/workspaces.service.ts';
import { forgetKeys } from './key-authentication.service.ts';
import type { WorkspaceKeyDocument } from './keys.model.ts';
import type { currentKeyView, keyChange, keyInput } from './keys.schemas.ts';
import type { UserContext, Context } from '../../../platform/context.ts';

interface NewKey extends WorkspaceKeyDocument {
  /** Shown in this answer only. */
  key: string;
}

/** What members are shown of a key. */
export type KeySummary = Pick<WorkspaceKeyDocument, '_id' | 'name' | 'prefix' | 'createdAt'>;

const SHOWN_PREFIX = 'svc_live_'.length + 8;
const MAX_ACTIVE_KEYS = 50;

/** Lists the valid keys that a member created, newest first. */
export function listKeysCreatedBy(
  { models }: Platform,
  organizationId: string,
  userId: string,
): Promise<KeySummary[]> {
  return models.workspaceKeys
    .find({ organizationId, createdBy: userId, revokedAt: null }, 'name prefix createdAt')
    .sort({ createdAt: -1, _id: -1 })
    .lean<KeySummary[]>();
}

/** Returns who made the keys of these ids, revoked or not, by id. */
export async function listKeyMakers(
  { models }: Platform,
  organizationId: string,
  keyIds: readonly string[],
): Promise<Map<string, string>> {
  const found = await models.workspaceKeys
    .find({ organizationId, _id: { $in: keyIds } }, 'createdBy')
    .lean<Pick<WorkspaceKeyDocument, '_id' | 'createdBy'>[]>();
  return new Map(found.map((one) => [one._id.toHexString(), one.createdBy.toHexString()]));
}

/** Describes the key of a request; `agent`: the one that an agent key belongs to. */
export function describeCurrentKey(
  { platform: { config }, tenant: { organizationId, plan, agentIds } }: Context,
  key: Key,
  agent: ResolvedAgent | null,
): z.input<typeof currentKeyView> {
  const { keyId, kind, readOnly, isForFeedback, workspaceId, run } = key;
  return {
    keyId,
    kind,
    organizationId,
    workspaceId,
    plan,
    agent: agent && { _id: agent.agentId, name: agent.name },
    scope: { agentIds: agentIds && [...agentIds], readOnly },
    ...(run && { run: { ...run.principal, expiresAt: run.expiresAt } }),
    capabilities: isForFeedback ? ['feedback'] : [],
    mayIngest: !readOnly && !isForFeedback,
    limits: {
      decisionsPerMonth: getMonthlyLimit(plan, config.ASSAY_LIMIT_SANDBOX),
      requestsPerMinute: agent?.policies.maxRequestsPerMinute ?? null,
    },
  };
}

export function listKeys(
  { platform: { models }, tenant: { organizationId } }: Context,
  page: Page,
): Promise<Listed<WorkspaceKeyDocument>> {
  return listPage(models.workspaceKeys, { organizationId, revokedAt: null }, page);
}

/** @throws AppError `NOT_FOUND` for a foreign workspace or agent, `INVALID_OPERATION` past the number of keys */
export async function createKey(
  { platform, tenant: { organizationId }, user: { userId } }: UserContext,
  { name, workspaceId = null, scope = {}, capabilities = [] }: z.output<typeof keyInput>,
): Promise<NewKey> {
  const { agentIds = null, readOnly = false } = scope;
  await requireWorkspace(platform, organizationId, workspaceId);
  await requireOwnAgents(platform.models, organizationId, agentIds ?? []);
  await lockOrganization(platform, organizationId);
  const active = platform.models.workspaceKeys.countDocuments({ organizationId, revokedAt: null });
  await requireFewer(active, MAX_ACTIVE_KEYS, `At most ${MAX_ACTIVE_KEYS} keys may be active`);
  const key = `svc_live_${platform.generateHex(32)}`;
  const made = await insertOne(platform.models.workspaceKeys, {
    organizationId,
    name,
    workspaceId,
    prefix: key.slice(0, SHOWN_PREFIX),
    keyHash: hashKey(key),
    scope: { agentIds, readOnly },
    ...(capabilities.length > 0 && { capabilities }),
    createdBy: userId,
  });
  return { ...made, key };
}

/** @throws AppError `NOT_FOUND` */
export async function updateKey(
  ctx: Context,
  id: string,
  { name, scope }: z.output<typeof keyChange>,
): Promise<WorkspaceKeyDocument> {
  await requireOwnAgents(ctx.platform.models, ctx.tenant.organizationId, scope?.agentIds ?? []);
  const { agentIds, readOnly } = scope ?? {};
  const changes = { name, 'scope.agentIds': agentIds, 'scope.readOnly': readOnly };
  return changeKey(ctx, id, omitUndefined(changes));
}

/**
 * Takes effect at once on this instance, on others as soon as the change feed reaches them.
 * @throws AppError `NOT_FOUND`
 */
export function revokeKey(ctx: Context, id: string): Promise<WorkspaceKeyDocument> {
  return changeKey(ctx, id, { revokedAt: ctx.platform.clock.now() });
}

/** Changes a key that is not revoked, which counts from the next request on. @throws AppError `NOT_FOUND` */
async function changeKey(
  { platform, tenant: { organizationId } }: Context,
  id: string,
  set: object,
): Promise<WorkspaceKeyDocument> {
  const changed = await findOr404(
    platform.models.workspaceKeys
      .findOneAndUpdate({ _id: id, organizationId, revokedAt: null }, { $set: set }, AFTER)
      .lean<WorkspaceKeyDocument>(),
  );
  forgetKeys(platform, organizationId);
  return changed;
}

/** @throws AppError `NOT_FOUND` */
async function requireOwnAgents(
  models: Models,
  organizationId: string,
  agentIds: readonly string[],
): Promise<void> {
  const wanted = [...new Set(agentIds)];
  if (wanted.length === 0) return;
  const where = { organizationId, _id: { $in: wanted }, deletedAt: null };
  if ((await models.agents.countDocuments(where)) !== wanted.length)
    throw new AppError('NOT_FOUND', 'No such agent');
}

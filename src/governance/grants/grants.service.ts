// Standing grants: given by who approved a decision, listed, and revoked by hand.
import type { z } from 'zod';
import { type GrantTerms, STANDING_MAX } from '../../domain/grants/standing-grant.ts';
import type { Page } from '../../domain/page.ts';
import { loadTextScrubber } from '../../decisions/traces/scrubbing/read-scrubbers.service.ts';
import type { Context, UserContext } from '../../platform/context.ts';
import { findOr404, type Listed, listPage, requireFewer } from '../../platform/mongo/queries.ts';
import { toObjectId } from '../../ledger/ledger.model.ts';
import { countUsed, endGrant, giveGrant } from './grant-entries.service.ts';
import {
  createUngrantableError,
  type GrantSource,
  loadGrantSource,
} from './grant-source.service.ts';
import type { StandingGrantDocument } from './grants.model.ts';
import type {
  standingGrantInput,
  GrantQuery,
  grantsRevocationInput,
  GrantView,
} from './grants.schemas.ts';
import { toGrantView } from './grants.view.ts';

/** Ended by one request. */
const REVOKED_MAX = STANDING_MAX.organization;

/**
 * Gives a grant for what the caller has approved.
 * @throws AppError `NOT_FOUND`, `INVALID_OPERATION`
 */
export async function createGrant(
  ctx: UserContext,
  { fromTraceId, ...terms }: z.output<typeof standingGrantInput>,
): Promise<GrantView> {
  const source = await loadGrantSource(ctx, { traceId: fromTraceId });
  const { status, decidedBy } = source.review;
  if (status !== 'approved' || decidedBy !== ctx.user.userId)
    throw createUngrantableError('you have not approved it');
  return toGrantView(await sealGrant(ctx, source, terms), 0);
}

/**
 * Checks that a decision which waits may be granted; the function that it returns gives the grant, once the decision is
 * approved.
 * @throws AppError `NOT_FOUND`, `INVALID_OPERATION`
 */
export async function planGrant(
  ctx: UserContext,
  reviewId: string,
  terms: GrantTerms,
): Promise<() => Promise<string>> {
  const source = await loadGrantSource(ctx, { reviewId });
  if (source.review.approvals)
    throw createUngrantableError(
      'several people approve it: give the grant after the last approval, by POST /grants',
    );
  await requireRoom(ctx, source);
  return async () => (await sealGrant(ctx, source, terms))._id.toHexString();
}

async function sealGrant(
  ctx: UserContext,
  source: GrantSource,
  { expiresIn, uses, when = [], reason }: GrantTerms,
): Promise<StandingGrantDocument> {
  const { platform, tenant, user } = ctx;
  await requireRoom(ctx, source);
  const scrubber = await loadTextScrubber(platform, tenant.organizationId);
  const now = platform.clock.now();
  const { agentName, tool, server, toolDigest, policies, traceId: fromTraceId } = source;
  const grant = {
    _id: toObjectId(platform.generateId()),
    organizationId: toObjectId(tenant.organizationId),
    workspaceId: toObjectId(source.workspaceId),
    agentId: toObjectId(source.agentId),
    givenBy: toObjectId(user.userId),
    until: new Date(now.getTime() + expiresIn * 1000),
    reason: reason === undefined ? null : scrubber.scrubString(reason).text,
    checkedAt: now,
    when: [...when],
    agentName,
    tool,
    server,
    toolDigest,
    policies,
    fromTraceId,
    uses,
  };
  return giveGrant(platform, grant, { kind: 'user', id: user.userId });
}

/** @throws AppError `INVALID_OPERATION` */
async function requireRoom(
  { platform, tenant: { organizationId } }: Context,
  { agentId }: Pick<GrantSource, 'agentId'>,
): Promise<void> {
  const { standingGrants } = platform.models;
  const standing = { organizationId, endedAt: null };
  const { organization, agent } = STANDING_MAX;
  await requireFewer(
    standingGrants.countDocuments({ ...standing, agentId }, { limit: agent }),
    agent,
    `The agent has ${agent} standing grants already: revoke some`,
  );
  await requireFewer(
    standingGrants.countDocuments(standing, { limit: organization }),
    organization,
    `The organisation has ${organization} standing grants already: revoke some`,
  );
}

/** Newest first. */
export async function listGrants(
  ctx: Context,
  { standing, agentId, givenBy }: GrantQuery,
  page: Page,
): Promise<Listed<GrantView>> {
  const { platform, tenant } = ctx;
  const now = platform.clock.now();
  const where = {
    ...filterOwn(ctx),
    ...(standing === true && { endedAt: null, until: { $gt: now } }),
    ...(standing === false && { $or: [{ endedAt: { $ne: null } }, { until: { $lte: now } }] }),
    ...(agentId !== undefined && { agentId }),
    ...(givenBy !== undefined && { givenBy }),
  };
  const { items, total } = await listPage<StandingGrantDocument>(
    platform.models.standingGrants,
    where as never,
    page,
  );
  const open = items.filter(({ endedAt }) => endedAt === null);
  const used = await countUsed(platform, tenant.organizationId, open);
  return {
    items: items.map((grant) => toGrantView(grant, used.get(grant._id.toHexString()) ?? 0)),
    total,
  };
}

/** @throws AppError `NOT_FOUND` */
export async function getGrant(ctx: Context, id: string): Promise<GrantView> {
  const grant = await findGrant(ctx, id);
  const open = grant.endedAt === null ? [grant] : [];
  const used = await countUsed(ctx.platform, ctx.tenant.organizationId, open);
  return toGrantView(grant, used.get(id) ?? 0);
}

/** Ends a grant by hand; again without effect. @throws AppError `NOT_FOUND` */
export async function revokeGrant(
  ctx: UserContext,
  id: string,
  reason?: string,
): Promise<GrantView> {
  await revoke(ctx, [await findGrant(ctx, id)], reason);
  return getGrant(ctx, id);
}

/** Ends all grants of an agent, or all that a person gave. */
export async function revokeGrants(
  ctx: UserContext,
  { agentId, givenBy, reason }: z.output<typeof grantsRevocationInput>,
): Promise<{ revoked: number }> {
  const whose = agentId === undefined ? { givenBy } : { agentId };
  const found = await ctx.platform.models.standingGrants
    .find({ ...filterOwn(ctx), ...whose, endedAt: null } as never)
    .limit(REVOKED_MAX)
    .lean<StandingGrantDocument[]>();
  await revoke(ctx, found, reason);
  return { revoked: found.length };
}

async function revoke(
  { platform, tenant, user }: UserContext,
  grants: readonly StandingGrantDocument[],
  given: string | undefined,
): Promise<void> {
  const scrubber = await loadTextScrubber(platform, tenant.organizationId);
  const reason = given === undefined ? undefined : scrubber.scrubString(given).text;
  const actor = { kind: 'user', id: user.userId } as const;
  for (const grant of grants) await endGrant(platform, grant, { status: 'revoked', actor, reason });
}

const findGrant = (ctx: Context, id: string): Promise<StandingGrantDocument> =>
  findOr404(
    ctx.platform.models.standingGrants
      .findOne({ ...filterOwn(ctx), _id: id } as never)
      .lean<StandingGrantDocument>(),
  );

/** Those of the caller's workspace. */
const filterOwn = ({ tenant: { organizationId, workspaceId } }: Context) => ({
  organizationId,
  ...(workspaceId !== null && { workspaceId }),
});

// The trusts of agents: by the tokens of which issuers a workload may act as an agent.
import type { Platform } from '../../../platform/platform.ts';
import { AppError } from '../../../errors.ts';
import {
  AFTER,
  type DeletedView,
  findOr404,
  insertOne,
  requireFewer,
  toDeletedView,
} from '../../../platform/mongo/queries.ts';
import { lockOrganization } from '../../organization/memberships/memberships.service.ts';
import { forgetRuns } from './run-tokens.service.ts';
import type { AgentTrustDocument } from './trusts.model.ts';
import type { TrustInput, TrustView } from './trusts.schemas.ts';
import type { UserContext, Context } from '../../../platform/context.ts';

/** Trusts of one agent. */
const MAX_TRUSTS = 20;

/** @throws AppError `NOT_FOUND` */
export async function listTrusts(ctx: Context, agentId: string): Promise<TrustView[]> {
  await requireAgent(ctx, agentId);
  const { organizationId } = ctx.tenant;
  const found = await ctx.platform.models.agentTrusts
    .find({ organizationId, agentId, deletedAt: null })
    .sort({ createdAt: -1, _id: -1 })
    .lean<AgentTrustDocument[]>();
  return found.map((trust) => toView(ctx.platform, trust));
}

/** Whether an agent ever had one: then something may be done for persons. */
export async function hadTrusts({ models }: Platform, organizationId: string): Promise<boolean> {
  return (await models.agentTrusts.exists({ organizationId })) !== null;
}

/**
 * Checks the issuer whose keys are to be asked for. Call it before the transaction: it looks up a host.
 * @throws AppError `SSRF_BLOCKED`
 */
export async function checkTrustIssuer(
  { http }: Platform,
  { issuer, jwks }: TrustInput,
): Promise<void> {
  if (jwks) return;
  if (!URL.canParse(issuer) || new URL(issuer).search !== '')
    throw new AppError(
      'VALIDATION_ERROR',
      'issuer: must be an address without a query, where `jwks` does not give its keys',
    );
  await http.check(issuer);
}

/** @throws AppError `NOT_FOUND`, `INVALID_OPERATION` past the number of trusts */
export async function createTrust(
  ctx: UserContext,
  agentId: string,
  input: TrustInput,
): Promise<TrustView> {
  const {
    platform,
    user: { userId },
  } = ctx;
  await requireAgent(ctx, agentId);
  const { organizationId } = ctx.tenant;
  await lockOrganization(platform, organizationId);
  const live = platform.models.agentTrusts.countDocuments({
    organizationId,
    agentId,
    deletedAt: null,
  });
  await requireFewer(live, MAX_TRUSTS, `An agent has at most ${MAX_TRUSTS} trusts`);
  const { issuer, subject, claims = {}, audience = null, jwks = null, once } = input;
  const { maxAgeSeconds = null, grant = null } = input;
  const made = await insertOne(platform.models.agentTrusts, {
    organizationId,
    agentId,
    issuer,
    audience,
    subject,
    jwks,
    maxAgeSeconds,
    once,
    grant,
    claims: Object.entries(claims),
    createdBy: userId,
  });
  return toView(platform, made);
}

/** Ends a trust, and its run tokens at once; it is kept, since decisions name it. @throws AppError `NOT_FOUND` */
export async function removeTrust(
  ctx: Context,
  { id: agentId, trustId: _id }: { id: string; trustId: string },
): Promise<DeletedView<AgentTrustDocument['_id']>> {
  const { platform } = ctx;
  await requireAgent(ctx, agentId);
  const { organizationId } = ctx.tenant;
  const removed = await findOr404(
    platform.models.agentTrusts
      .findOneAndUpdate(
        { _id, organizationId, agentId, deletedAt: null },
        { $set: { deletedAt: platform.clock.now() } },
        AFTER,
      )
      .lean<AgentTrustDocument>(),
  );
  forgetRuns(platform, organizationId);
  return toDeletedView(removed);
}

async function requireAgent({ platform: { models }, tenant }: Context, _id: string): Promise<void> {
  const { organizationId, workspaceId, agentIds } = tenant;
  const where = {
    organizationId,
    deletedAt: null,
    ...(workspaceId !== null && { workspaceId }),
    $and: [{ _id }, ...(agentIds === null ? [] : [{ _id: { $in: [...agentIds] } }])],
  };
  await findOr404(models.agents.exists(where));
}

const toView = ({ publicUrl }: Platform, trust: AgentTrustDocument): TrustView => ({
  ...trust,
  audience: trust.audience ?? publicUrl,
  claims: Object.fromEntries(trust.claims),
});

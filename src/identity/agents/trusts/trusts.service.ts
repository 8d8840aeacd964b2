// The trusts of agents: by the tokens of which issuers a workload may act as an agent.
import type { Platform } from '../../../platform/platform.ts';
import type { Tenant, User } from '../../../domain/identity/tenant.ts';
import { AppError } from '../../../errors.ts';
import {
  AFTER,
  type DeletedView,
  findOr404,
  insertOne,
  requireFewer,
  toDeletedView,
} from '../../../platform/mongo/queries.ts';
import type { MembershipService } from '../../organization/memberships/memberships.service.ts';
import type { RunTokenService } from './run-tokens.service.ts';
import type { AgentTrustDocument } from './trusts.model.ts';
import type { TrustInput, TrustView } from './trusts.schemas.ts';

interface Deps {
  memberships: MembershipService;
  runTokens: RunTokenService;
}

/** Trusts of one agent. */
const MAX_TRUSTS = 20;

export function createTrustService(
  platform: Pick<Platform, 'models' | 'clock' | 'http' | 'publicUrl'>,
  { memberships, runTokens }: Deps,
) {
  const { models, clock, http, publicUrl } = platform;

  async function requireAgent(tenant: Tenant, _id: string): Promise<void> {
    const { organizationId, workspaceId, agentIds } = tenant;
    const where = {
      organizationId,
      deletedAt: null,
      ...(workspaceId !== null && { workspaceId }),
      $and: [{ _id }, ...(agentIds === null ? [] : [{ _id: { $in: [...agentIds] } }])],
    };
    await findOr404(models.agents.exists(where));
  }

  const toView = (trust: AgentTrustDocument): TrustView => ({
    ...trust,
    audience: trust.audience ?? publicUrl,
    claims: Object.fromEntries(trust.claims),
  });

  return {
    /** @throws AppError `NOT_FOUND` */
    async listTrusts(tenant: Tenant, agentId: string): Promise<TrustView[]> {
      await requireAgent(tenant, agentId);
      const { organizationId } = tenant;
      const found = await models.agentTrusts
        .find({ organizationId, agentId, deletedAt: null })
        .sort({ createdAt: -1, _id: -1 })
        .lean<AgentTrustDocument[]>();
      return found.map(toView);
    },

    /**
     * Checks the issuer whose keys are to be asked for. Call it before the transaction: it looks up a host.
     * @throws AppError `SSRF_BLOCKED`
     */
    async checkIssuer({ issuer, jwks }: TrustInput): Promise<void> {
      if (jwks) return;
      if (!URL.canParse(issuer) || new URL(issuer).search !== '')
        throw new AppError(
          'VALIDATION_ERROR',
          'issuer: must be an address without a query, where `jwks` does not give its keys',
        );
      await http.check(issuer);
    },

    /** @throws AppError `NOT_FOUND`, `INVALID_OPERATION` past the number of trusts */
    async create(
      { tenant, user: { userId } }: { tenant: Tenant; user: User },
      agentId: string,
      input: TrustInput,
    ): Promise<TrustView> {
      await requireAgent(tenant, agentId);
      const { organizationId } = tenant;
      await memberships.lockOrganization(organizationId);
      const live = models.agentTrusts.countDocuments({ organizationId, agentId, deletedAt: null });
      await requireFewer(live, MAX_TRUSTS, `An agent has at most ${MAX_TRUSTS} trusts`);
      const { issuer, subject, claims = {}, audience = null, jwks = null, once } = input;
      const { maxAgeSeconds = null, grant = null } = input;
      const made = await insertOne(models.agentTrusts, {
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
      return toView(made);
    },

    /** Ends a trust, and its run tokens at once; it is kept, since decisions name it. @throws AppError `NOT_FOUND` */
    async remove(
      tenant: Tenant,
      { id: agentId, trustId: _id }: { id: string; trustId: string },
    ): Promise<DeletedView<AgentTrustDocument['_id']>> {
      await requireAgent(tenant, agentId);
      const { organizationId } = tenant;
      const removed = await findOr404(
        models.agentTrusts
          .findOneAndUpdate(
            { _id, organizationId, agentId, deletedAt: null },
            { $set: { deletedAt: clock.now() } },
            AFTER,
          )
          .lean<AgentTrustDocument>(),
      );
      runTokens.forget(organizationId);
      return toDeletedView(removed);
    },
  };
}
export type TrustService = ReturnType<typeof createTrustService>;

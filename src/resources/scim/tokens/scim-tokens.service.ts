// SCIM tokens: minted by the organisation, presented by its identity provider (document 1, section 5).
import type { Platform } from '../../../composition/platform.ts';
import { hashKey } from '../../../domain/identity/key-hash.ts';
import type { Caller, Tenant } from '../../../domain/identity/tenant.ts';
import { AppError } from '../../../errors.ts';
import type { OrganizationService } from '../../organization/organization.service.ts';
import type { ScimTokenDocument } from './scim-tokens.model.ts';

type Deps = Pick<Platform, 'models' | 'randomHex'> & {
  organizations: OrganizationService;
};

const TOKEN = /^scim_[0-9a-f]{48}$/;

export function createScimTokenService({ models, organizations, randomHex }: Deps) {
  return {
    /** Replaces the organisation's token: the old one is void at once. The raw token is in this answer only. */
    async mint({ organizationId }: Tenant) {
      const token = `scim_${randomHex(24)}`;
      await models.scimTokens.deleteMany({ organizationId });
      const [made] = await models.scimTokens.create([
        { organizationId, tokenHash: hashKey(token) },
      ]);
      if (!made) throw new AppError('INTERNAL_ERROR');
      return { _id: made._id, token, createdAt: made.createdAt };
    },

    /** @throws AppError `NO_TOKEN`, `TOKEN_REVOKED` for an unknown or replaced one */
    async authenticate(token: string | null): Promise<Caller> {
      if (token === null) throw new AppError('NO_TOKEN');
      const found = TOKEN.test(token)
        ? await models.scimTokens
            .findOne({ tokenHash: hashKey(token) }, null, { crossTenant: true })
            .lean<ScimTokenDocument>()
        : null;
      if (!found)
        throw new AppError('TOKEN_REVOKED', 'The SCIM token is unknown or has been replaced');
      const organizationId = found.organizationId.toHexString();
      const { plan, defaultWorkspaceId } = await organizations.context(organizationId);
      const actor = { kind: 'system', id: null } as const;
      return {
        role: 'member',
        tenant: {
          organizationId,
          workspaceId: null,
          defaultWorkspaceId,
          plan,
          actor,
          agentIds: null,
        },
        scimTokenId: found._id.toHexString(),
      };
    },
  };
}
export type ScimTokenService = ReturnType<typeof createScimTokenService>;

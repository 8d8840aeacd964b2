// SCIM tokens: minted by the organisation, presented by its identity provider (document 1, section 5).
import type { Platform } from '../../../platform/platform.ts';
import { hashKey } from '../../../domain/identity/key-hash.ts';
import type { Caller } from '../../../domain/identity/tenant.ts';
import { AppError } from '../../../errors.ts';
import { insertOne } from '../../../platform/mongo/queries.ts';
import { getOrganizationContext } from '../../organization/organization.service.ts';
import type { ScimTokenDocument } from './scim-tokens.model.ts';
import type { Context } from '../../../platform/context.ts';

/** The raw token, which is not stored. */
export interface MintedScimToken extends Pick<ScimTokenDocument, '_id' | 'createdAt'> {
  token: string;
}

const TOKEN = /^scim_[0-9a-f]{48}$/;
const TOKEN_BYTES = 24;

/** Replaces the organisation's token; the old one stops working at once. */
export async function mintScimToken({
  platform: { generateHex, models },
  tenant: { organizationId },
}: Context): Promise<MintedScimToken> {
  const token = `scim_${generateHex(TOKEN_BYTES)}`;
  await models.scimTokens.deleteMany({ organizationId });
  const row = { organizationId, tokenHash: hashKey(token) };
  const { _id, createdAt } = await insertOne(models.scimTokens, row);
  return { _id, token, createdAt };
}

/** @throws AppError `NO_TOKEN`, `TOKEN_REVOKED` for an unknown or replaced one */
export async function authenticateDirectory(
  platform: Platform,
  token: string | null,
): Promise<Caller> {
  if (token === null) throw new AppError('NO_TOKEN');
  const found = await findToken(platform, token);
  if (!found) throw new AppError('TOKEN_REVOKED', 'SCIM token is unknown or was replaced');
  const organizationId = found.organizationId.toHexString();
  const { plan, defaultWorkspaceId } = await getOrganizationContext(platform, organizationId);
  return {
    role: 'member',
    tenant: {
      organizationId,
      workspaceId: null,
      defaultWorkspaceId,
      plan,
      actor: { kind: 'system', id: null },
      agentIds: null,
    },
    scimTokenId: found._id.toHexString(),
  };
}

function findToken({ models }: Platform, token: string): Promise<ScimTokenDocument | null> {
  if (!TOKEN.test(token)) return Promise.resolve(null);
  return models.scimTokens
    .findOne({ tokenHash: hashKey(token) }, null, { crossTenant: true })
    .lean<ScimTokenDocument>();
}

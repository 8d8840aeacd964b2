// Finds the organisation that has verified the domain of an e-mail address.
import { toEmailDomain } from '../../../domain/identity/addresses/email-address.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { SsoDomainDocument } from './sso-domains.model.ts';

const VERIFIED = { verifiedAt: { $type: 'date' } } as const;

/** Null: no organisation has verified the domain of the address. */
export async function findDomainOwner({ models }: Platform, email: string): Promise<string | null> {
  const domain = toEmailDomain(email);
  if (domain === null) return null;
  const owner = await models.ssoDomains
    .findOne({ domain, ...VERIFIED }, null, { crossTenant: true })
    .lean<SsoDomainDocument>();
  return owner?.organizationId.toHexString() ?? null;
}

/** Whether the organisation has verified the domain of the address. */
export async function hasVerifiedDomain(
  { models }: Platform,
  organizationId: string,
  email: string,
): Promise<boolean> {
  const domain = toEmailDomain(email);
  if (domain === null) return false;
  return (await models.ssoDomains.exists({ organizationId, domain, ...VERIFIED })) !== null;
}

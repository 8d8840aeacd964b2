// Which organisation has verified the domain of an e-mail address.
import type { Platform } from '../../../composition/platform.ts';
import type { SsoDomainDocument } from './sso-domains.model.ts';

const VERIFIED = { verifiedAt: { $type: 'date' } } as const;

export function createVerifiedDomainService({ models }: Pick<Platform, 'models'>) {
  return {
    /** Null: no organisation has verified the domain of the address. */
    async organizationOf(email: string): Promise<string | null> {
      const domain = domainOf(email);
      if (domain === null) return null;
      const owner = await models.ssoDomains
        .findOne({ domain, ...VERIFIED }, null, { crossTenant: true })
        .lean<SsoDomainDocument>();
      return owner?.organizationId.toHexString() ?? null;
    },

    /** Whether the organisation has verified the domain of the address. */
    async covers(organizationId: string, email: string): Promise<boolean> {
      const domain = domainOf(email);
      if (domain === null) return false;
      return (await models.ssoDomains.exists({ organizationId, domain, ...VERIFIED })) !== null;
    },
  };
}
export type VerifiedDomainService = ReturnType<typeof createVerifiedDomainService>;

/** The part behind the at-sign, lower-cased; null where there is none. */
function domainOf(email: string): string | null {
  const at = email.lastIndexOf('@');
  return at < 1 ? null : email.slice(at + 1).toLowerCase() || null;
}

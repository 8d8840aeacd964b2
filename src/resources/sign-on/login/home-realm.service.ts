// Home-realm discovery: the domain of an e-mail address leads to an organisation, its settings to a protocol (document 1, section 4.1).
import type { Platform } from '../../../composition/platform.ts';
import { allowedRedirect } from '../../../domain/identity/redirect-allow-list.ts';
import { AppError } from '../../../errors.ts';
import type { AuditService } from '../../audit/audit.service.ts';
import type { Origin } from '../../auth/sessions/sessions.service.ts';
import type { VerifiedDomainService } from '../../organization/sso-domains/verified-domains.service.ts';
import type {
  ActiveSso,
  ActiveSsoService,
} from '../../organization/sso-settings/active-sso.service.ts';
import type { Cookie } from './login-requests.service.ts';
import { refusalEntry } from './refusals.ts';

type Protocol = ActiveSso['provider'];

/** Where the browser goes, and the cookie that it comes back with. */
export interface LoginRedirection {
  location: string;
  cookies: Cookie[];
}

/** Begins a login by one protocol. */
export interface LoginStarter {
  begin(settings: ActiveSso, returnTo: string): Promise<LoginRedirection>;
}

type Deps = Pick<Platform, 'redirectAllowList'> & {
  activeSso: ActiveSsoService;
  verifiedDomains: VerifiedDomainService;
  starters: Record<Protocol, LoginStarter>;
  audit: AuditService;
};

/** Whose sign-on: that of the organisation, or of the domain of an address. */
export interface HomeRealmQuery {
  organizationId?: string | undefined;
  email?: string | undefined;
  returnTo?: string | undefined;
  /** Absent: whichever the organisation has configured. */
  protocol?: Protocol;
}

export interface InitiatedLogin {
  organizationId: string;
  provider: Protocol;
  /** Of the identity provider. */
  redirectUrl: string;
  cookies: Cookie[];
}

export function createHomeRealmService(deps: Deps) {
  const { activeSso, verifiedDomains, starters, audit, redirectAllowList } = deps;

  function realmOf({ organizationId, email = '' }: HomeRealmQuery): Promise<string | null> {
    if (organizationId !== undefined) return Promise.resolve(organizationId);
    return verifiedDomains.organizationOf(email);
  }

  async function begin(
    organizationId: string,
    { protocol }: HomeRealmQuery,
    returnTo: string,
  ): Promise<InitiatedLogin> {
    const settings = await activeSso.of(organizationId);
    const { provider } = settings;
    if (protocol !== undefined && protocol !== provider)
      throw new AppError('NOT_FOUND', 'SSO is not configured');
    const { location, cookies } = await starters[provider].begin(settings, returnTo);
    return { organizationId, provider, redirectUrl: location, cookies };
  }

  return {
    /**
     * Only the domain of an address is looked at: whether it has an account plays no part.
     * @throws AppError `NOT_FOUND`, `UPGRADE_REQUIRED`, `VALIDATION_ERROR`, `IDENTITY_PROVIDER_UNAVAILABLE`
     */
    async initiate(query: HomeRealmQuery, origin: Origin): Promise<InitiatedLogin> {
      const returnTo = allowedRedirect(redirectAllowList, query.returnTo);
      if (returnTo === null)
        throw new AppError('VALIDATION_ERROR', 'returnTo: not on the redirect allow-list');
      const organizationId = await realmOf(query);
      if (organizationId === null) throw new AppError('NOT_FOUND', 'SSO is not configured');
      try {
        return await begin(organizationId, query, returnTo);
      } catch (error) {
        if (error instanceof AppError) {
          const metadata = query.email === undefined ? {} : { email: query.email };
          const refusal = { organizationId, action: 'auth.sso.initiate', error, metadata } as const;
          await audit.write(refusalEntry(refusal, origin));
        }
        throw error;
      }
    },
  };
}
export type HomeRealmService = ReturnType<typeof createHomeRealmService>;

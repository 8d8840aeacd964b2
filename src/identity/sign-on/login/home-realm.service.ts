// Home-realm discovery: from the domain of an address to an organisation and its protocol (document 1, section 4.1).
import type { Platform } from '../../../platform/platform.ts';
import { AppError } from '../../../errors.ts';
import type { AuditService } from '../../audit/audit.service.ts';
import type { Origin } from '../../auth/sessions/sessions.service.ts';
import type { VerifiedDomainService } from '../../organization/sso-domains/verified-domains.service.ts';
import type {
  ActiveSso,
  ActiveSsoService,
} from '../../organization/sso-settings/active-sso.service.ts';
import type { EntryBudget } from './entry-budget.ts';
import type { Cookie } from './login-requests.service.ts';
import { toRefusalEntry } from './refusals.ts';
import { resolveReturnAddress } from './return-address.ts';

type Protocol = ActiveSso['provider'];

/** The redirect of the browser, and the cookie that it must return with. */
export interface LoginRedirection {
  location: string;
  cookies: Cookie[];
}

/** The end of a login, and the trial that it belongs to. */
export interface LoginStart {
  returnTo: string;
  testId?: string;
}

/** Begins a login by one protocol. */
export interface LoginStarter {
  begin(settings: ActiveSso, start: LoginStart): Promise<LoginRedirection>;
}

interface Deps {
  activeSso: ActiveSsoService;
  verifiedDomains: VerifiedDomainService;
  starters: Record<Protocol, LoginStarter>;
  audit: AuditService;
  budget: EntryBudget;
}

/** Names the organisation, or an address of its domain. */
export interface HomeRealmQuery {
  organizationId?: string | undefined;
  email?: string | undefined;
  returnTo?: string | undefined;
  /** Absent: the protocol that the organisation has configured. */
  protocol?: Protocol;
}

export interface InitiatedLogin {
  organizationId: string;
  provider: Protocol;
  /** URL of the identity provider. */
  redirectUrl: string;
  cookies: Cookie[];
}

interface NotedLogin extends InitiatedLogin {
  /** Whether the start is audited: once an hour per network address. */
  isNoted: boolean;
}

const START = 'auth.sso.initiate';

export function createHomeRealmService(platform: Pick<Platform, 'redirectAllowList'>, deps: Deps) {
  const { redirectAllowList } = platform;
  const { activeSso, verifiedDomains, starters, audit, budget } = deps;

  function resolveOrganization({
    organizationId,
    email = '',
  }: HomeRealmQuery): Promise<string | null> {
    if (organizationId !== undefined) return Promise.resolve(organizationId);
    return verifiedDomains.findOrganizationId(email);
  }

  async function begin(
    organizationId: string,
    { protocol }: HomeRealmQuery,
    returnTo: string,
  ): Promise<InitiatedLogin> {
    const settings = await activeSso.loadActiveSso(organizationId);
    const { provider } = settings;
    if (protocol !== undefined && protocol !== provider)
      throw new AppError('NOT_FOUND', 'SSO is not configured');
    const { location, cookies } = await starters[provider].begin(settings, { returnTo });
    return { organizationId, provider, redirectUrl: location, cookies };
  }

  /**
   * Audits a refusal once an hour, because any caller can cause it; only in organisations with a sign-on or verified
   * domain.
   */
  async function noteRefusal(
    organizationId: string,
    { query, error }: { query: HomeRealmQuery; error: AppError },
    origin: Origin,
  ): Promise<void> {
    const kind = { organizationId, ip: origin.ip, kind: `${START} ${error.code}` };
    const concerns = query.email !== undefined || (await activeSso.isConfigured(organizationId));
    if (!concerns || !budget.takeEntry(kind, 1)) return;
    const metadata = query.email === undefined ? {} : { email: query.email };
    await audit.write(toRefusalEntry({ organizationId, action: START, error, metadata }, origin));
  }

  return {
    /**
     * Uses only the domain of an address, whether or not it has an account.
     * @throws AppError `NOT_FOUND`, `UPGRADE_REQUIRED`, `VALIDATION_ERROR`, `IDENTITY_PROVIDER_UNAVAILABLE`
     */
    async beginSignOn(query: HomeRealmQuery, origin: Origin): Promise<NotedLogin> {
      const returnTo = resolveReturnAddress(redirectAllowList, query.returnTo);
      const organizationId = await resolveOrganization(query);
      if (organizationId === null) throw new AppError('NOT_FOUND', 'SSO is not configured');
      try {
        const begun = await begin(organizationId, query, returnTo);
        const kind = { organizationId, ip: origin.ip, kind: START };
        return { ...begun, isNoted: budget.takeEntry(kind, 1) };
      } catch (error) {
        if (error instanceof AppError) await noteRefusal(organizationId, { query, error }, origin);
        throw error;
      }
    },
  };
}
export type HomeRealmService = ReturnType<typeof createHomeRealmService>;

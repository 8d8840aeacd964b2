// Home-realm discovery: the domain of an e-mail address leads to an organisation, its settings to a protocol (document 1, section 4.1).
import type { Platform } from '../../../composition/platform.ts';
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
import { refusalEntry } from './refusals.ts';
import { returnAddress } from './return-address.ts';

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
  budget: EntryBudget;
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

interface NotedLogin extends InitiatedLogin {
  /** Whether the audit log takes note: of starts from one address once an hour. */
  isNoted: boolean;
}

const START = 'auth.sso.initiate';

export function createHomeRealmService(deps: Deps) {
  const { activeSso, verifiedDomains, starters, audit, budget, redirectAllowList } = deps;

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

  /** Of what anybody can do, one entry an hour is enough; whoever has neither a sign-on nor proved a domain has nothing to read. */
  async function noteRefusal(
    organizationId: string,
    { query, error }: { query: HomeRealmQuery; error: AppError },
    origin: Origin,
  ): Promise<void> {
    const kind = { organizationId, ip: origin.ip, kind: `${START} ${error.code}` };
    const concerns = query.email !== undefined || (await activeSso.isConfigured(organizationId));
    if (!concerns || !budget.take(kind, 1)) return;
    const metadata = query.email === undefined ? {} : { email: query.email };
    await audit.write(refusalEntry({ organizationId, action: START, error, metadata }, origin));
  }

  return {
    /**
     * Only the domain of an address is looked at: whether it has an account plays no part.
     * @throws AppError `NOT_FOUND`, `UPGRADE_REQUIRED`, `VALIDATION_ERROR`, `IDENTITY_PROVIDER_UNAVAILABLE`
     */
    async initiate(query: HomeRealmQuery, origin: Origin): Promise<NotedLogin> {
      const returnTo = returnAddress(redirectAllowList, query.returnTo);
      const organizationId = await realmOf(query);
      if (organizationId === null) throw new AppError('NOT_FOUND', 'SSO is not configured');
      try {
        const begun = await begin(organizationId, query, returnTo);
        const kind = { organizationId, ip: origin.ip, kind: START };
        return { ...begun, isNoted: budget.take(kind, 1) };
      } catch (error) {
        if (error instanceof AppError) await noteRefusal(organizationId, { query, error }, origin);
        throw error;
      }
    },
  };
}
export type HomeRealmService = ReturnType<typeof createHomeRealmService>;

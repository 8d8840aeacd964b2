// Home-realm discovery: from the domain of an address to an organisation and its protocol (document 1, section 4.1).
import { startLogin } from '../start-login.service.ts';
import type { Platform } from '../../../platform/platform.ts';
import { AppError } from '../../../errors.ts';
import { writeAudit } from '../../audit/audit.service.ts';
import type { Origin } from '../../auth/sessions/sessions.service.ts';
import { findDomainOwner } from '../../organization/sso-domains/verified-domains.service.ts';
import {
  type ActiveSso,
  isSsoConfigured,
  loadActiveSso,
} from '../../organization/sso-settings/active-sso.service.ts';
import { takeAuditEntry } from './entry-budget.ts';
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

/**
 * Uses only the domain of an address, whether or not it has an account.
 * @throws AppError `NOT_FOUND`, `UPGRADE_REQUIRED`, `VALIDATION_ERROR`, `IDENTITY_PROVIDER_UNAVAILABLE`
 */
export async function beginSignOn(
  platform: Platform,
  query: HomeRealmQuery,
  origin: Origin,
): Promise<NotedLogin> {
  const returnTo = resolveReturnAddress(platform.redirectAllowList, query.returnTo);
  const organizationId = await resolveOrganization(platform, query);
  if (organizationId === null) throw new AppError('NOT_FOUND', 'SSO is not configured');
  try {
    const begun = await begin(platform, organizationId, query, returnTo);
    const kind = { organizationId, ip: origin.ip, kind: START };
    return { ...begun, isNoted: takeAuditEntry(platform, kind, 1) };
  } catch (error) {
    if (error instanceof AppError)
      await noteRefusal(platform, organizationId, { query, error }, origin);
    throw error;
  }
}

function resolveOrganization(
  platform: Platform,
  { organizationId, email = '' }: HomeRealmQuery,
): Promise<string | null> {
  if (organizationId !== undefined) return Promise.resolve(organizationId);
  return findDomainOwner(platform, email);
}

async function begin(
  platform: Platform,
  organizationId: string,
  { protocol }: HomeRealmQuery,
  returnTo: string,
): Promise<InitiatedLogin> {
  const settings = await loadActiveSso(platform, organizationId);
  const { provider } = settings;
  if (protocol !== undefined && protocol !== provider)
    throw new AppError('NOT_FOUND', 'SSO is not configured');
  const { location, cookies } = await startLogin(platform, settings, { returnTo });
  return { organizationId, provider, redirectUrl: location, cookies };
}

/**
 * Audits a refusal once an hour, because any caller can cause it; only in organisations with a sign-on or verified
 * domain.
 */
async function noteRefusal(
  platform: Platform,
  organizationId: string,
  { query, error }: { query: HomeRealmQuery; error: AppError },
  origin: Origin,
): Promise<void> {
  const kind = { organizationId, ip: origin.ip, kind: `${START} ${error.code}` };
  const concerns = query.email !== undefined || (await isSsoConfigured(platform, organizationId));
  if (!concerns || !takeAuditEntry(platform, kind, 1)) return;
  const metadata = query.email === undefined ? {} : { email: query.email };
  await writeAudit(
    platform,
    toRefusalEntry({ organizationId, action: START, error, metadata }, origin),
  );
}

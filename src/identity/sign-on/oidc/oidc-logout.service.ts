// Logout with an organisation's OpenID provider: begun here in the browser, or by the provider over the back channel.
import type { Platform } from '../../../platform/platform.ts';
import { AppError } from '../../../errors.ts';
import {
  type Claims,
  type OpenIdProvider,
  openIdentityProviders,
} from '../../../platform/outbound/identity-providers.ts';
import type { NamedSessions, Origin } from '../../auth/sessions/sessions.service.ts';
import type { OidcSettings } from '../../organization/organization.model.ts';
import { loadActiveSso } from '../../organization/sso-settings/active-sso.service.ts';
import {
  type CompletedLogin,
  failLogin,
  recordRefusal,
} from '../login/login-completion.service.ts';
import {
  type Cookie,
  type CookieReader,
  type LoginRequestState,
  beginLogin,
  finishLogin,
} from '../login/login-requests.service.ts';
import { type LogoutEntry, endProviderSessions } from '../login/provider-logout.service.ts';
import { resolveReturnAddress } from '../login/return-address.ts';
import { useMessageOnce } from '../login/used-messages.service.ts';
import { requireOidc } from './oidc.service.ts';
import { findSession, logOutEverywhere } from '../../auth/sessions/open-sessions.service.ts';
import type { UserContext } from '../../../platform/context.ts';

interface OidcLogoutRequest extends LoginRequestState {
  organizationId: string;
}

/** The provider of a session that is still the organisation's. */
export interface SessionProvider {
  provider: OpenIdProvider;
  /** The name of the person at the provider. */
  subject: string;
}

/** A logout that was begun here. */
interface InitiatedLogout {
  revoked: number;
  /** URL of the provider; null: it has no logout endpoint. */
  redirectUrl: string | null;
  cookies: Cookie[];
}

const METHOD = 'oidc';
const MAX_ID = 255;

/**
 * Finds the provider of the caller's session. Call it before a transaction, since it may send requests. Null: the
 * session was opened otherwise, or the provider has changed or cannot be reached.
 */
export async function findSessionProvider({
  platform,
  tenant: { organizationId },
  user: { jti },
}: UserContext): Promise<SessionProvider | null> {
  const { signOn } = await findSession(platform, jti);
  if (signOn?.protocol !== METHOD) return null;
  try {
    const oidc = requireOidc(await loadActiveSso(platform, organizationId));
    if (oidc.issuer !== signOn.issuer) return null;
    return {
      provider: await openIdentityProviders(platform).connectOpenId(oidc),
      subject: signOn.subject,
    };
  } catch (error) {
    if (error instanceof AppError && error.http < 500) return null;
    throw error;
  }
}

/** Ends the caller's session and all others of its sign-on; returns the logout URL of the provider. */
export async function beginOidcLogout(
  ctx: UserContext,
  { provider, subject: hint }: SessionProvider,
  wanted: string | undefined,
): Promise<InitiatedLogout> {
  const { platform, tenant } = ctx;
  const returnTo = resolveReturnAddress(platform.redirectAllowList, wanted);
  const { revoked } = await logOutEverywhere(ctx);
  const { organizationId } = tenant;
  const request = { returnTo, organizationId };
  const { state, cookie } = await beginLogin<OidcLogoutRequest>(platform, 'oidc-logout', request);
  const redirectUrl = provider.buildLogoutUrl({
    redirectUri: `${platform.publicUrl}/api/v1/auth/sso/logout/callback`,
    state,
    hint,
  });
  return { revoked, redirectUrl, cookies: redirectUrl === null ? [] : [cookie] };
}

/** Handles the return of the browser from the provider's logout. */
export async function finishOidcLogout(
  platform: Platform,
  state: string,
  origin: Origin & { cookie: CookieReader },
): Promise<Omit<CompletedLogin, 'signIn'>> {
  try {
    const { cookie } = origin;
    const { request, spent } = await finishLogin(platform, 'oidc-logout', { state, cookie });
    return { location: request.returnTo, cookies: [spent] };
  } catch (error) {
    const context = { method: METHOD, organizationId: null, spent: [] };
    return failLogin(platform, context, { origin, error });
  }
}

/**
 * Handles the notification of a provider that sessions have ended there.
 * @throws AppError `NOT_FOUND`, `UPGRADE_REQUIRED`, `IDENTITY_PROVIDER_UNAVAILABLE`, `INVALID_TOKEN` for any error
 * of the token
 */
export async function acceptLogoutToken(
  platform: Platform,
  { organizationId, token }: { organizationId: string; token: string },
  origin: Origin,
): Promise<LogoutEntry> {
  try {
    const named = await verifyToken(platform, organizationId, token);
    return await endProviderSessions(platform, organizationId, named);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'TOKEN_VERIFICATION_FAILED') throw error;
    await recordRefusal(platform, { method: METHOD, organizationId }, { origin, error });
    throw new AppError('INVALID_TOKEN', 'Logout token is not accepted', { cause: error });
  }
}

async function verifyToken(
  platform: Platform,
  organizationId: string,
  token: string,
): Promise<NamedSessions> {
  const oidc = requireOidc(await loadActiveSso(platform, organizationId));
  const provider = await openIdentityProviders(platform).connectOpenId(oidc);
  const { id, claims } = await provider.verifyLogoutToken(token);
  await useMessageOnce(platform, organizationId, { issuer: oidc.issuer, id: `jti ${id}` });
  return toNamedSessions(claims, oidc);
}

/** Returns the sessions that a logout token names, by the organisation's subject claim, which need not be `sub`. */
function toNamedSessions(claims: Claims, { issuer, subjectClaim }: OidcSettings): NamedSessions {
  const subject = readTextClaim(claims[subjectClaim]);
  const session = readTextClaim(claims.sid);
  if (subject === null && session === null)
    throw new AppError('TOKEN_VERIFICATION_FAILED', 'Logout token names no person and no session');
  return { protocol: METHOD, issuer, subject, sessionIndexes: session === null ? [] : [session] };
}

const readTextClaim = (claim: unknown): string | null =>
  typeof claim === 'string' && claim !== '' && claim.length <= MAX_ID ? claim : null;

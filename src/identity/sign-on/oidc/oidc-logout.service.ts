// Logout with an organisation's OpenID provider: begun here in the browser, or by the provider over the back channel.
import type { Platform } from '../../../platform/platform.ts';
import type { Tenant, User } from '../../../domain/identity/tenant.ts';
import { AppError } from '../../../errors.ts';
import type {
  Claims,
  IdentityProviders,
  OpenIdProvider,
} from '../../../platform/outbound/identity-providers.ts';
import type {
  NamedSessions,
  Origin,
  SessionService,
} from '../../auth/sessions/sessions.service.ts';
import type { OidcSettings } from '../../organization/organization.model.ts';
import type { ActiveSsoService } from '../../organization/sso-settings/active-sso.service.ts';
import type { CompletedLogin, LoginCompletionService } from '../login/login-completion.service.ts';
import type {
  Cookie,
  CookieReader,
  LoginRequestService,
  LoginRequestState,
} from '../login/login-requests.service.ts';
import type { LogoutEntry, ProviderLogoutService } from '../login/provider-logout.service.ts';
import { resolveReturnAddress } from '../login/return-address.ts';
import type { UsedMessageService } from '../login/used-messages.service.ts';
import { requireOidc } from './oidc.service.ts';

interface Deps {
  providers: IdentityProviders;
  loginRequests: LoginRequestService;
  loginCompletion: LoginCompletionService;
  activeSso: ActiveSsoService;
  sessions: SessionService;
  providerLogout: ProviderLogoutService;
  messages: UsedMessageService;
}

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

export function createOidcLogoutService(
  platform: Pick<Platform, 'redirectAllowList' | 'publicUrl'>,
  deps: Deps,
) {
  const { providers, loginRequests, loginCompletion, activeSso, sessions } = deps;
  const redirectUri = `${platform.publicUrl}/api/v1/auth/sso/logout/callback`;

  async function verifyToken(organizationId: string, token: string): Promise<NamedSessions> {
    const oidc = requireOidc(await activeSso.loadActiveSso(organizationId));
    const provider = await providers.connectOpenId(oidc);
    const { id, claims } = await provider.verifyLogoutToken(token);
    await deps.messages.useOnce(organizationId, oidc.issuer, `jti ${id}`);
    return toNamedSessions(claims, oidc);
  }

  return {
    /**
     * Finds the provider of the caller's session. Call it before a transaction, since it may send requests. Null: the
     * session was opened otherwise, or the provider has changed or cannot be reached.
     */
    async findProvider({ organizationId }: Tenant, { jti }: User): Promise<SessionProvider | null> {
      const { signOn } = await sessions.findSession(jti);
      if (signOn?.protocol !== METHOD) return null;
      try {
        const oidc = requireOidc(await activeSso.loadActiveSso(organizationId));
        if (oidc.issuer !== signOn.issuer) return null;
        return { provider: await providers.connectOpenId(oidc), subject: signOn.subject };
      } catch (error) {
        if (error instanceof AppError && error.http < 500) return null;
        throw error;
      }
    },

    /** Ends the caller's session and all others of its sign-on; returns the logout URL of the provider. */
    async beginLogout(
      { tenant, user }: { tenant: Tenant; user: User },
      { provider, subject: hint }: SessionProvider,
      wanted: string | undefined,
    ): Promise<InitiatedLogout> {
      const returnTo = resolveReturnAddress(platform.redirectAllowList, wanted);
      const { revoked } = await sessions.logoutEverywhere(tenant, user);
      const { organizationId } = tenant;
      const request = { returnTo, organizationId };
      const { state, cookie } = await loginRequests.begin<OidcLogoutRequest>(
        'oidc-logout',
        request,
      );
      const redirectUrl = provider.buildLogoutUrl({ redirectUri, state, hint });
      return { revoked, redirectUrl, cookies: redirectUrl === null ? [] : [cookie] };
    },

    /** Handles the return of the browser from the provider's logout. */
    async finish(
      state: string,
      origin: Origin & { cookie: CookieReader },
    ): Promise<Omit<CompletedLogin, 'signIn'>> {
      try {
        const { cookie } = origin;
        const { request, spent } = await loginRequests.finish('oidc-logout', state, cookie);
        return { location: request.returnTo, cookies: [spent] };
      } catch (error) {
        const context = { method: METHOD, organizationId: null, spent: [] };
        return loginCompletion.failLogin(context, origin, error);
      }
    },

    /**
     * Handles the notification of a provider that sessions have ended there.
     * @throws AppError `NOT_FOUND`, `UPGRADE_REQUIRED`, `IDENTITY_PROVIDER_UNAVAILABLE`, `INVALID_TOKEN` for any error
     * of the token
     */
    async acceptLogoutToken(
      organizationId: string,
      token: string,
      origin: Origin,
    ): Promise<LogoutEntry> {
      try {
        const named = await verifyToken(organizationId, token);
        return await deps.providerLogout.endSessions(organizationId, named);
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'TOKEN_VERIFICATION_FAILED') throw error;
        await loginCompletion.recordRefusal({ method: METHOD, organizationId }, origin, error);
        throw new AppError('INVALID_TOKEN', 'Logout token is not accepted', { cause: error });
      }
    },
  };
}
export type OidcLogoutService = ReturnType<typeof createOidcLogoutService>;

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

// Single logout by SAML 2.0, begun here or at the identity provider (document 1, section 4.1).
import {
  type LogoutMessage,
  createLogoutRequest,
  createLogoutResponse,
  type SamlRedirect,
} from '@assay/saml';
import type { Platform } from '../../../platform/platform.ts';
import type { Tenant, User } from '../../../domain/identity/tenant.ts';
import type { SamlEndpoints } from '../../../domain/sign-on/saml-endpoints.ts';
import { AppError } from '../../../errors.ts';
import type { Origin, SessionService } from '../../auth/sessions/sessions.service.ts';
import type { SamlSettings } from '../../organization/organization.model.ts';
import type { ActiveSsoService } from '../../organization/sso-settings/active-sso.service.ts';
import {
  toLoginContext,
  type LoginCompletionService,
  type LoginContext,
} from '../login/login-completion.service.ts';
import type { LogoutEntry, ProviderLogoutService } from '../login/provider-logout.service.ts';
import type {
  Cookie,
  CookieReader,
  LoginRequestService,
  LoginRequestState,
} from '../login/login-requests.service.ts';
import type {
  LogoutDelivery,
  ReceivedLogout,
  SamlLogoutReader,
} from './saml-logout-reader.service.ts';
import type { UsedMessageService } from '../login/used-messages.service.ts';
import { resolveReturnAddress } from '../login/return-address.ts';
import { requireSaml } from './saml.service.ts';

interface Deps {
  loginRequests: LoginRequestService;
  loginCompletion: LoginCompletionService;
  activeSso: ActiveSsoService;
  sessions: SessionService;
  providerLogout: ProviderLogoutService;
  messages: UsedMessageService;
  logoutReader: SamlLogoutReader;
  redirect: SamlRedirect;
  endpoints: SamlEndpoints;
}

interface SamlLogoutRequest extends LoginRequestState {
  organizationId: string;
  requestId: string;
}

type LogoutRequestMessage = Extract<LogoutMessage, { kind: 'request' }>;
type LogoutResponseMessage = Extract<LogoutMessage, { kind: 'response' }>;

/** The redirect and audit entries after a logout message. */
export interface CompletedLogout {
  location: string;
  cookies: Cookie[];
  audit: LogoutEntry[];
}

/** A logout that was begun here. */
export interface InitiatedLogout {
  revoked: number;
  /** URL of the identity provider; null: the session was not opened by SAML, or its provider has no single logout. */
  redirectUrl: string | null;
  cookies: Cookie[];
}

export function createSamlLogoutService(
  platform: Pick<Platform, 'redirectAllowList' | 'clock' | 'generateHex'>,
  deps: Deps,
) {
  const {
    loginRequests,
    loginCompletion,
    activeSso,
    sessions,
    messages,
    logoutReader,
    redirect,
    endpoints,
  } = deps;
  const { clock } = platform;

  const createEnvelope = (organizationId: string, destination: string) => ({
    id: `_${platform.generateHex(20)}`,
    issuer: endpoints.entityId(organizationId),
    destination,
    now: clock.now(),
  });

  /** Finds the settings of the provider that opened the session; null: the organisation has another provider now. */
  async function findProviderSettings(
    organizationId: string,
    issuer: string,
  ): Promise<SamlSettings | null> {
    try {
      const saml = requireSaml(await activeSso.loadActiveSso(organizationId));
      return saml.entityId === issuer ? saml : null;
    } catch (error) {
      if (error instanceof AppError && error.http < 500) return null;
      throw error;
    }
  }

  /** Handles a logout begun at the provider: ends the named sessions, and answers. */
  async function handleRequest(
    organizationId: string,
    { entityId: issuer, sloUrl }: SamlSettings,
    { message, relayState }: ReceivedLogout<LogoutRequestMessage>,
  ): Promise<CompletedLogout> {
    await messages.useOnce(organizationId, issuer, message.id);
    const { nameId: subject, sessionIndexes } = message;
    const named = { protocol: 'saml' as const, issuer, subject, sessionIndexes };
    const audit = [await deps.providerLogout.endSessions(organizationId, named)];
    if (sloUrl === null) return { location: platform.redirectAllowList[0], cookies: [], audit };
    const xml = createLogoutResponse(createEnvelope(organizationId, sloUrl), message.id);
    return {
      location: redirect.buildUrl(sloUrl, 'SAMLResponse', { xml, relayState }),
      cookies: [],
      audit,
    };
  }

  /** Handles the response to a logout begun here. */
  async function handleResponse(
    organizationId: string,
    { message, relayState }: ReceivedLogout<LogoutResponseMessage>,
    origin: Origin & { cookie: CookieReader },
  ): Promise<CompletedLogout> {
    const { cookie } = origin;
    const finished = await loginRequests.finish<SamlLogoutRequest>(
      'saml-logout',
      relayState,
      cookie,
    );
    const { request, spent } = finished;
    try {
      if (request.organizationId !== organizationId || request.requestId !== message.inResponseTo)
        throw new AppError('TOKEN_VERIFICATION_FAILED', 'Response belongs to another logout');
      if (!message.isSuccess)
        throw new AppError('INVALID_OPERATION', 'Identity provider did not end its session');
      return { location: request.returnTo, cookies: [spent], audit: [] };
    } catch (error) {
      return failLogout({ ...toLoginContext('saml', finished), organizationId }, origin, error);
    }
  }

  async function failLogout(
    context: LoginContext,
    origin: Origin,
    error: unknown,
  ): Promise<CompletedLogout> {
    const { location, cookies } = await loginCompletion.failLogin(context, origin, error);
    return { location, cookies, audit: [] };
  }

  return {
    /**
     * Ends the caller's session and all others of its sign-on, including those that a refresh has replaced; returns the
     * logout URL of the identity provider, null when there is none.
     */
    async beginLogout(
      tenant: Tenant,
      user: User,
      wanted: string | undefined,
    ): Promise<InitiatedLogout> {
      const returnTo = resolveReturnAddress(platform.redirectAllowList, wanted);
      const { revoked, signOn } = await sessions.logoutEverywhere(tenant, user);
      const { organizationId } = tenant;
      const saml =
        signOn?.protocol === 'saml'
          ? await findProviderSettings(organizationId, signOn.issuer)
          : null;
      if (!signOn || !saml || saml.sloUrl === null)
        return { revoked, redirectUrl: null, cookies: [] };
      const asking = createEnvelope(organizationId, saml.sloUrl);
      const { state, cookie } = await loginRequests.begin<SamlLogoutRequest>('saml-logout', {
        returnTo,
        organizationId,
        requestId: asking.id,
      });
      const message = { xml: createLogoutRequest(asking, signOn), relayState: state };
      const redirectUrl = redirect.buildUrl(saml.sloUrl, 'SAMLRequest', message);
      return { revoked, redirectUrl, cookies: [cookie] };
    },

    /**
     * Handles a logout message of the identity provider: the response to a logout begun here, or a request begun there.
     */
    async finish(
      organizationId: string,
      delivery: LogoutDelivery,
      origin: Origin & { cookie: CookieReader },
    ): Promise<CompletedLogout> {
      let context: LoginContext = { method: 'saml', organizationId: null, spent: [] };
      try {
        const saml = requireSaml(await activeSso.loadActiveSso(organizationId));
        context = { ...context, organizationId };
        const { message, relayState } = await logoutReader.readLogout(
          organizationId,
          saml,
          delivery,
        );
        if (message.kind === 'request')
          return await handleRequest(organizationId, saml, { message, relayState });
        return await handleResponse(organizationId, { message, relayState }, origin);
      } catch (error) {
        return failLogout(context, origin, error);
      }
    },
  };
}
export type SamlLogoutService = ReturnType<typeof createSamlLogoutService>;

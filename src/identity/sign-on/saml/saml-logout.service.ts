// Single logout by SAML 2.0, begun here or at the identity provider (document 1, section 4.1).
import { type LogoutMessage, createLogoutRequest, createLogoutResponse } from '@assay/saml';
import type { Platform } from '../../../platform/platform.ts';
import { createSamlEndpoints } from '../../../domain/sign-on/saml-endpoints.ts';
import { AppError } from '../../../errors.ts';
import type { Origin } from '../../auth/sessions/sessions.service.ts';
import type { SamlSettings } from '../../organization/organization.model.ts';
import { loadActiveSso } from '../../organization/sso-settings/active-sso.service.ts';
import { toLoginContext, type LoginContext, failLogin } from '../login/login-completion.service.ts';
import { type LogoutEntry, endProviderSessions } from '../login/provider-logout.service.ts';
import {
  type Cookie,
  type CookieReader,
  type LoginRequestState,
  beginLogin,
  finishLogin,
} from '../login/login-requests.service.ts';
import {
  type LogoutDelivery,
  type ReceivedLogout,
  readSamlLogout,
} from './saml-logout-reader.service.ts';
import { useMessageOnce } from '../login/used-messages.service.ts';
import { resolveReturnAddress } from '../login/return-address.ts';
import { requireSaml } from './saml.service.ts';
import { logOutEverywhere } from '../../auth/sessions/open-sessions.service.ts';
import type { UserContext } from '../../../platform/context.ts';
import { openSamlRedirect } from './saml-redirect.ts';

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

/**
 * Ends the caller's session and all others of its sign-on, including those that a refresh has replaced; returns the
 * logout URL of the identity provider, null when there is none.
 */
export async function beginSamlLogout(
  ctx: UserContext,
  wanted: string | undefined,
): Promise<InitiatedLogout> {
  const { platform } = ctx;
  const returnTo = resolveReturnAddress(platform.redirectAllowList, wanted);
  const { revoked, signOn } = await logOutEverywhere(ctx);
  const { organizationId } = ctx.tenant;
  const saml =
    signOn?.protocol === 'saml'
      ? await findProviderSettings(platform, organizationId, signOn.issuer)
      : null;
  if (!signOn || !saml || saml.sloUrl === null) return { revoked, redirectUrl: null, cookies: [] };
  const asking = createEnvelope(platform, organizationId, saml.sloUrl);
  const { state, cookie } = await beginLogin<SamlLogoutRequest>(platform, 'saml-logout', {
    returnTo,
    organizationId,
    requestId: asking.id,
  });
  const message = { xml: createLogoutRequest(asking, signOn), relayState: state };
  const redirectUrl = openSamlRedirect(platform).buildUrl(saml.sloUrl, 'SAMLRequest', message);
  return { revoked, redirectUrl, cookies: [cookie] };
}

/**
 * Handles a logout message of the identity provider: the response to a logout begun here, or a request begun there.
 */
export async function finishSamlLogout(
  platform: Platform,
  organizationId: string,
  { delivery, origin }: { delivery: LogoutDelivery; origin: Origin & { cookie: CookieReader } },
): Promise<CompletedLogout> {
  let context: LoginContext = { method: 'saml', organizationId: null, spent: [] };
  try {
    const saml = requireSaml(await loadActiveSso(platform, organizationId));
    context = { ...context, organizationId };
    const { message, relayState } = await readSamlLogout(platform, organizationId, {
      settings: saml,
      delivery,
    });
    if (message.kind === 'request')
      return await handleRequest(platform, organizationId, saml, { message, relayState });
    return await handleResponse(platform, organizationId, { message, relayState }, origin);
  } catch (error) {
    return failLogout(platform, context, origin, error);
  }
}

const createEnvelope = (platform: Platform, organizationId: string, destination: string) => ({
  id: `_${platform.generateHex(20)}`,
  issuer: createSamlEndpoints(platform.publicUrl).entityId(organizationId),
  destination,
  now: platform.clock.now(),
});

/** Finds the settings of the provider that opened the session; null: the organisation has another provider now. */
async function findProviderSettings(
  platform: Platform,
  organizationId: string,
  issuer: string,
): Promise<SamlSettings | null> {
  try {
    const saml = requireSaml(await loadActiveSso(platform, organizationId));
    return saml.entityId === issuer ? saml : null;
  } catch (error) {
    if (error instanceof AppError && error.http < 500) return null;
    throw error;
  }
}

/** Handles a logout begun at the provider: ends the named sessions, and answers. */
async function handleRequest(
  platform: Platform,
  organizationId: string,
  { entityId: issuer, sloUrl }: SamlSettings,
  { message, relayState }: ReceivedLogout<LogoutRequestMessage>,
): Promise<CompletedLogout> {
  await useMessageOnce(platform, organizationId, { issuer, id: message.id });
  const { nameId: subject, sessionIndexes } = message;
  const named = { protocol: 'saml' as const, issuer, subject, sessionIndexes };
  const audit = [await endProviderSessions(platform, organizationId, named)];
  if (sloUrl === null) return { location: platform.redirectAllowList[0], cookies: [], audit };
  const xml = createLogoutResponse(createEnvelope(platform, organizationId, sloUrl), message.id);
  return {
    location: openSamlRedirect(platform).buildUrl(sloUrl, 'SAMLResponse', { xml, relayState }),
    cookies: [],
    audit,
  };
}

/** Handles the response to a logout begun here. */
async function handleResponse(
  platform: Platform,
  organizationId: string,
  { message, relayState }: ReceivedLogout<LogoutResponseMessage>,
  origin: Origin & { cookie: CookieReader },
): Promise<CompletedLogout> {
  const { cookie } = origin;
  const finished = await finishLogin<SamlLogoutRequest>(platform, 'saml-logout', {
    state: relayState,
    cookie,
  });
  const { request, spent } = finished;
  try {
    if (request.organizationId !== organizationId || request.requestId !== message.inResponseTo)
      throw new AppError('TOKEN_VERIFICATION_FAILED', 'Response belongs to another logout');
    if (!message.isSuccess)
      throw new AppError('INVALID_OPERATION', 'Identity provider did not end its session');
    return { location: request.returnTo, cookies: [spent], audit: [] };
  } catch (error) {
    return failLogout(
      platform,
      { ...toLoginContext('saml', finished), organizationId },
      origin,
      error,
    );
  }
}

async function failLogout(
  platform: Platform,
  context: LoginContext,
  origin: Origin,
  error: unknown,
): Promise<CompletedLogout> {
  const { location, cookies } = await failLogin(platform, context, { origin, error });
  return { location, cookies, audit: [] };
}

// Single logout by SAML 2.0, begun here or at the identity provider (document 1, section 4.1).
import type { z } from 'zod';
import type { Platform } from '../../../composition/platform.ts';
import { allowedRedirect } from '../../../domain/identity/redirect-allow-list.ts';
import type { Tenant, User } from '../../../domain/identity/tenant.ts';
import type { SamlEndpoints } from '../../../domain/saml/endpoints.ts';
import type { LogoutMessage } from '../../../domain/saml/logout.ts';
import { logoutRequest, logoutResponse } from '../../../domain/saml/messages.ts';
import { AppError } from '../../../errors.ts';
import type { SamlReaderWorker } from '../../../platform/saml/saml-reader-worker.ts';
import type { SamlRedirect } from '../../../platform/saml/saml-redirect.ts';
import type { Origin, SessionService } from '../../auth/sessions/sessions.service.ts';
import type { SamlSettings } from '../../organization/organization.model.ts';
import type { SsoSettingsService } from '../../organization/sso-settings/sso-settings.service.ts';
import type { LoginCompletionService, LoginContext } from '../login/login-completion.service.ts';
import type {
  CookieReader,
  LoginRequestService,
  LoginRequestState,
} from '../login/login-requests.service.ts';
import type { SamlMessageService } from './saml-messages.service.ts';
import type { logoutForm } from './saml.schemas.ts';
import { samlOf } from './saml.service.ts';

type Deps = Pick<Platform, 'models' | 'redirectAllowList' | 'clock' | 'randomHex'> & {
  loginRequests: LoginRequestService;
  loginCompletion: LoginCompletionService;
  ssoSettings: SsoSettingsService;
  sessions: SessionService;
  messages: SamlMessageService;
  reader: SamlReaderWorker;
  redirect: SamlRedirect;
  endpoints: SamlEndpoints;
};

interface LogoutFacts extends LoginRequestState {
  organizationId: string;
  requestId: string;
}

/** A message as it arrived: in a form, or in an address. */
type Delivery = { form: z.output<typeof logoutForm> } | { rawQuery: string };
type Request = Extract<LogoutMessage, { kind: 'request' }>;

export function createSamlLogoutService(deps: Deps) {
  const {
    models,
    loginRequests,
    loginCompletion,
    ssoSettings,
    sessions,
    messages,
    reader,
    redirect,
    endpoints,
    clock,
  } = deps;

  const envelope = (organizationId: string, destination: string) => ({
    id: `_${deps.randomHex(20)}`,
    issuer: endpoints.entityId(organizationId),
    destination,
    now: clock.now(),
  });

  /** The organisation's settings, when they still lead to the provider that opened the session. */
  async function providerOf(organizationId: string, issuer: string): Promise<SamlSettings | null> {
    try {
      const saml = samlOf(await ssoSettings.inForce(organizationId));
      return saml.entityId === issuer ? saml : null;
    } catch (error) {
      if (error instanceof AppError && error.http < 500) return null;
      throw error;
    }
  }

  /** Reads a delivered message, which one of the organisation's certificates has signed for this organisation. */
  async function read(
    organizationId: string,
    { entityId, certificates }: SamlSettings,
    delivery: Delivery,
  ) {
    const known = {
      certificates,
      issuer: entityId,
      destination: endpoints.singleLogout(organizationId),
      now: clock.now(),
    };
    const { member, relayState, message } = opened(delivery, certificates);
    const said = await reader.logout({ ...known, message });
    if (said.kind !== (member === 'SAMLRequest' ? 'request' : 'response'))
      throw new AppError(
        'TOKEN_VERIFICATION_FAILED',
        'A request was sent as a response, or a response as a request',
      );
    return { said, relayState };
  }

  function opened(delivery: Delivery, certificates: readonly string[]) {
    if ('rawQuery' in delivery) {
      const { member, relayState, xml } = redirect.open(delivery.rawQuery, certificates);
      return { member, relayState, message: { verifiedXml: xml } };
    }
    const { SAMLRequest, SAMLResponse, RelayState: relayState } = delivery.form;
    if ((SAMLRequest === '') === (SAMLResponse === ''))
      throw new AppError('TOKEN_VERIFICATION_FAILED', 'The form has no SAML message, or two');
    const member = SAMLRequest === '' ? 'SAMLResponse' : 'SAMLRequest';
    return { member, relayState, message: { base64: SAMLRequest || SAMLResponse } };
  }

  /** Ends what the provider's logout concerns, and answers it. */
  async function obey(
    organizationId: string,
    { entityId: issuer, sloUrl }: SamlSettings,
    asked: Asked,
  ) {
    const { id, nameId: subject, sessionIndexes } = asked.said;
    await messages.useOnce(organizationId, issuer, id);
    let revoked = 0;
    for (const sessionIndex of sessionIndexes.length === 0 ? [null] : sessionIndexes)
      revoked += (await sessions.endSignedOn(organizationId, { issuer, subject, sessionIndex }))
        .revoked;
    const who = await models.memberships
      .findOne({ organizationId, 'signOn.issuer': issuer, 'signOn.subject': subject }, 'userId')
      .lean<{ userId: { toHexString(): string } }>();
    const audit = {
      organizationId,
      ...(who && { userId: who.userId.toHexString() }),
      metadata: { method: 'saml', by: 'identity_provider', revoked },
    };
    const location =
      sloUrl === null
        ? deps.redirectAllowList[0]
        : redirect.address(sloUrl, 'SAMLResponse', {
            xml: logoutResponse(envelope(organizationId, sloUrl), id),
            relayState: asked.relayState,
          });
    return { location, cookies: [], audit: [audit] };
  }

  async function conclude(arrived: Arrived, journey: LoginContext) {
    const { organizationId, delivery, cookie } = arrived;
    const saml = samlOf(await ssoSettings.inForce(organizationId));
    journey.organizationId = organizationId;
    const { said, relayState } = await read(organizationId, saml, delivery);
    if (said.kind === 'request') return obey(organizationId, saml, { said, relayState });
    const { facts, spent } = await loginRequests.finish<LogoutFacts>(
      'saml-logout',
      relayState,
      cookie,
    );
    Object.assign(journey, { returnTo: facts.returnTo, spent: [spent] });
    if (facts.organizationId !== organizationId || facts.requestId !== said.inResponseTo)
      throw new AppError('TOKEN_VERIFICATION_FAILED', 'The response answers another logout');
    if (!said.isSuccess)
      throw new AppError(
        'INVALID_OPERATION',
        'The identity provider reports that its session is not over',
      );
    return { location: facts.returnTo, cookies: [spent], audit: [] };
  }

  return {
    /** Ends the caller's session; answers where to go to end the one at the identity provider, null when there is none. */
    async initiate({ organizationId }: Tenant, user: User, wanted: string | undefined) {
      const returnTo = allowedRedirect(deps.redirectAllowList, wanted);
      if (returnTo === null)
        throw new AppError('VALIDATION_ERROR', 'returnTo: not an address to return to');
      const signOn = await sessions.signOnOf(user.jti);
      const { revoked } = await sessions.logout(user);
      const saml =
        signOn?.protocol === 'saml' ? await providerOf(organizationId, signOn.issuer) : null;
      if (!signOn || !saml || saml.sloUrl === null)
        return { revoked, redirectUrl: null, cookies: [] };
      const asking = envelope(organizationId, saml.sloUrl);
      const facts = { returnTo, organizationId, requestId: asking.id };
      const { state, cookie } = await loginRequests.begin<LogoutFacts>('saml-logout', facts);
      const request = { xml: logoutRequest(asking, signOn), relayState: state };
      return {
        revoked,
        redirectUrl: redirect.address(saml.sloUrl, 'SAMLRequest', request),
        cookies: [cookie],
      };
    },

    /** Takes a logout message of an organisation's identity provider: the end of a logout begun here, or one begun there. */
    async finish(
      organizationId: string,
      delivery: Delivery,
      meta: Origin & { cookie: CookieReader },
    ) {
      const journey: LoginContext = { method: 'saml', spent: [] };
      try {
        return await conclude({ organizationId, delivery, cookie: meta.cookie }, journey);
      } catch (error) {
        return { ...(await loginCompletion.refused(journey, meta, error)), audit: [] };
      }
    },
  };
}
export type SamlLogoutService = ReturnType<typeof createSamlLogoutService>;

interface Asked {
  said: Request;
  relayState: string;
}

interface Arrived {
  organizationId: string;
  delivery: Delivery;
  cookie: CookieReader;
}

// Signing on by SAML 2.0: the request to the organisation's identity provider, its response, and our metadata (document 1, section 4.1).
import type { z } from 'zod';
import type { Platform } from '../../../composition/platform.ts';
import type { SamlEndpoints } from '../../../domain/saml/endpoints.ts';
import { authnRequest, serviceProviderMetadata } from '../../../domain/saml/messages.ts';
import { EMAIL_NAME } from '../../../domain/saml/names.ts';
import type { Assertion } from '../../../domain/saml/response.ts';
import { AppError } from '../../../errors.ts';
import type { SamlReaderWorker } from '../../../platform/saml/saml-reader-worker.ts';
import type { SamlRedirect } from '../../../platform/saml/saml-redirect.ts';
import type { Origin } from '../../auth/sessions/sessions.service.ts';
import type { SamlSettings } from '../../organization/organization.model.ts';
import type {
  SsoSettings,
  SsoSettingsService,
} from '../../organization/sso-settings/sso-settings.service.ts';
import type { AccountLinkingService, ExternalIdentity } from '../login/account-linking.service.ts';
import type { LoginCompletionService, LoginContext } from '../login/login-completion.service.ts';
import type {
  CookieReader,
  LoginRequestService,
  LoginRequestState,
} from '../login/login-requests.service.ts';
import type { SamlMessageService } from './saml-messages.service.ts';
import type { responseForm } from './saml.schemas.ts';

type Deps = Pick<Platform, 'models' | 'clock' | 'randomHex' | 'config'> & {
  loginRequests: LoginRequestService;
  loginCompletion: LoginCompletionService;
  accountLinking: AccountLinkingService;
  ssoSettings: SsoSettingsService;
  messages: SamlMessageService;
  reader: SamlReaderWorker;
  redirect: SamlRedirect;
  endpoints: SamlEndpoints;
};

interface SamlFacts extends LoginRequestState {
  organizationId: string;
  requestId: string;
}

/** The settings of an organisation that signs on by SAML. @throws AppError `NOT_FOUND` */
export function samlOf({ provider, saml }: SsoSettings): SamlSettings {
  if (provider !== 'saml' || !saml) throw new AppError('NOT_FOUND', 'No sign-on is set up here');
  return saml;
}

export function createSamlService(deps: Deps) {
  const {
    loginRequests,
    loginCompletion,
    accountLinking,
    ssoSettings,
    messages,
    reader,
    redirect,
    endpoints,
    clock,
  } = deps;

  /** Where the browser goes for a sign-on, and the cookie that it comes back with. */
  async function begin(settings: SsoSettings, returnTo: string) {
    const { ssoUrl } = samlOf(settings);
    const { organizationId } = settings;
    const requestId = `_${deps.randomHex(20)}`;
    const { state, cookie } = await loginRequests.begin<SamlFacts>('saml', {
      returnTo,
      organizationId,
      requestId,
    });
    const envelope = {
      id: requestId,
      issuer: endpoints.entityId(organizationId),
      destination: ssoUrl,
      now: clock.now(),
    };
    const xml = authnRequest(envelope, endpoints.assertionConsumer);
    return {
      location: redirect.address(ssoUrl, 'SAMLRequest', { xml, relayState: state }),
      cookies: [cookie],
    };
  }

  async function arrive(
    form: z.output<typeof responseForm>,
    cookie: CookieReader,
    journey: LoginContext,
  ) {
    const { facts, spent } = await loginRequests.finish<SamlFacts>('saml', form.RelayState, cookie);
    const { organizationId, requestId, returnTo } = facts;
    Object.assign(journey, { returnTo, spent: [spent] });
    const settings = await ssoSettings.inForce(organizationId);
    journey.organizationId = organizationId;
    const saml = samlOf(settings);
    const { entityId: issuer, certificates } = saml;
    const assertion = await reader.response({
      base64: form.SAMLResponse,
      certificates,
      issuer,
      inResponseTo: requestId,
      now: clock.now(),
      audience: endpoints.entityId(organizationId),
      recipient: endpoints.assertionConsumer,
      needsSessionIndex: saml.sloUrl !== null,
    });
    await messages.useOnce(organizationId, issuer, assertion.id);
    return { settings, arrival: arrivalOf(assertion, saml) };
  }

  return {
    begin,

    /** Ends the sign-on that the response belongs to. */
    finish(form: z.output<typeof responseForm>, meta: Origin & { cookie: CookieReader }) {
      return loginCompletion.conclude({ method: 'saml', spent: [] }, meta, async (journey) => {
        const { settings, arrival } = await arrive(form, meta.cookie, journey);
        return accountLinking.admit(settings, arrival, meta);
      });
    },

    /** What the organisation's identity provider must know of us. @throws AppError `ORG_NOT_FOUND` */
    async metadata(organizationId: string): Promise<string> {
      if (!(await deps.models.organizations.exists({ _id: organizationId })))
        throw new AppError('ORG_NOT_FOUND');
      return serviceProviderMetadata({
        entityId: endpoints.entityId(organizationId),
        assertionConsumer: endpoints.assertionConsumer,
        singleLogout: endpoints.singleLogout(organizationId),
        certificate: deps.config.ASSAY_SAML_CERTIFICATE ?? null,
      });
    },
  };
}
export type SamlService = ReturnType<typeof createSamlService>;

/** An assertion in the words of any sign-on: settled by the attributes that the organisation has named. */
function arrivalOf(
  { nameId, nameIdFormat, sessionIndex, attributes }: Assertion,
  saml: SamlSettings,
): ExternalIdentity {
  const first = (name: string): string | null =>
    attributes.get(name)?.find((value) => value.trim() !== '') ?? null;
  const named = nameIdFormat === EMAIL_NAME || /^[^\s@]+@[^\s@]+$/.test(nameId) ? nameId : null;
  return {
    signOn: {
      protocol: 'saml',
      issuer: saml.entityId,
      subject: nameId,
      format: nameIdFormat,
      sessionIndex,
    },
    email: first(saml.emailAttribute)?.trim() ?? named,
    name: first(saml.nameAttribute),
    groups: attributes.get(saml.groupsAttribute) ?? null,
  };
}

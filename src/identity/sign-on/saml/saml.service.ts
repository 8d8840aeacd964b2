// Login by SAML 2.0: request to the identity provider, its response, and our metadata (document 1, section 4.1).
import type { z } from 'zod';
import {
  createAuthnRequest,
  createServiceProviderMetadata,
  EMAIL_NAME,
  UNSPECIFIED_NAME,
  type Assertion,
  type SamlRedirect,
} from '@assay/saml';
import type { Platform } from '../../../platform/platform.ts';
import type { SamlEndpoints } from '../../../domain/sign-on/saml-endpoints.ts';
import { readGroupNames } from '../../../domain/sign-on/group-claims.ts';
import { AppError } from '../../../errors.ts';
import type { SamlReaderWorker } from '../../../platform/saml/saml-reader-worker.ts';
import type { Origin } from '../../auth/sessions/sessions.service.ts';
import type { OrganizationFacts } from '../../organization/organization-facts.service.ts';
import type { SamlSettings } from '../../organization/organization.model.ts';
import type { ActiveSso } from '../../organization/sso-settings/active-sso.service.ts';
import type { ExternalIdentity } from '../login/account-linking.service.ts';
import type { LoginRedirection, LoginStart } from '../login/home-realm.service.ts';
import type { CompletedLogin } from '../login/login-completion.service.ts';
import type {
  CookieReader,
  LoginRequestService,
  LoginRequestState,
} from '../login/login-requests.service.ts';
import type { UsedMessageService } from '../login/used-messages.service.ts';
import type { OrganizationLogins } from '../trials/organization-logins.service.ts';
import type { Statement } from '../trials/statement.ts';
import type { responseForm } from './saml.schemas.ts';

interface Deps {
  loginRequests: LoginRequestService;
  organizationLogins: OrganizationLogins;
  messages: UsedMessageService;
  reader: SamlReaderWorker;
  redirect: SamlRedirect;
  endpoints: SamlEndpoints;
  organizationFacts: OrganizationFacts;
}

interface SamlRequest extends LoginRequestState {
  organizationId: string;
  requestId: string;
}

/** Entra sends this link instead of the groups when there are many. */
const GROUPS_LINK = 'http://schemas.microsoft.com/claims/groups.link';

type ResponseForm = z.output<typeof responseForm>;

/** Returns the settings of SAML, if it is the protocol in use. @throws AppError `NOT_FOUND` */
export function requireSaml({ provider, saml }: ActiveSso): SamlSettings {
  if (provider !== 'saml' || !saml) throw new AppError('NOT_FOUND', 'SSO is not configured');
  return saml;
}

export function createSamlService(
  platform: Pick<Platform, 'models' | 'clock' | 'generateHex' | 'config'>,
  deps: Deps,
) {
  const { loginRequests, organizationLogins, messages, reader, redirect, endpoints } = deps;
  const { clock } = platform;

  /** Verifies a response, which counts as used even if a later step fails. */
  async function receive(
    { organizationId, requestId }: SamlRequest,
    base64: string,
    saml: SamlSettings,
  ): Promise<Statement> {
    const { entityId: issuer, certificates } = saml;
    const assertion = await reader.readResponse(organizationId, {
      base64,
      certificates,
      issuer,
      inResponseTo: requestId,
      now: clock.now(),
      audience: endpoints.entityId(organizationId),
      recipient: endpoints.assertionConsumer,
      needsSessionIndex: saml.sloUrl !== null,
    });
    await messages.useOnce(organizationId, issuer, assertion.id);
    return { values: assertion.attributes, toIdentity: () => toIdentity(assertion, saml) };
  }

  return {
    /** @throws AppError `NOT_FOUND` without settings of this protocol */
    async begin(settings: ActiveSso, start: LoginStart): Promise<LoginRedirection> {
      const { ssoUrl, nameIdFormat = null } = requireSaml(settings);
      const { organizationId } = settings;
      const requestId = `_${platform.generateHex(20)}`;
      const request = { ...start, organizationId, requestId };
      const { state, cookie } = await loginRequests.begin<SamlRequest>('saml', request);
      const issuer = endpoints.entityId(organizationId);
      const envelope = { id: requestId, issuer, destination: ssoUrl, now: clock.now() };
      const xml = createAuthnRequest(envelope, endpoints.assertionConsumer, nameIdFormat);
      const location = redirect.buildUrl(ssoUrl, 'SAMLRequest', { xml, relayState: state });
      return { location, cookies: [cookie] };
    },

    /** Handles the return of the browser. */
    finish(
      { SAMLResponse, RelayState }: ResponseForm,
      origin: Origin & { cookie: CookieReader },
    ): Promise<CompletedLogin> {
      return organizationLogins.complete<SamlRequest>({
        kind: 'saml',
        method: 'saml',
        state: RelayState,
        cookie: origin.cookie,
        origin,
        receive: (request, settings) => receive(request, SAMLResponse, requireSaml(settings)),
      });
    },

    /** Returns our metadata for the organisation's identity provider. @throws AppError `ORG_NOT_FOUND` */
    async renderMetadata(organizationId: string): Promise<string> {
      if (!(await deps.organizationFacts.hasOrganization(organizationId)))
        throw new AppError('ORG_NOT_FOUND');
      return createServiceProviderMetadata({
        entityId: endpoints.entityId(organizationId),
        assertionConsumer: endpoints.assertionConsumer,
        singleLogout: endpoints.singleLogout(organizationId),
        certificate: platform.config.ASSAY_SAML_CERTIFICATE ?? null,
      });
    },
  };
}
export type SamlService = ReturnType<typeof createSamlService>;

/** Converts an assertion to an identity, by the attributes that the settings name. */
function toIdentity(assertion: Assertion, saml: SamlSettings): ExternalIdentity {
  const { nameId, nameIdFormat, sessionIndex, otherIndexes, sessionEndsAt, attributes } = assertion;
  const readAttribute = (name: string): string | null =>
    attributes.get(name)?.find((value) => value !== '') ?? null;
  if (saml.nameIdFormat != null && (nameIdFormat ?? UNSPECIFIED_NAME) !== saml.nameIdFormat)
    throw new AppError('FORBIDDEN', 'NameID has another format than the settings ask for');
  const isAddress = nameIdFormat === EMAIL_NAME || /^[^\s@]+@[^\s@]+$/.test(nameId);
  return {
    signOn: {
      protocol: 'saml',
      issuer: saml.entityId,
      subject: nameId,
      format: nameIdFormat,
      sessionIndex,
      ...(otherIndexes.length > 0 && { otherIndexes }),
      endsAt: sessionEndsAt,
    },
    email: readAttribute(saml.emailAttribute) ?? (isAddress ? nameId : null),
    name: readAttribute(saml.nameAttribute),
    groups: readGroups(assertion, saml.groupsAttribute),
  };
}

/** A missing attribute means no groups; null: the groups are not listed, or in an unknown form. */
function readGroups(
  { attributes, structured, hasEncryptedAttributes }: Assertion,
  name: string,
): string[] | null {
  const isElsewhere = hasEncryptedAttributes || attributes.has(GROUPS_LINK);
  return structured.has(name) || isElsewhere ? null : readGroupNames(attributes.get(name));
}

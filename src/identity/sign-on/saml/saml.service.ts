// Login by SAML 2.0: request to the identity provider, its response, and our metadata (document 1, section 4.1).
import type { z } from 'zod';
import {
  createAuthnRequest,
  createServiceProviderMetadata,
  EMAIL_NAME,
  UNSPECIFIED_NAME,
  type Assertion,
} from '@assay/saml';
import type { Platform } from '../../../platform/platform.ts';
import { createSamlEndpoints } from '../../../domain/sign-on/saml-endpoints.ts';
import { readGroupNames } from '../../../domain/sign-on/group-claims.ts';
import { AppError } from '../../../errors.ts';
import { openSamlReader } from '../../../platform/saml/saml-reader-worker.ts';
import type { Origin } from '../../auth/sessions/sessions.service.ts';
import { hasOrganization } from '../../organization/organization-facts.service.ts';
import type { SamlSettings } from '../../organization/organization.model.ts';
import type { ActiveSso } from '../../organization/sso-settings/active-sso.service.ts';
import type { ExternalIdentity } from '../login/account-linking.service.ts';
import type { LoginRedirection, LoginStart } from '../login/home-realm.service.ts';
import type { CompletedLogin } from '../login/login-completion.service.ts';
import {
  type CookieReader,
  type LoginRequestState,
  beginLogin,
} from '../login/login-requests.service.ts';
import { useMessageOnce } from '../login/used-messages.service.ts';
import { completeOrganizationLogin } from '../trials/organization-logins.service.ts';
import type { Statement } from '../trials/statement.ts';
import type { responseForm } from './saml.schemas.ts';
import { openSamlRedirect } from './saml-redirect.ts';

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

/** @throws AppError `NOT_FOUND` without settings of this protocol */
export async function beginSamlLogin(
  platform: Platform,
  settings: ActiveSso,
  start: LoginStart,
): Promise<LoginRedirection> {
  const { ssoUrl, nameIdFormat = null } = requireSaml(settings);
  const { organizationId } = settings;
  const requestId = `_${platform.generateHex(20)}`;
  const request = { ...start, organizationId, requestId };
  const { state, cookie } = await beginLogin<SamlRequest>(platform, 'saml', request);
  const issuer = createSamlEndpoints(platform.publicUrl).entityId(organizationId);
  const envelope = { id: requestId, issuer, destination: ssoUrl, now: platform.clock.now() };
  const xml = createAuthnRequest(
    envelope,
    createSamlEndpoints(platform.publicUrl).assertionConsumer,
    nameIdFormat,
  );
  const location = openSamlRedirect(platform).buildUrl(ssoUrl, 'SAMLRequest', {
    xml,
    relayState: state,
  });
  return { location, cookies: [cookie] };
}

/** Handles the return of the browser. */
export function finishSamlLogin(
  platform: Platform,
  { SAMLResponse, RelayState }: ResponseForm,
  origin: Origin & { cookie: CookieReader },
): Promise<CompletedLogin> {
  return completeOrganizationLogin<SamlRequest>(platform, {
    kind: 'saml',
    method: 'saml',
    state: RelayState,
    cookie: origin.cookie,
    origin,
    receive: (request, settings) => receive(platform, request, SAMLResponse, requireSaml(settings)),
  });
}

/** Returns our metadata for the organisation's identity provider. @throws AppError `ORG_NOT_FOUND` */
export async function renderSamlMetadata(
  platform: Platform,
  organizationId: string,
): Promise<string> {
  if (!(await hasOrganization(platform, organizationId))) throw new AppError('ORG_NOT_FOUND');
  return createServiceProviderMetadata({
    entityId: createSamlEndpoints(platform.publicUrl).entityId(organizationId),
    assertionConsumer: createSamlEndpoints(platform.publicUrl).assertionConsumer,
    singleLogout: createSamlEndpoints(platform.publicUrl).singleLogout(organizationId),
    certificate: platform.config.ASSAY_SAML_CERTIFICATE ?? null,
  });
}

/** Verifies a response, which counts as used even if a later step fails. */
async function receive(
  platform: Platform,
  { organizationId, requestId }: SamlRequest,
  base64: string,
  saml: SamlSettings,
): Promise<Statement> {
  const { entityId: issuer, certificates } = saml;
  const assertion = await openSamlReader(platform).readResponse(organizationId, {
    base64,
    certificates,
    issuer,
    inResponseTo: requestId,
    now: platform.clock.now(),
    audience: createSamlEndpoints(platform.publicUrl).entityId(organizationId),
    recipient: createSamlEndpoints(platform.publicUrl).assertionConsumer,
    needsSessionIndex: saml.sloUrl !== null,
  });
  await useMessageOnce(platform, organizationId, { issuer, id: assertion.id });
  return { values: assertion.attributes, toIdentity: () => toIdentity(assertion, saml) };
}

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

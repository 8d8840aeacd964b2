// Login at an organisation's own OpenID provider: authorisation code flow with PKCE (document 1, sections 3 and 4.1).
import type { Platform } from '../../../platform/platform.ts';
import { readGroupNames } from '../../../domain/sign-on/group-claims.ts';
import { AppError } from '../../../errors.ts';
import {
  type Claims,
  openIdentityProviders,
} from '../../../platform/outbound/identity-providers.ts';
import type { Origin } from '../../auth/sessions/sessions.service.ts';
import type { OidcSettings } from '../../organization/organization.model.ts';
import type { ActiveSso } from '../../organization/sso-settings/active-sso.service.ts';
import type { ExternalIdentity } from '../login/account-linking.service.ts';
import { toCallbackUrl } from '../login/callback-url.ts';
import type { LoginRedirection, LoginStart } from '../login/home-realm.service.ts';
import type { CompletedLogin } from '../login/login-completion.service.ts';
import {
  type CookieReader,
  type LoginRequestState,
  beginLogin,
} from '../login/login-requests.service.ts';
import type { CallbackQuery } from '../login/sign-on.schemas.ts';
import { completeOrganizationLogin } from '../trials/organization-logins.service.ts';
import type { Statement } from '../trials/statement.ts';

interface OidcRequest extends LoginRequestState {
  organizationId: string;
  /** The response is refused when issuer or client have changed since the request. */
  issuer: string;
  clientId: string;
  verifier: string;
  nonce: string;
}

export interface OidcCallback {
  query: CallbackQuery;
  /** The organisation in the redirect URI; absent: the shared URI. */
  organizationId?: string;
  cookie: CookieReader;
  origin: Origin;
}

const METHOD = 'oidc';
const SCOPE = 'openid email profile';
/** OpenID Connect Core, section 2: at most 255 characters. */
const MAX_ID = 255;
/** Accepted values of `email_verified`: most directories leave it out, and some send text. */
const VERIFIED: readonly unknown[] = [undefined, true, 'true'];

/** @throws AppError `NOT_FOUND` without settings of this protocol, `IDENTITY_PROVIDER_UNAVAILABLE` */
export async function beginOidcLogin(
  platform: Platform,
  settings: ActiveSso,
  start: LoginStart,
): Promise<LoginRedirection> {
  const oidc = requireOidc(settings);
  const provider = await openIdentityProviders(platform).connectOpenId(oidc);
  const { organizationId } = settings;
  const { issuer, clientId } = oidc;
  const [verifier, nonce] = [platform.generateToken(), platform.generateToken()];
  const redirectUri = toRedirectUri(platform, organizationId);
  const request = { ...start, organizationId, issuer, clientId, verifier, nonce };
  const { state, cookie } = await beginLogin<OidcRequest>(platform, 'oidc', request);
  const location = await provider.buildAuthorizationUrl({
    redirectUri,
    scope: SCOPE,
    state,
    verifier,
    nonce,
  });
  return { location, cookies: [cookie] };
}

/** Handles the return of the browser. */
export function finishOidcLogin(
  platform: Platform,
  { query, organizationId, cookie, origin }: OidcCallback,
): Promise<CompletedLogin> {
  return completeOrganizationLogin<OidcRequest>(platform, {
    kind: 'oidc',
    method: METHOD,
    state: query.state ?? '',
    cookie,
    origin,
    async receive(request, settings) {
      if (organizationId !== undefined && organizationId !== request.organizationId)
        throw new AppError(
          'TOKEN_VERIFICATION_FAILED',
          'Callback is not the redirect URI of the request',
        );
      return receive(platform, request, query, settings);
    },
  });
}

/**
 * Each organisation has its own URI, so that no provider receives the code of another one (RFC 9700, section 4.4).
 */
const toRedirectUri = ({ publicUrl }: Platform, organizationId: string): string =>
  `${publicUrl}/api/v1/auth/sso/callback/${organizationId}`;

/** @throws AppError `NOT_FOUND`, `INVALID_OPERATION` when the settings changed since the request */
async function receive(
  platform: Platform,
  request: OidcRequest,
  query: CallbackQuery,
  settings: ActiveSso,
): Promise<Statement> {
  const oidc = requireOidc(settings);
  if (oidc.issuer !== request.issuer || oidc.clientId !== request.clientId)
    throw new AppError('INVALID_OPERATION', 'SSO settings changed during the login: begin again');
  const provider = await openIdentityProviders(platform).connectOpenId(oidc);
  const wanted = ['email', oidc.subjectClaim];
  if (settings.roleMapping.length > 0) wanted.push(oidc.groupsClaim);
  const { verifier, nonce } = request;
  const url = toCallbackUrl(toRedirectUri(platform, request.organizationId), query);
  const claims = await provider.claims({ url, verifier, nonce }, wanted);
  return { values: Object.entries(claims), toIdentity: () => toIdentity(claims, oidc) };
}

/** Returns the settings of OpenID Connect, if it is the protocol in use. @throws AppError `NOT_FOUND` */
export function requireOidc({ provider, oidc }: ActiveSso): OidcSettings {
  if (provider !== 'oidc' || !oidc) throw new AppError('NOT_FOUND', 'SSO is not configured');
  return oidc;
}

function toIdentity(
  claims: Claims,
  { issuer, subjectClaim, groupsClaim }: OidcSettings,
): ExternalIdentity {
  const subject = readTextClaim(claims[subjectClaim]);
  if (subject === null)
    throw new AppError(
      'TOKEN_VERIFICATION_FAILED',
      `ID token has no usable \`${subjectClaim}\` claim`,
    );
  if (!VERIFIED.includes(claims.email_verified))
    throw new AppError('FORBIDDEN', 'Identity provider has not verified the e-mail address');
  const sessionIndex = readTextClaim(claims.sid);
  return {
    signOn: { protocol: METHOD, issuer, format: subjectClaim, subject, sessionIndex },
    email: readTextClaim(claims.email),
    name: readTextClaim(claims.name),
    groups: readGroups(claims, groupsClaim),
  };
}

const readTextClaim = (claim: unknown): string | null =>
  typeof claim === 'string' && claim !== '' && claim.length <= MAX_ID ? claim : null;

/** Whether the claims only refer to an endpoint for the groups, as Entra does when there are many. */
function hasOverage({ _claim_names: elsewhere, hasgroups }: Claims, groupsClaim: string): boolean {
  if (hasgroups === true || hasgroups === 'true') return true;
  if (typeof elsewhere !== 'object') return elsewhere !== undefined;
  return elsewhere !== null && (Array.isArray(elsewhere) || Object.hasOwn(elsewhere, groupsClaim));
}

/** A missing claim means no groups; null: the groups are not listed, or in an unknown form. */
function readGroups(claims: Claims, groupsClaim: string): string[] | null {
  return hasOverage(claims, groupsClaim) ? null : readGroupNames(claims[groupsClaim]);
}

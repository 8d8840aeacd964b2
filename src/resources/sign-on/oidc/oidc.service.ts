// Sign-on at an organisation's own OpenID provider: authorisation code flow with PKCE (document 1, sections 3 and 4.1).
import type { Platform } from '../../../composition/platform.ts';
import { AppError } from '../../../errors.ts';
import type { Claims, IdentityProviders } from '../../../platform/outbound/identity-providers.ts';
import type { Origin } from '../../auth/sessions/sessions.service.ts';
import type { OidcSettings } from '../../organization/organization.model.ts';
import type {
  SsoSettings,
  SsoSettingsService,
} from '../../organization/sso-settings/sso-settings.service.ts';
import type { AccountLinkingService, ExternalIdentity } from '../login/account-linking.service.ts';
import type {
  Cookie,
  LoginCompletionService,
  LoginContext,
} from '../login/login-completion.service.ts';
import type {
  CookieReader,
  LoginRequestService,
  LoginRequestState,
} from '../login/login-requests.service.ts';
import type { CallbackQuery } from '../login/sign-on.schemas.ts';

type Deps = Pick<Platform, 'randomToken' | 'publicUrl'> & {
  providers: IdentityProviders;
  loginRequests: LoginRequestService;
  loginCompletion: LoginCompletionService;
  accountLinking: AccountLinkingService;
  ssoSettings: SsoSettingsService;
};

interface Facts extends LoginRequestState {
  organizationId: string;
  /** Who was asked, and as which client: the answer is read under the same settings or not at all. */
  issuer: string;
  clientId: string;
  verifier: string;
  nonce: string;
}

interface Callback {
  query: CallbackQuery;
  /** Of the organisation's own return address; absent: the one that is everybody's. */
  organizationId?: string;
  cookie: CookieReader;
  origin: Origin;
}

const METHOD = 'oidc';
/** OpenID Connect Core, section 2: at most 255 characters. */
const MAX_ID = 255;

export function createOidcService(deps: Deps) {
  const { providers, loginRequests, loginCompletion, accountLinking, ssoSettings, randomToken } =
    deps;
  /**
   * Each organisation's own, so that a code which one provider gives never reaches another, whatever that one makes of our request
   * (RFC 9700, section 4.4).
   */
  const redirectUriOf = (organizationId: string): string =>
    `${deps.publicUrl}/api/v1/auth/sso/callback/${organizationId}`;

  async function arrive(
    { query, organizationId, cookie, origin }: Callback,
    journey: LoginContext,
  ) {
    const { facts, spent } = await loginRequests.finish<Facts>('oidc', query.state ?? '', cookie);
    journey.returnTo = facts.returnTo;
    journey.organizationId = facts.organizationId;
    journey.spent.push(spent);
    if ((organizationId ?? facts.organizationId) !== facts.organizationId)
      throw new AppError(
        'TOKEN_VERIFICATION_FAILED',
        'The browser came back from another organisation’s provider',
      );
    const settings = await ssoSettings.inForce(facts.organizationId);
    const oidc = oidcOf(settings);
    if (oidc.issuer !== facts.issuer || oidc.clientId !== facts.clientId)
      throw new AppError('INVALID_OPERATION', 'The settings of the sign-on have changed meanwhile');
    const provider = await providers.openId(oidc);
    const url = new URL(redirectUriOf(facts.organizationId));
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, value);
    const wanted = [
      'email',
      oidc.subjectClaim,
      ...(settings.roleMapping.length > 0 ? [oidc.groupsClaim] : []),
    ];
    const claims = await provider.claims(
      { url, verifier: facts.verifier, nonce: facts.nonce },
      wanted,
    );
    return accountLinking.admit(settings, arrivalOf(claims, oidc), origin);
  }

  return {
    /** @throws AppError `NOT_FOUND` without settings of this protocol, `IDENTITY_PROVIDER_UNAVAILABLE` */
    async begin(
      settings: SsoSettings,
      returnTo: string,
    ): Promise<{ location: string; cookies: Cookie[] }> {
      const oidc = oidcOf(settings);
      const provider = await providers.openId(oidc);
      const { organizationId } = settings;
      const { issuer, clientId } = oidc;
      const [verifier, nonce] = [randomToken(), randomToken()];
      const redirectUri = redirectUriOf(organizationId);
      const facts = { returnTo, organizationId, issuer, clientId, verifier, nonce };
      const { state, cookie } = await loginRequests.begin<Facts>('oidc', facts);
      const scope = 'openid email profile';
      return {
        location: await provider.location({ redirectUri, scope, state, verifier, nonce }),
        cookies: [cookie],
      };
    },

    /** The browser is back. */
    finish(callback: Callback) {
      const journey: LoginContext = { method: METHOD, spent: [] };
      return loginCompletion.conclude(journey, callback.origin, () => arrive(callback, journey));
    },
  };
}
export type OidcService = ReturnType<typeof createOidcService>;

function oidcOf({ provider, oidc }: SsoSettings): OidcSettings {
  if (provider !== 'oidc' || !oidc) throw new AppError('NOT_FOUND', 'No sign-on is set up here');
  return oidc;
}

function arrivalOf(
  claims: Claims,
  { issuer, subjectClaim, groupsClaim }: OidcSettings,
): ExternalIdentity {
  const subject = claims[subjectClaim];
  if (typeof subject !== 'string' || subject === '' || subject.length > MAX_ID)
    throw new AppError('TOKEN_VERIFICATION_FAILED', `The claim ${subjectClaim} names nobody`);
  if (claims.email_verified === false)
    throw new AppError(
      'FORBIDDEN',
      'The identity provider says that the e-mail address is not verified',
    );
  return {
    signOn: { protocol: METHOD, issuer, subject, format: null, sessionIndex: textIn(claims.sid) },
    email: textIn(claims.email),
    name: textIn(claims.name),
    groups: groupsIn(claims[groupsClaim]),
  };
}

const textIn = (claim: unknown): string | null =>
  typeof claim === 'string' && claim !== '' && claim.length <= MAX_ID ? claim : null;

/** Null also where the provider only says where the groups could be asked for, as Entra does when they are many. */
function groupsIn(claim: unknown): string[] | null {
  if (typeof claim === 'string') return [claim];
  return Array.isArray(claim) ? claim.filter((group) => typeof group === 'string') : null;
}

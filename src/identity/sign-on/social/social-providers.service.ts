// The two kinds of social providers: OpenID Connect, and GitHub.
import {
  readEmailClaim,
  readVerifiedEmail,
} from '../../../domain/identity/addresses/verified-email.ts';
import { AppError } from '../../../errors.ts';
import type {
  IdentityProviders,
  OpenIdProvider,
  OAuthClient,
  OAuthServer,
  OpenIdClient,
  AuthorizationRequest,
  AuthorizationResponse,
} from '../../../platform/outbound/identity-providers.ts';
import { gitHubEmails, gitHubUser } from '../login/sign-on.schemas.ts';

/** The verified statements of a provider about a person. */
export interface SocialIdentityClaims {
  issuer: string;
  subject: string;
  /** Null: the provider has not verified an address. */
  email: string | null;
  name: string | null;
}

export interface SocialProvider {
  location(request: Omit<AuthorizationRequest, 'scope' | 'prompt'>): Promise<string>;
  identify(response: AuthorizationResponse): Promise<SocialIdentityClaims>;
}

/** Connects to a provider, and fetches its configuration if necessary. */
export type SocialOpener = () => Promise<SocialProvider>;

interface OpenIdKind {
  registration: OpenIdClient;
  prompt?: string;
  /** An additional claim that says whether the address is verified. */
  edovClaim?: string;
}

export const createOpenIdLogin = (providers: IdentityProviders, kind: OpenIdKind): SocialOpener => {
  const { registration, prompt, edovClaim } = kind;
  return async () => {
    const provider: OpenIdProvider = await providers.connectOpenId(registration);
    return {
      location: (request) =>
        provider.buildAuthorizationUrl({
          ...request,
          scope: 'openid email profile',
          ...(prompt !== undefined && { prompt }),
        }),
      async identify(response) {
        const claims = await provider.claims(response, ['email']);
        const { iss: issuer, sub: subject, name } = claims;
        const email = readVerifiedEmail(claims, edovClaim);
        return { issuer, subject, email, name: typeof name === 'string' ? name : null };
      },
    };
  };
};

/** GitHub has no ID tokens, so its API is asked for the user of the access token. */
export const createGitHubLogin = (
  providers: IdentityProviders,
  { apiUrl, ...registration }: OAuthClient & { apiUrl: string },
): SocialOpener => {
  const provider: OAuthServer = providers.connectOAuth(registration);
  return () =>
    Promise.resolve({
      location: (request) =>
        provider.buildAuthorizationUrl({ ...request, scope: 'read:user user:email' }),
      async identify(response) {
        const read = await provider.reader(response);
        const user = gitHubUser.safeParse(await read(`${apiUrl}/user`));
        const emails = gitHubEmails.safeParse(await read(`${apiUrl}/user/emails`));
        if (!user.success || !emails.success)
          throw new AppError('TOKEN_VERIFICATION_FAILED', 'Provider sent no usable profile');
        const { id, name, login } = user.data;
        const primary = emails.data.find((entry) => entry.primary && entry.verified);
        return {
          issuer: registration.issuer,
          subject: String(id),
          email: readEmailClaim(primary?.email),
          name: name ?? login,
        };
      },
    });
};

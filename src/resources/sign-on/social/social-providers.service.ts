// The three social providers of the installation: two that speak OpenID Connect, and GitHub.
import { emailIn, verifiedEmail } from '../../../domain/identity/verified-email.ts';
import { AppError } from '../../../errors.ts';
import type {
  IdentityProviders,
  OpenIdProvider,
  PlainProvider,
  PlainRegistration,
  OpenIdRegistration,
  AuthorizationRequest,
  AuthorizationResponse,
} from '../../../platform/outbound/identity-providers.ts';
import { gitHubEmails, gitHubUser } from '../login/sign-on.schemas.ts';

/** Who somebody is at a provider. */
export interface SocialPerson {
  issuer: string;
  subject: string;
  /** Null: the provider vouches for none. */
  email: string | null;
  name: string | null;
}

export interface SocialProvider {
  location(request: Omit<AuthorizationRequest, 'scope' | 'prompt'>): Promise<string>;
  identify(back: AuthorizationResponse): Promise<SocialPerson>;
}

/** Opens a provider, which may have to be asked for its configuration. */
export type SocialOpener = () => Promise<SocialProvider>;

interface OpenIdKind {
  registration: OpenIdRegistration;
  prompt?: string;
  /** A claim besides `email_verified` by which the provider vouches for the address. */
  edovClaim?: string;
}

export const openIdLogin = (providers: IdentityProviders, kind: OpenIdKind): SocialOpener => {
  const { registration, prompt, edovClaim } = kind;
  return async () => {
    const provider: OpenIdProvider = await providers.openId(registration);
    return {
      location: (request) =>
        provider.location({
          ...request,
          scope: 'openid email profile',
          ...(prompt !== undefined && { prompt }),
        }),
      async identify(back) {
        const claims = await provider.claims(back, ['email']);
        const { iss: issuer, sub: subject, name } = claims;
        const email = verifiedEmail(claims, edovClaim);
        return { issuer, subject, email, name: typeof name === 'string' ? name : null };
      },
    };
  };
};

/** GitHub knows no ID tokens: its API says who the token is for. */
export const gitHubLogin = (
  providers: IdentityProviders,
  { apiUrl, ...registration }: PlainRegistration & { apiUrl: string },
): SocialOpener => {
  const provider: PlainProvider = providers.plain(registration);
  return () =>
    Promise.resolve({
      location: (request) => provider.location({ ...request, scope: 'read:user user:email' }),
      async identify(back) {
        const read = await provider.reader(back);
        const user = gitHubUser.safeParse(await read(`${apiUrl}/user`));
        const emails = gitHubEmails.safeParse(await read(`${apiUrl}/user/emails`));
        if (!user.success || !emails.success)
          throw new AppError('TOKEN_VERIFICATION_FAILED', 'The provider describes nobody');
        const { id, name, login } = user.data;
        const primary = emails.data.find((entry) => entry.primary && entry.verified);
        return {
          issuer: registration.issuer,
          subject: String(id),
          email: emailIn(primary?.email),
          name: name ?? login,
        };
      },
    });
};

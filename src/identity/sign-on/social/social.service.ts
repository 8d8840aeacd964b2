// Social login at one of the installation's providers (document 1, section 4.1).
import type { Platform } from '../../../platform/platform.ts';
import { AppError } from '../../../errors.ts';
import type { Origin } from '../../auth/sessions/sessions.service.ts';
import { toCallbackUrl } from '../login/callback-url.ts';
import type { LoginRedirection } from '../login/home-realm.service.ts';
import type { CompletedLogin, LoginCompletionService } from '../login/login-completion.service.ts';
import type {
  CookieReader,
  LoginRequestService,
  LoginRequestState,
} from '../login/login-requests.service.ts';
import { resolveReturnAddress } from '../login/return-address.ts';
import type { CallbackQuery } from '../login/sign-on.schemas.ts';
import type { SocialAccountService } from './social-accounts.service.ts';
import type { SocialIdentityClaims, SocialOpener } from './social-providers.service.ts';

export type SocialKind = 'oauth-a' | 'oauth-b' | 'oauth-c';

interface Deps {
  loginRequests: LoginRequestService;
  loginCompletion: LoginCompletionService;
  socialAccounts: SocialAccountService;
  /** Null: not configured. */
  providers: Readonly<Record<SocialKind, SocialOpener | null>>;
}

interface SocialRequest extends LoginRequestState {
  verifier: string;
  nonce: string;
}

export interface SocialCallback {
  query: CallbackQuery;
  cookie: CookieReader;
  origin: Origin;
}

const METHOD = 'oauth';

export function createSocialService(
  platform: Pick<Platform, 'generateToken' | 'redirectAllowList' | 'publicUrl'>,
  deps: Deps,
) {
  const { generateToken: randomToken } = platform;
  const { loginRequests, loginCompletion, socialAccounts } = deps;

  const toRedirectUri = (kind: SocialKind): string =>
    `${platform.publicUrl}/api/v1/auth/${kind}/callback`;

  /** @throws AppError `NOT_FOUND` when it is not configured */
  function requireOpener(kind: SocialKind): SocialOpener {
    const opener = deps.providers[kind];
    if (!opener) throw new AppError('NOT_FOUND', 'This social login is not configured');
    return opener;
  }

  async function redirect(
    kind: SocialKind,
    open: SocialOpener,
    returnTo: string,
  ): Promise<LoginRedirection> {
    const provider = await open();
    const [verifier, nonce] = [randomToken(), randomToken()];
    const request = { returnTo, verifier, nonce };
    const { state, cookie } = await loginRequests.begin<SocialRequest>(kind, request);
    const redirectUri = toRedirectUri(kind);
    const location = await provider.location({ redirectUri, state, verifier, nonce });
    return { location, cookies: [cookie] };
  }

  async function verify(
    kind: SocialKind,
    { verifier, nonce }: SocialRequest,
    query: CallbackQuery,
  ): Promise<SocialIdentityClaims> {
    const provider = await requireOpener(kind)();
    return provider.identify({ url: toCallbackUrl(toRedirectUri(kind), query), verifier, nonce });
  }

  return {
    /**
     * Redirects the browser to the provider, or back with an error code when it cannot be reached.
     * @throws AppError `NOT_FOUND` when it is not configured, `VALIDATION_ERROR` for an address that is not on the
     * allow-list
     */
    async begin(
      kind: SocialKind,
      wanted: string | undefined,
      origin: Origin,
    ): Promise<LoginRedirection> {
      const opener = requireOpener(kind);
      const returnTo = resolveReturnAddress(platform.redirectAllowList, wanted);
      return redirect(kind, opener, returnTo).catch((error: unknown) =>
        loginCompletion.failLogin(
          { method: METHOD, returnTo, organizationId: null, spent: [] },
          origin,
          error,
        ),
      );
    },

    /** Handles the return of the browser. @throws AppError `NOT_FOUND` when the login is not configured */
    async finish(
      kind: SocialKind,
      { query, cookie, origin }: SocialCallback,
    ): Promise<CompletedLogin> {
      requireOpener(kind);
      return loginCompletion.complete<SocialRequest>({
        kind,
        method: METHOD,
        state: query.state ?? '',
        cookie,
        origin,
        async signIn(request) {
          const identity = await verify(kind, request, query);
          const proof = { method: METHOD, provider: kind, secondFactor: null };
          return socialAccounts.signIn(identity, origin, proof);
        },
      });
    },
  };
}
export type SocialService = ReturnType<typeof createSocialService>;

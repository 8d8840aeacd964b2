// Social login at one of the installation's providers (document 1, section 4.1).
import { openSocialProviders } from './configured-providers.ts';
import type { Platform } from '../../../platform/platform.ts';
import { AppError } from '../../../errors.ts';
import type { Origin } from '../../auth/sessions/sessions.service.ts';
import { toCallbackUrl } from '../login/callback-url.ts';
import type { LoginRedirection } from '../login/home-realm.service.ts';
import {
  type CompletedLogin,
  failLogin,
  completeLogin,
} from '../login/login-completion.service.ts';
import {
  type CookieReader,
  type LoginRequestState,
  beginLogin,
} from '../login/login-requests.service.ts';
import { resolveReturnAddress } from '../login/return-address.ts';
import type { CallbackQuery } from '../login/sign-on.schemas.ts';
import { signInSocially } from './social-accounts.service.ts';
import type { SocialIdentityClaims, SocialOpener } from './social-providers.service.ts';

export type SocialKind = 'oauth-a' | 'oauth-b' | 'oauth-c';

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

/**
 * Redirects the browser to the provider, or back with an error code when it cannot be reached.
 * @throws AppError `NOT_FOUND` when it is not configured, `VALIDATION_ERROR` for an address that is not on the
 * allow-list
 */
export async function beginSocialLogin(
  platform: Platform,
  kind: SocialKind,
  { wanted, origin }: { wanted: string | undefined; origin: Origin },
): Promise<LoginRedirection> {
  const opener = requireOpener(platform, kind);
  const returnTo = resolveReturnAddress(platform.redirectAllowList, wanted);
  return redirect(platform, kind, opener, returnTo).catch((error: unknown) =>
    failLogin(
      platform,
      { method: METHOD, returnTo, organizationId: null, spent: [] },
      { origin, error },
    ),
  );
}

/** Handles the return of the browser. @throws AppError `NOT_FOUND` when the login is not configured */
export async function finishSocialLogin(
  platform: Platform,
  kind: SocialKind,
  { query, cookie, origin }: SocialCallback,
): Promise<CompletedLogin> {
  requireOpener(platform, kind);
  return completeLogin<SocialRequest>(platform, {
    kind,
    method: METHOD,
    state: query.state ?? '',
    cookie,
    origin,
    async signIn(request) {
      const identity = await verify(platform, kind, request, query);
      const proof = { method: METHOD, provider: kind, secondFactor: null };
      return signInSocially(platform, identity, { origin, proof });
    },
  });
}

const toRedirectUri = ({ publicUrl }: Platform, kind: SocialKind): string =>
  `${publicUrl}/api/v1/auth/${kind}/callback`;

/** @throws AppError `NOT_FOUND` when it is not configured */
function requireOpener(platform: Platform, kind: SocialKind): SocialOpener {
  const opener = openSocialProviders(platform)[kind];
  if (!opener) throw new AppError('NOT_FOUND', 'This social login is not configured');
  return opener;
}

async function redirect(
  platform: Platform,
  kind: SocialKind,
  open: SocialOpener,
  returnTo: string,
): Promise<LoginRedirection> {
  const provider = await open();
  const [verifier, nonce] = [platform.generateToken(), platform.generateToken()];
  const request = { returnTo, verifier, nonce };
  const { state, cookie } = await beginLogin<SocialRequest>(platform, kind, request);
  const redirectUri = toRedirectUri(platform, kind);
  const location = await provider.location({ redirectUri, state, verifier, nonce });
  return { location, cookies: [cookie] };
}

async function verify(
  platform: Platform,
  kind: SocialKind,
  { verifier, nonce }: SocialRequest,
  query: CallbackQuery,
): Promise<SocialIdentityClaims> {
  const provider = await requireOpener(platform, kind)();
  return provider.identify({
    url: toCallbackUrl(toRedirectUri(platform, kind), query),
    verifier,
    nonce,
  });
}

// Sign-ons under way: bound to the browser that began them, good for one ending, over in ten minutes.
import type { Platform } from '../../../composition/platform.ts';
import { sha256Hex } from '../../../domain/record/chain.ts';
import { AppError } from '../../../errors.ts';
import type { OneTimeTokenService } from '../../auth/email-links/one-time-tokens.service.ts';

type Deps = Pick<Platform, 'clock' | 'randomToken'> & {
  oneTimeTokens: OneTimeTokenService;
};

/** By which way somebody signs on. */
export type SignOnKind = 'oauth-a' | 'oauth-b' | 'oauth-c' | 'oidc' | 'saml' | 'saml-logout';

/** What an attempt remembers, besides its kind: plain JSON. */
export type LoginRequestState = Readonly<Record<string, unknown>> & {
  /** An allowed address. */
  returnTo: string;
};

const LIFETIME_MS = 10 * 60_000;

/** The cookie of one attempt: two at once in one browser do not meet. */
const cookieName = (state: string): string => `svc_sign_on_${sha256Hex(state).slice(0, 16)}`;

export type CookieReader = (name: string) => string | null;

export function createLoginRequestService({ oneTimeTokens, clock, randomToken }: Deps) {
  return {
    /** `state` goes to the identity provider and comes back; the cookie stays with the browser. */
    async begin<F extends LoginRequestState>(kind: SignOnKind, facts: F) {
      const secret = randomToken();
      const expiresAt = new Date(clock.now().getTime() + LIFETIME_MS);
      const state = await oneTimeTokens.issue({
        purpose: 'sign-on',
        userId: null,
        expiresAt,
        facts: { ...facts, kind, browser: sha256Hex(secret) },
      });
      return { state, cookie: { name: cookieName(state), value: secret, maxAgeMs: LIFETIME_MS } };
    },

    /**
     * Uses the attempt up and tells what it remembers.
     * @throws AppError `INVALID_TOKEN` for one that is unknown, used, of another kind or of another browser; `EXPIRED`
     */
    async finish<F extends LoginRequestState>(
      kind: SignOnKind,
      state: string,
      cookie: CookieReader,
    ) {
      const { facts } = await oneTimeTokens.peek('sign-on', state);
      const name = cookieName(state);
      const secret = cookie(name);
      if (facts.kind !== kind || secret === null || sha256Hex(secret) !== facts.browser)
        throw new AppError('INVALID_TOKEN', 'This sign-on was not begun here');
      await oneTimeTokens.use('sign-on', state);
      return { facts: facts as unknown as F, spent: { name, value: null } };
    },
  };
}
export type LoginRequestService = ReturnType<typeof createLoginRequestService>;

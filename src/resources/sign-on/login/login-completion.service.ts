// How a sign-on ends in the browser: with a session or a second step in a cookie, or with a code in the query; never with a token in an address.
import type { Platform } from '../../../composition/platform.ts';
import { withQuery } from '../../../domain/identity/redirect-allow-list.ts';
import { AppError, isDuplicateKey } from '../../../errors.ts';
import type { AuditService } from '../../audit/audit.service.ts';
import type { Origin, SessionService } from '../../auth/sessions/sessions.service.ts';
import { reasonOf, refusalEntry } from './refusals.ts';

type SignedIn = Awaited<ReturnType<SessionService['signIn']>>;
export type Cookie = { name: string; value: string | null; maxAgeMs?: number };

type Deps = Pick<Platform, 'logger' | 'redirectAllowList'> & {
  audit: AuditService;
};

/** Read by `GET /auth/oauth-token`. */
export const SESSION_COOKIE = 'svc_oauth_token';
/** Read by `GET /auth/sso/mfa-exchange`. */
export const TEMP_TOKEN_COOKIE = 'svc_sso_mfa_token';
const SESSION_COOKIE_MS = 7 * 24 * 3600_000;
const TEMP_TOKEN_COOKIE_MS = 5 * 60_000;

/** What became known of a sign-on on its way: filled in step by step, so that a failure is told where it belongs. */
export interface LoginContext {
  method: string;
  returnTo?: string;
  /** The organisation whose sign-on it is; absent: nobody's audit logger concerns it. */
  organizationId?: string;
  /** Cookies that are over. */
  spent: Cookie[];
}

/** What may be told of an error; a fault of our own is thrown. */
function refusalIn(error: unknown): AppError {
  if (error instanceof AppError && error.http < 500) return error;
  if (isDuplicateKey(error))
    return new AppError('CONFLICT', 'Somebody else came with the same address at the same time', {
      cause: error,
    });
  throw error;
}

export function createLoginCompletionService({ audit, redirectAllowList, logger }: Deps) {
  /** Where a browser goes whose login request is unknown. */
  const [defaultReturn] = redirectAllowList;
  async function failed(journey: LoginContext, origin: Origin, error: AppError) {
    const { organizationId, method } = journey;
    logger.info(
      { organizationId, method, code: error.code, reason: reasonOf(error) },
      'a sign-on was refused',
    );
    if (organizationId !== undefined) {
      const refusal = {
        organizationId,
        action: 'auth.sso.failure',
        error,
        metadata: { method },
      } as const;
      await audit.write(refusalEntry(refusal, origin));
    }
    const location = withQuery(journey.returnTo ?? defaultReturn, { error: error.code });
    return { location, cookies: journey.spent };
  }

  return {
    /** Ends a journey that was refused; a fault of our own is thrown again. */
    async refused(journey: LoginContext, origin: Origin, error: unknown) {
      return failed(journey, origin, refusalIn(error));
    },

    /**
     * Runs the end of a sign-on. Whatever is refused is audited for the organisation it concerns and told in the query `error`;
     * a fault of our own is thrown.
     */
    async conclude(
      journey: LoginContext,
      origin: Origin,
      work: (journey: LoginContext) => Promise<SignedIn>,
    ) {
      const made = await work(journey).catch(refusalIn);
      if (made instanceof AppError)
        return { ...(await failed(journey, origin, made)), signIn: null };
      const returnTo = journey.returnTo ?? defaultReturn;
      const cookie: Cookie = made.mfaRequired
        ? { name: TEMP_TOKEN_COOKIE, value: made.tempToken, maxAgeMs: TEMP_TOKEN_COOKIE_MS }
        : { name: SESSION_COOKIE, value: made.token, maxAgeMs: SESSION_COOKIE_MS };
      const location = made.mfaRequired ? withQuery(returnTo, { ssoMfa: '1' }) : returnTo;
      return { location, cookies: [...journey.spent, cookie], signIn: made };
    },
  };
}
export type LoginCompletionService = ReturnType<typeof createLoginCompletionService>;

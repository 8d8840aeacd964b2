// The callback of every login: completed with a session or a second step in a cookie, or failed with a code in the query; no token is ever part of an address.
import type { Platform } from '../../../composition/platform.ts';
import { withQuery } from '../../../domain/identity/redirect-allow-list.ts';
import { AppError, isDuplicateKey, reasonOf } from '../../../errors.ts';
import type { AuditService } from '../../audit/audit.service.ts';
import type { Origin, SessionService } from '../../auth/sessions/sessions.service.ts';
import type { EntryBudget } from './entry-budget.ts';
import type {
  Cookie,
  CookieReader,
  FinishedLoginRequest,
  LoginKind,
  LoginRequestService,
  LoginRequestState,
} from './login-requests.service.ts';
import { refusalEntry } from './refusals.ts';

type Deps = Pick<Platform, 'logger' | 'redirectAllowList'> & {
  loginRequests: LoginRequestService;
  audit: AuditService;
  budget: EntryBudget;
};

/** A session, or a temp token where the second factor is missing. */
export type LoginOutcome = Awaited<ReturnType<SessionService['signIn']>>;

/** Where the browser goes after a login, and what it takes along. */
export interface CompletedLogin {
  location: string;
  cookies: Cookie[];
  /** Null: the login failed. */
  signIn: LoginOutcome | null;
}

/** What a failure of a login needs: how the person tried, whose sign-on it is, and where the browser goes. */
export interface LoginContext {
  /** For the audit log. */
  method: string;
  /** Absent: the default, since the login request is unknown. */
  returnTo?: string;
  /** Null: no organisation is concerned. */
  organizationId: string | null;
  /** Cookies to clear. */
  spent: Cookie[];
}

/** The browser is back from a provider. */
export interface LoginCallback<S extends LoginRequestState> {
  kind: LoginKind;
  method: string;
  /** `state`, or `RelayState`. */
  state: string;
  cookie: CookieReader;
  origin: Origin;
  /** Verifies the provider's response to the request, and signs the person in. */
  signIn(request: S): Promise<LoginOutcome>;
}

/** Read by `GET /auth/oauth-token`. */
export const SESSION_COOKIE = 'svc_oauth_token';
/** Read by `GET /auth/sso/mfa-exchange`. */
export const TEMP_TOKEN_COOKIE = 'svc_sso_mfa_token';
const SESSION_COOKIE_MS = 7 * 24 * 3600_000;
const TEMP_TOKEN_COOKIE_MS = 5 * 60_000;
/** An hour and address: more than a person who looks for a mistake, less than what fills a log. */
const MOST_FAILURES = 400;

export function createLoginCompletionService(deps: Deps) {
  const { loginRequests, audit, budget, redirectAllowList, logger } = deps;
  const [defaultReturn] = redirectAllowList;

  /** Audits a refusal in the organisation that it concerns, while strangers have not filled its log with them. */
  async function note(
    { method, organizationId }: { method: string; organizationId: string },
    origin: Origin,
    error: AppError,
  ): Promise<void> {
    const action = 'auth.sso.failure';
    const entry = refusalEntry({ organizationId, action, error, metadata: { method } }, origin);
    const kind = { organizationId, ip: origin.ip, kind: action };
    if (budget.take(kind, MOST_FAILURES)) await audit.write(entry);
  }

  /** Audits a refusal in the organisation that it concerns, and puts its code into the query. A fault of our own is thrown. */
  async function fail(
    { method, organizationId, returnTo = defaultReturn, spent }: LoginContext,
    origin: Origin,
    thrown: unknown,
  ): Promise<CompletedLogin> {
    const error = refusalIn(thrown);
    const { code } = error;
    logger.info({ organizationId, method, code, reason: reasonOf(error) }, 'login refused');
    if (organizationId !== null) await note({ method, organizationId }, origin, error);
    return { location: withQuery(returnTo, { error: code }), cookies: spent, signIn: null };
  }

  return {
    fail,
    note,

    /** Ends the login request that the browser came back with: signed in, or refused with the code in the query. */
    async complete<S extends LoginRequestState>(
      callback: LoginCallback<S>,
    ): Promise<CompletedLogin> {
      const { kind, method, state, cookie, origin } = callback;
      const organizationId = await loginRequests.organizationOf(kind, state);
      let context: LoginContext = { method, organizationId, spent: [] };
      try {
        const finished = await loginRequests.finish<S>(kind, state, cookie);
        context = contextOf(method, finished);
        return completed(finished, await callback.signIn(finished.request));
      } catch (error) {
        return fail(context, origin, error);
      }
    },
  };
}
export type LoginCompletionService = ReturnType<typeof createLoginCompletionService>;

/** What a login request tells of itself. */
export function contextOf(
  method: string,
  { request, spent }: FinishedLoginRequest<LoginRequestState>,
): LoginContext {
  const { returnTo, organizationId } = request;
  return { method, returnTo, organizationId: organizationId ?? null, spent: [spent] };
}

function completed(
  { request: { returnTo }, spent }: FinishedLoginRequest<LoginRequestState>,
  signIn: LoginOutcome,
): CompletedLogin {
  if (signIn.mfaRequired) {
    const cookie = {
      name: TEMP_TOKEN_COOKIE,
      value: signIn.tempToken,
      maxAgeMs: TEMP_TOKEN_COOKIE_MS,
    };
    return { location: withQuery(returnTo, { ssoMfa: '1' }), cookies: [spent, cookie], signIn };
  }
  const cookie = { name: SESSION_COOKIE, value: signIn.token, maxAgeMs: SESSION_COOKIE_MS };
  return { location: returnTo, cookies: [spent, cookie], signIn };
}

/** What may be told of an error. @throws what is a fault of our own */
function refusalIn(error: unknown): AppError {
  if (error instanceof AppError && error.http < 500) return error;
  if (isDuplicateKey(error))
    return new AppError('CONFLICT', 'Another login with this address completed meanwhile', {
      cause: error,
    });
  throw error;
}

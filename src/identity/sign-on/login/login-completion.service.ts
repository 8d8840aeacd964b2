// Completes the callback of every login with a session or second step in a cookie, or with an error code in the query.
import type { Platform } from '../../../platform/platform.ts';
import { withQuery } from '../../../domain/identity/redirect-allow-list.ts';
import { AppError, isDuplicateKey, describeCauses } from '../../../errors.ts';
import { writeAudit } from '../../audit/audit.service.ts';
import type { Origin, SecondStep, SignedIn } from '../../auth/sessions/sessions.service.ts';
import { takeAuditEntry } from './entry-budget.ts';
import {
  type Cookie,
  type CookieReader,
  type FinishedLoginRequest,
  type LoginKind,
  type LoginRequestState,
  findLoginOrganization,
  finishLogin,
} from './login-requests.service.ts';
import { toRefusalEntry } from './refusals.ts';

/** A session, or a temp token while the second factor is missing. */
export type LoginOutcome = SignedIn | SecondStep;

/** The redirect of the browser after a login, and its cookies. */
export interface CompletedLogin {
  location: string;
  cookies: Cookie[];
  /** Null: the login failed. */
  signIn: LoginOutcome | null;
}

/** The context that a failure of a login is audited and answered with. */
export interface LoginContext {
  /** The method that the audit log shows. */
  method: string;
  /** Absent: the default address, since the login request is unknown. */
  returnTo?: string;
  /** Null: no organisation is concerned. */
  organizationId: string | null;
  /** Cookies to clear. */
  spent: Cookie[];
}

/** The return of a browser from a provider. */
export interface LoginCallback<S extends LoginRequestState> {
  kind: LoginKind;
  method: string;
  /** `state`, or `RelayState`. */
  state: string;
  cookie: CookieReader;
  origin: Origin;
  /** Verifies the provider's response to the request, and signs the person in. */
  signIn(request: S): Promise<LoginOutcome>;
  /** Verifies the response to the request of a trial, and keeps the result. */
  tryOut?(request: S, testId: string): Promise<void>;
}

/** Read by `GET /auth/oauth-token`. */
export const SESSION_COOKIE = 'svc_oauth_token';
/** Read by `GET /auth/sso/mfa-exchange`. */
export const TEMP_TOKEN_COOKIE = 'svc_sso_mfa_token';
const SESSION_COOKIE_MS = 7 * 24 * 3600_000;
const TEMP_TOKEN_COOKIE_MS = 5 * 60_000;
/** Limit of audited failures per hour and network address: above what debugging causes, below what floods a log. */
const MOST_FAILURES = 400;

/** Audits a refusal in its organisation, and redirects with its code in the query. Internal faults are thrown. */
export async function failLogin(
  platform: Platform,
  context: LoginContext,
  { origin, error: thrown }: { origin: Origin; error: unknown },
): Promise<CompletedLogin> {
  const { method, organizationId, returnTo = platform.redirectAllowList[0], spent } = context;
  const error = toRefusal(thrown);
  const { code } = error;
  platform.logger.info(
    { organizationId, method, code, reason: describeCauses(error) },
    'login refused',
  );
  if (organizationId !== null)
    await recordRefusal(platform, { method, organizationId }, { origin, error });
  return { location: withQuery(returnTo, { error: code }), cookies: spent, signIn: null };
}

/** Audits a refusal in its organisation, within the budget that keeps strangers from flooding the log. */
export async function recordRefusal(
  platform: Platform,
  { method, organizationId }: { method: string; organizationId: string },
  { origin, error }: { origin: Origin; error: AppError },
): Promise<void> {
  const action = 'auth.sso.failure';
  const entry = toRefusalEntry({ organizationId, action, error, metadata: { method } }, origin);
  const kind = { organizationId, ip: origin.ip, kind: action };
  if (takeAuditEntry(platform, kind, MOST_FAILURES)) await writeAudit(platform, entry);
}

/** Completes the login request of a returning browser: signs in, or redirects with the error code in the query. */
export async function completeLogin<S extends LoginRequestState>(
  platform: Platform,
  callback: LoginCallback<S>,
): Promise<CompletedLogin> {
  const { kind, method, state, cookie, origin } = callback;
  const organizationId = await findLoginOrganization(platform, kind, state);
  let context: LoginContext = { method, organizationId, spent: [] };
  try {
    const finished = await finishLogin<S>(platform, kind, { state, cookie });
    context = toLoginContext(method, finished);
    const { testId, returnTo } = finished.request;
    if (testId !== undefined && callback.tryOut) {
      await callback.tryOut(finished.request, testId);
      const location = withQuery(returnTo, { ssoTest: testId });
      return { location, cookies: [finished.spent], signIn: null };
    }
    return toCompletedLogin(finished, await callback.signIn(finished.request));
  } catch (error) {
    return failLogin(platform, context, { origin, error });
  }
}

/** Returns the context of a finished login request. */
export function toLoginContext(
  method: string,
  { request, spent }: FinishedLoginRequest<LoginRequestState>,
): LoginContext {
  const { returnTo, organizationId } = request;
  return { method, returnTo, organizationId: organizationId ?? null, spent: [spent] };
}

function toCompletedLogin(
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

/** Returns the error if the client may see it. @throws internal faults */
function toRefusal(error: unknown): AppError {
  if (error instanceof AppError && error.http < 500) return error;
  if (isDuplicateKey(error))
    return new AppError('CONFLICT', 'Another login with this address completed at the same time', {
      cause: error,
    });
  throw error;
}

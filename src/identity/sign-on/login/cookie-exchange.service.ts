// Exchanges the cookie of a login for the token of the session, or for the temp token of the second step.
import { AppError } from '../../../errors.ts';
import { beginRequiredEnrolment } from '../../auth/mfa/second-step.service.ts';
import { SESSION_COOKIE, TEMP_TOKEN_COOKIE } from './login-completion.service.ts';
import type { Cookie, CookieReader } from './login-requests.service.ts';
import type { ExchangedSession, ExchangedTempToken } from './sign-on.schemas.ts';
import { authenticateSession } from '../../auth/sessions/authentication.service.ts';
import type { Platform } from '../../../platform/platform.ts';

/** The data that a cookie was exchanged for, and the reply parts that clear it. */
interface CookieExchange<D> {
  data: D;
  parts: { cookies: Cookie[] };
}

/** @throws AppError `NO_TOKEN` without the cookie, and one of the 401 codes of an ended session */
export async function redeemSessionCookie(
  platform: Platform,
  cookie: CookieReader,
): Promise<CookieExchange<ExchangedSession>> {
  const token = requireCookie(cookie, SESSION_COOKIE);
  const { tenant, user, role } = await authenticateSession(platform, token);
  if (!user) throw new AppError('UNAUTHORIZED_NO_USER');
  const { organizationId } = tenant;
  const data = { token, expiresAt: new Date(user.expiresAt), organizationId, role };
  return { data, parts: clearCookie(SESSION_COOKIE) };
}

/** @throws AppError `NO_TOKEN` without the cookie, and one of the 401 codes of an ended temp token */
export async function redeemSecondStepCookie(
  platform: Platform,
  cookie: CookieReader,
): Promise<CookieExchange<ExchangedTempToken>> {
  const tempToken = requireCookie(cookie, TEMP_TOKEN_COOKIE);
  const enrolment = await beginRequiredEnrolment(platform, tempToken);
  const data = { mfaRequired: true as const, tempToken, ...(enrolment && { enrolment }) };
  return { data, parts: clearCookie(TEMP_TOKEN_COOKIE) };
}

function requireCookie(cookie: CookieReader, name: string): string {
  const value = cookie(name);
  if (value === null || value === '')
    throw new AppError('NO_TOKEN', `Cookie ${name} is missing: no login has just completed here`);
  return value;
}

/** Clears the cookie, which is valid for one exchange. */
const clearCookie = (name: string): CookieExchange<never>['parts'] => ({
  cookies: [{ name, value: null }],
});

// What a sign-on left in a cookie, for the page it returned to: the session's token, or the temp token of the second step.
import { AppError } from '../../../errors.ts';
import type { MfaService } from '../../auth/mfa/mfa.service.ts';
import type { SessionService } from '../../auth/sessions/sessions.service.ts';
import type { CookieReader } from './login-requests.service.ts';
import { SESSION_COOKIE, TEMP_TOKEN_COOKIE } from './login-completion.service.ts';

/** A cookie is good for one exchange, and what it is exchanged for is kept nowhere on its way. */
const once = (name: string) => ({
  cookies: [{ name, value: null }],
  headers: { 'Cache-Control': 'no-store' },
});

export function createExchangeService({
  sessions,
  mfa,
}: {
  sessions: SessionService;
  mfa: MfaService;
}) {
  function valueOf(cookie: CookieReader, name: string): string {
    const value = cookie(name);
    if (value === null || value === '')
      throw new AppError('NO_TOKEN', 'No sign-on has just ended in this browser');
    return value;
  }

  return {
    /** @throws AppError `NO_TOKEN` without the cookie, and one of the 401 codes of a session that is over */
    async session(cookie: CookieReader) {
      const token = valueOf(cookie, SESSION_COOKIE);
      const { tenant, user, role } = await sessions.authenticate(token);
      if (!user) throw new AppError('UNAUTHORIZED_NO_USER');
      const { organizationId } = tenant;
      const data = { token, expiresAt: new Date(user.expiresAt), organizationId, role };
      return { data, parts: once(SESSION_COOKIE) };
    },

    /** @throws AppError `NO_TOKEN` without the cookie, and one of the 401 codes of a temp token that is over */
    async secondStep(cookie: CookieReader) {
      const tempToken = valueOf(cookie, TEMP_TOKEN_COOKIE);
      await mfa.requireWaiting(tempToken);
      return { data: { mfaRequired: true as const, tempToken }, parts: once(TEMP_TOKEN_COOKIE) };
    },
  };
}
export type ExchangeService = ReturnType<typeof createExchangeService>;

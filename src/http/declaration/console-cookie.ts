// The session cookie of the console, as routes set and clear it: only pages of this service send it, and no script reads it.
import type { ReplyCookie } from './define-route.ts';

export const CONSOLE_COOKIE = 'assay_session';
const scope = { name: CONSOLE_COOKIE, path: '/api' } as const;

export const toConsoleCookie = (token: string, maxAgeMs: number): ReplyCookie => ({
  ...scope,
  value: token,
  maxAgeMs,
});
export const clearedConsoleCookie: ReplyCookie = { ...scope, value: null };

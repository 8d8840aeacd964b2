// Reads the session cookie of the console, which a request carries instead of a bearer token.
import { parseCookie } from 'cookie';
import type { Request } from 'express';
import { AppError } from '../../errors.ts';
import { CONSOLE_COOKIE } from '../declaration/console-cookie.ts';
import type { Auth } from '../declaration/principals.ts';

/** Name of the Express setting with the origin under which browsers reach the app. */
export const PUBLIC_ORIGIN = 'public origin';

/** Kinds of routes that people call. */
const FOR_PEOPLE: ReadonlySet<Auth> = new Set(['user', 'reader', 'calendar']);
const READING: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/**
 * Returns the token of the cookie; null unless the console sent the request. A page of another origin cannot set
 * `X-Assay-Console` without a preflight, which this service refuses.
 * @throws AppError `FORBIDDEN` when a page of another origin sent it
 */
export function readConsoleToken(req: Request, auth: Auth): string | null {
  const { authorization, cookie, 'x-assay-console': marker } = req.headers;
  if (authorization !== undefined || marker !== '1' || !FOR_PEOPLE.has(auth)) return null;
  const token = parseCookie(cookie ?? '')[CONSOLE_COOKIE] ?? '';
  if (token === '') return null;
  refuseOtherOrigins(req);
  return token;
}

/** @throws AppError `FORBIDDEN` when a page of another origin sent the request */
export function refuseOtherOrigins(req: Request): void {
  const { origin, 'sec-fetch-site': site = 'same-origin' } = req.headers;
  const isOwn = isOwnOrigin(req, origin);
  const isFine = origin === undefined ? READING.has(req.method) : isOwn;
  if (site === 'same-origin' && isFine) return;
  const own = req.app.get(PUBLIC_ORIGIN) as string;
  throw new AppError(
    'FORBIDDEN',
    `The session cookie serves pages of this service alone: open the console at ${own}/console`,
  );
}

/** Whether an origin is the public one, or the address that the request was sent to. */
function isOwnOrigin(req: Request, origin: string | undefined): boolean {
  const sentTo = `${req.protocol}://${req.headers.host ?? ''}`;
  return origin === req.app.get(PUBLIC_ORIGIN) || origin === sentTo;
}

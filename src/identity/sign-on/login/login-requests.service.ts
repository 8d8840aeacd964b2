// Login requests: bound to the browser that began them, valid for one callback within ten minutes.
import type { Platform } from '../../../platform/platform.ts';
import { sha256Hex } from '../../../domain/record/chain.ts';
import { AppError } from '../../../errors.ts';
import {
  issueToken,
  findToken,
  consumeToken,
} from '../../auth/email-links/one-time-tokens.service.ts';

/** The purpose of a login request. */
export type LoginKind =
  | 'oauth-a'
  | 'oauth-b'
  | 'oauth-c'
  | 'oidc'
  | 'oidc-logout'
  | 'saml'
  | 'saml-logout';

/** The plain JSON that a login request stores until its callback, besides its kind. */
export type LoginRequestState = Readonly<Record<string, unknown>> & {
  /** An address of the redirect allow-list. */
  returnTo: string;
  /** The organisation of the sign-on; absent for social login. */
  organizationId?: string;
  /** The trial of settings that the request belongs to; absent: a sign-on. */
  testId?: string;
};

/** A cookie to set, or with the value null to clear. */
export interface Cookie {
  name: string;
  value: string | null;
  maxAgeMs?: number;
}

export type CookieReader = (name: string) => string | null;

/** A login request that has just begun. */
export interface NewLoginRequest {
  /** Goes to the identity provider and comes back: `state`, or `RelayState`. */
  state: string;
  /** Stays with the browser. */
  cookie: Cookie;
}

/** A login request whose callback has come. */
export interface FinishedLoginRequest<S extends LoginRequestState> {
  request: S;
  /** Clears the cookie of the request. */
  spent: Cookie;
}

const LIFETIME_MS = 10 * 60_000;

/** Names one cookie per request, so that simultaneous logins in one browser do not collide. */
const toCookieName = (state: string): string => `svc_sign_on_${sha256Hex(state).slice(0, 16)}`;

/** Finds the organisation of a request, from any browser; null: it has none, or it has ended. */
export async function findLoginOrganization(
  platform: Platform,
  kind: LoginKind,
  state: string,
): Promise<string | null> {
  const request = await findToken(platform, 'sign-on', state).catch(() => null);
  if (request?.facts.kind !== kind) return null;
  const { organizationId } = request.facts;
  return typeof organizationId === 'string' ? organizationId : null;
}

export async function beginLogin<S extends LoginRequestState>(
  platform: Platform,
  kind: LoginKind,
  request: S,
): Promise<NewLoginRequest> {
  const secret = platform.generateToken();
  const expiresAt = new Date(platform.clock.now().getTime() + LIFETIME_MS);
  const state = await issueToken(platform, {
    purpose: 'sign-on',
    userId: null,
    expiresAt,
    facts: { ...request, kind, browser: sha256Hex(secret) },
  });
  return { state, cookie: { name: toCookieName(state), value: secret, maxAgeMs: LIFETIME_MS } };
}

/**
 * Consumes the login request.
 * @throws AppError `INVALID_TOKEN` for one that is unknown, used, of another kind or of another browser; `EXPIRED`
 */
export async function finishLogin<S extends LoginRequestState>(
  platform: Platform,
  kind: LoginKind,
  { state, cookie }: { state: string; cookie: CookieReader },
): Promise<FinishedLoginRequest<S>> {
  const { facts } = await findToken(platform, 'sign-on', state);
  const name = toCookieName(state);
  const secret = cookie(name);
  if (facts.kind !== kind || secret === null || sha256Hex(secret) !== facts.browser)
    throw new AppError('INVALID_TOKEN', 'Login request was not begun in this browser: begin again');
  await consumeToken(platform, 'sign-on', state);
  return { request: facts as unknown as S, spent: { name, value: null } };
}

// Authenticates a request: by session token (also in the console's cookie), API key, SCIM token or feed token.
import type { IncomingHttpHeaders } from 'node:http';
import type { Request } from 'express';
import { AppError } from '../../errors.ts';
import type { Route } from '../declaration/define-route.ts';
import type { Caller } from '../../domain/identity/tenant.ts';
import { readConsoleToken } from './console-cookie.ts';
import { authenticateKey } from '../../identity/auth/keys/key-authentication.service.ts';
import type { Platform } from '../../platform/platform.ts';
import { authenticateSession } from '../../identity/auth/sessions/authentication.service.ts';
import {
  redeemStreamToken,
  authenticateForStream,
} from '../../identity/auth/sessions/stream-tokens.service.ts';
import { authenticateDirectory } from '../../identity/scim/tokens/scim-tokens.service.ts';

const KEY_PREFIX = /^svc_/;
/** Routes that take keys beside sessions. */
const TAKES_KEYS: ReadonlySet<Route['auth']> = new Set(['reader', 'keyOrUser']);

interface Credentials {
  apiKey: string | null;
  token: string | null;
}

/** Parses `X-API-Key: <key>`, `Authorization: Bearer <key>` or `Authorization: Bearer <JWT>`. */
function parseCredentials(headers: IncomingHttpHeaders): Credentials {
  const bearer = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? null;
  const header = headers['x-api-key'];
  if (typeof header === 'string' && header !== '') return { apiKey: header, token: null };
  if (bearer !== null && KEY_PREFIX.test(bearer)) return { apiKey: bearer, token: null };
  return { apiKey: null, token: bearer };
}

/** Authenticates by the token of a calendar feed. */
export type FeedAuthentication = (token: string) => Promise<Caller>;

/**
 * Authenticates a request for a route that is not public.
 * @throws AppError a 401 code; `FORBIDDEN` for a valid credential of the wrong kind
 */
export async function authenticate(
  req: Request,
  route: Route,
  { platform, authenticateFeed }: { platform: Platform; authenticateFeed: FeedAuthentication },
): Promise<Caller> {
  const credential = route.kind === 'stream' ? readStreamCredential(req) : null;
  if (credential) return authenticateStream(platform, credential);
  const { apiKey, token } = parseCredentials(req.headers);
  const feedToken = route.auth === 'calendar' ? req.query.token : undefined;
  if (typeof feedToken === 'string' && feedToken !== '') return authenticateFeed(feedToken);
  if (route.auth === 'scim') return authenticateDirectory(platform, token);
  const requiresKey = route.auth === 'anyKey' || route.auth === 'workspaceKey';
  if (apiKey !== null) return requireKeyAccess(await authenticateKey(platform, apiKey), route);
  const session = token ?? readConsoleToken(req, route.auth);
  if (session === null) throw new AppError(requiresKey ? 'NO_API_KEY' : 'NO_TOKEN');
  if (requiresKey) throw new AppError('INVALID_API_KEY_FORMAT');
  return authenticateSession(platform, session);
}

interface StreamCredential {
  kind: 'stream_token' | 'token';
  /** Empty when the parameter is given twice. */
  value: string;
}

/** Reads the credential from the query: a browser cannot set headers on an event stream. */
export function readStreamCredential({ query }: Request): StreamCredential | null {
  for (const kind of ['stream_token', 'token'] as const) {
    const value = query[kind];
    if (value !== undefined) return { kind, value: typeof value === 'string' ? value : '' };
  }
  return null;
}

function authenticateStream(
  platform: Platform,
  { kind, value }: StreamCredential,
): Promise<Caller> {
  return kind === 'token'
    ? authenticateForStream(platform, value)
    : redeemStreamToken(platform, value);
}

function requireKeyAccess(caller: Caller, route: Route): Caller {
  const { key } = caller;
  if (route.auth === 'user' || route.auth === 'calendar')
    throw new AppError('FORBIDDEN', 'This operation requires a session token');
  if (route.auth !== 'anyKey' && key?.kind === 'agentKey' && !route.agentKeys)
    throw new AppError('FORBIDDEN', 'Agent keys can only ingest decisions');
  if (route.auth === 'anyKey' && route.method !== 'get' && key?.isForFeedback)
    throw new AppError('FORBIDDEN', 'This key gives feedback: it does not ingest');
  if (route.method !== 'get' && key?.readOnly)
    throw new AppError('FORBIDDEN', 'This key is read-only');
  const scoped = caller.tenant.agentIds !== null && TAKES_KEYS.has(route.auth);
  if (scoped && route.agentScope === undefined)
    throw new AppError('FORBIDDEN', 'This key is limited to certain agents');
  if (route.allWorkspaces && key && key.workspaceId !== null)
    throw new AppError('FORBIDDEN', 'This key is bound to a workspace');
  return caller;
}

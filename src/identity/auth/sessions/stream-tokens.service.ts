// Stream tokens open an event stream, because session tokens must not be part of a URL (document 1, section 5).
import type { Platform } from '../../../platform/platform.ts';
import type { Caller } from '../../../domain/identity/tenant.ts';
import { AppError } from '../../../errors.ts';
import { issueToken, consumeToken } from '../email-links/one-time-tokens.service.ts';
import type { StreamToken } from '../auth.schemas.ts';
import { authenticateSession, resumeSession } from './authentication.service.ts';
import type { UserContext } from '../../../platform/context.ts';

const LIFETIME_MS = 60_000;

/** Issues a token that is bound to the session and to the workspace of the request. */
export async function issueStreamToken({
  platform,
  tenant: { organizationId, workspaceId },
  user: { userId, jti, expiresAt: sessionEnd },
}: UserContext): Promise<StreamToken> {
  const expiresAt = new Date(platform.clock.now().getTime() + LIFETIME_MS);
  const facts = {
    organizationId,
    jti,
    sessionEnd,
    ...(workspaceId !== null && { workspaceId }),
  };
  return {
    streamToken: await issueToken(platform, { purpose: 'stream', userId, facts, expiresAt }),
    expiresAt,
  };
}

/**
 * Consumes the token and returns the caller, whose session must still be open.
 * @throws AppError `INVALID_STREAM_TOKEN` for any error
 */
export function redeemStreamToken(platform: Platform, streamToken: string): Promise<Caller> {
  return translateErrors(() => consumeStreamToken(platform, streamToken));
}

/**
 * Accepts a session token in the URL, for clients without a stream token.
 * @throws AppError `INVALID_STREAM_TOKEN` for any error
 */
export function authenticateForStream(platform: Platform, token: string): Promise<Caller> {
  return translateErrors(() => authenticateSession(platform, token));
}

/** Turns every error of a credential into one code. @throws AppError `INVALID_STREAM_TOKEN` */
async function translateErrors(authenticate: () => Promise<Caller>): Promise<Caller> {
  try {
    return await authenticate();
  } catch (error) {
    if (error instanceof AppError && error.http < 500) throw new AppError('INVALID_STREAM_TOKEN');
    throw error;
  }
}

async function consumeStreamToken(platform: Platform, streamToken: string): Promise<Caller> {
  const { userId, facts } = await consumeToken(platform, 'stream', streamToken);
  const { organizationId, jti, sessionEnd, workspaceId } = facts;
  const caller = await resumeSession(platform, {
    sub: String(userId),
    organizationId: String(organizationId),
    jti: String(jti),
    exp: Number(sessionEnd) / 1000,
  });
  if (typeof workspaceId === 'string') caller.tenant = { ...caller.tenant, workspaceId };
  return caller;
}

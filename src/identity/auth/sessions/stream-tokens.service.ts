// Stream tokens open an event stream, because session tokens must not be part of a URL (document 1, section 5).
import type { Platform } from '../../../platform/platform.ts';
import type { Caller, Tenant, User } from '../../../domain/identity/tenant.ts';
import { AppError } from '../../../errors.ts';
import type { OneTimeTokenService } from '../email-links/one-time-tokens.service.ts';
import type { SessionService } from './sessions.service.ts';
import type { StreamToken } from '../auth.schemas.ts';

interface Deps {
  sessions: SessionService;
  oneTimeTokens: OneTimeTokenService;
}

const LIFETIME_MS = 60_000;

export function createStreamTokenService(
  { clock }: Pick<Platform, 'clock'>,
  { sessions, oneTimeTokens }: Deps,
) {
  /** Turns every error of a credential into one code. @throws AppError `INVALID_STREAM_TOKEN` */
  async function translateErrors(authenticate: () => Promise<Caller>): Promise<Caller> {
    try {
      return await authenticate();
    } catch (error) {
      if (error instanceof AppError && error.http < 500) throw new AppError('INVALID_STREAM_TOKEN');
      throw error;
    }
  }

  async function redeem(streamToken: string): Promise<Caller> {
    const { userId, facts } = await oneTimeTokens.consumeToken('stream', streamToken);
    const { organizationId, jti, sessionEnd, workspaceId } = facts;
    const caller = await sessions.resume({
      sub: String(userId),
      organizationId: String(organizationId),
      jti: String(jti),
      exp: Number(sessionEnd) / 1000,
    });
    if (typeof workspaceId === 'string') caller.tenant = { ...caller.tenant, workspaceId };
    return caller;
  }

  return {
    /** Issues a token that is bound to the session and to the workspace of the request. */
    async issue(
      { organizationId, workspaceId }: Tenant,
      { userId, jti, expiresAt: sessionEnd }: User,
    ): Promise<StreamToken> {
      const expiresAt = new Date(clock.now().getTime() + LIFETIME_MS);
      const facts = {
        organizationId,
        jti,
        sessionEnd,
        ...(workspaceId !== null && { workspaceId }),
      };
      return {
        streamToken: await oneTimeTokens.issue({ purpose: 'stream', userId, facts, expiresAt }),
        expiresAt,
      };
    },

    /**
     * Consumes the token and returns the caller, whose session must still be open.
     * @throws AppError `INVALID_STREAM_TOKEN` for any error
     */
    redeem: (streamToken: string): Promise<Caller> => translateErrors(() => redeem(streamToken)),

    /**
     * Accepts a session token in the URL, for clients without a stream token.
     * @throws AppError `INVALID_STREAM_TOKEN` for any error
     */
    authenticate: (token: string): Promise<Caller> =>
      translateErrors(() => sessions.authenticate(token)),
  };
}
export type StreamTokenService = ReturnType<typeof createStreamTokenService>;

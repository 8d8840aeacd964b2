// Stream tokens: what opens an event stream instead of the session token, which must not stand in an address (document 1, section 5).
import type { Platform } from '../../../composition/platform.ts';
import type { Caller, Tenant, User } from '../../../domain/identity/tenant.ts';
import { AppError } from '../../../errors.ts';
import type { OneTimeTokenService } from '../email-links/one-time-tokens.service.ts';
import type { SessionService } from './sessions.service.ts';

type Deps = Pick<Platform, 'clock'> & {
  sessions: SessionService;
  oneTimeTokens: OneTimeTokenService;
};

interface StreamToken {
  streamToken: string;
  expiresAt: Date;
}

const LIFETIME_MS = 60_000;

export function createStreamTokenService({ sessions, oneTimeTokens, clock }: Deps) {
  /** @throws AppError `INVALID_STREAM_TOKEN` for whatever is wrong with a credential */
  async function asStreamToken(authenticate: () => Promise<Caller>): Promise<Caller> {
    try {
      return await authenticate();
    } catch (error) {
      if (error instanceof AppError && error.http < 500) throw new AppError('INVALID_STREAM_TOKEN');
      throw error;
    }
  }

  async function redeem(streamToken: string): Promise<Caller> {
    const { userId, facts } = await oneTimeTokens.use('stream', streamToken);
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
    /** Bound to the session, and to the workspace that the request chose. */
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

    /** The caller, whose session must still be open; uses the token up. @throws AppError `INVALID_STREAM_TOKEN`, whatever is wrong */
    redeem: (streamToken: string): Promise<Caller> => asStreamToken(() => redeem(streamToken)),

    /** By a session token in the address, for those who mint no stream token. @throws AppError `INVALID_STREAM_TOKEN`, whatever is wrong */
    authenticate: (token: string): Promise<Caller> =>
      asStreamToken(() => sessions.authenticate(token)),
  };
}
export type StreamTokenService = ReturnType<typeof createStreamTokenService>;

// Handles a logout that was begun at the identity provider: ends the named sessions, and returns their user.
import type { Platform } from '../../../platform/platform.ts';
import type { UserDocument } from '../../auth/accounts/users.model.ts';
import type { NamedSessions, SessionService } from '../../auth/sessions/sessions.service.ts';

interface Deps {
  sessions: SessionService;
}

/** The audit data of a logout: the user, and the number of ended sessions. */
export interface LogoutEntry {
  organizationId: string;
  userId?: string;
  userEmail?: string;
  metadata: Record<string, unknown>;
}

export function createProviderLogoutService(
  { models }: Pick<Platform, 'models'>,
  { sessions }: Deps,
) {
  return {
    /** Returns the data for the audit log. */
    async endSessions(organizationId: string, named: NamedSessions): Promise<LogoutEntry> {
      const { revoked, userId } = await sessions.endSignedOn(organizationId, named);
      const metadata = { method: named.protocol, by: 'identity_provider', revoked };
      const user =
        userId &&
        (await models.users.findById(userId, 'email').lean<Pick<UserDocument, 'email'>>());
      if (!userId || !user) return { organizationId, metadata };
      return { organizationId, userId: userId.toHexString(), userEmail: user.email, metadata };
    },
  };
}
export type ProviderLogoutService = ReturnType<typeof createProviderLogoutService>;

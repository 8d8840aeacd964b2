// A logout that is begun at the identity provider: ends the sessions that it names, and tells whose they were.
import type { Platform } from '../../../composition/platform.ts';
import type { UserDocument } from '../../auth/accounts/users.model.ts';
import type { NamedSessions, SessionService } from '../../auth/sessions/sessions.service.ts';

type Deps = Pick<Platform, 'models'> & { sessions: SessionService };

/** For the audit log: whose sessions have ended, and how many. */
export interface LogoutEntry {
  organizationId: string;
  userId?: string;
  userEmail?: string;
  metadata: Record<string, unknown>;
}

export function createProviderLogoutService({ models, sessions }: Deps) {
  return {
    /** Answers what the audit log keeps of it. */
    async end(organizationId: string, named: NamedSessions): Promise<LogoutEntry> {
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

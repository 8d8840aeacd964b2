// Handles a logout that was begun at the identity provider: ends the named sessions, and returns their user.
import type { AccountReader } from '../../auth/accounts/account-reader.service.ts';
import type { NamedSessions, SessionService } from '../../auth/sessions/sessions.service.ts';

interface Deps {
  accountReader: AccountReader;
  sessions: SessionService;
}

/** The audit data of a logout: the user, and the number of ended sessions. */
export interface LogoutEntry {
  organizationId: string;
  userId?: string;
  userEmail?: string;
  metadata: Record<string, unknown>;
}

export function createProviderLogoutService({ accountReader, sessions }: Deps) {
  return {
    /** Returns the data for the audit log. */
    async endSessions(organizationId: string, named: NamedSessions): Promise<LogoutEntry> {
      const { revoked, userId } = await sessions.endSignedOn(organizationId, named);
      const metadata = { method: named.protocol, by: 'identity_provider', revoked };
      const userEmail = userId && (await accountReader.findAddress(userId));
      if (!userId || !userEmail) return { organizationId, metadata };
      return { organizationId, userId: userId.toHexString(), userEmail, metadata };
    },
  };
}
export type ProviderLogoutService = ReturnType<typeof createProviderLogoutService>;

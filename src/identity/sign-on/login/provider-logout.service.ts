// Handles a logout that was begun at the identity provider: ends the named sessions, and returns their user.
import { findUserAddress } from '../../auth/accounts/account-reader.service.ts';
import type { NamedSessions } from '../../auth/sessions/sessions.service.ts';
import type { Platform } from '../../../platform/platform.ts';
import { endSignedOnSessions } from '../../auth/sessions/open-sessions.service.ts';

/** The audit data of a logout: the user, and the number of ended sessions. */
export interface LogoutEntry {
  organizationId: string;
  userId?: string;
  userEmail?: string;
  metadata: Record<string, unknown>;
}

/** Returns the data for the audit log. */
export async function endProviderSessions(
  platform: Platform,
  organizationId: string,
  named: NamedSessions,
): Promise<LogoutEntry> {
  const { revoked, userId } = await endSignedOnSessions(platform, organizationId, named);
  const metadata = { method: named.protocol, by: 'identity_provider', revoked };
  const userEmail = userId && (await findUserAddress(platform, userId));
  if (!userId || !userEmail) return { organizationId, metadata };
  return { organizationId, userId: userId.toHexString(), userEmail, metadata };
}

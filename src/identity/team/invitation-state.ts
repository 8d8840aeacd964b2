// The state of an invitation: pending until it is accepted, revoked or expired.
import { AppError } from '../../errors.ts';
import type { InvitationDocument } from './invitations.model.ts';

export type InvitationEnd = 'accepted' | 'revoked' | 'expired';

/** Selects the invitations of an organisation that can still be accepted. */
export const toPendingFilter = (organizationId: string, now: Date) => ({
  organizationId,
  acceptedAt: null,
  revokedAt: null,
  expiresAt: { $gt: now },
});

/** Returns how an invitation has ended; null while it can be accepted. */
export function toInvitationEnd(
  { acceptedAt, revokedAt, expiresAt }: InvitationDocument,
  now: Date,
): InvitationEnd | null {
  if (acceptedAt) return 'accepted';
  if (revokedAt) return 'revoked';
  return expiresAt <= now ? 'expired' : null;
}

/** Explains why an invitation that is not pending can be neither changed nor accepted. */
export function toInvitationRefusal(invitation: InvitationDocument, now: Date): AppError {
  const end = toInvitationEnd(invitation, now);
  if (end === null) return new AppError('CONFLICT');
  return end === 'accepted'
    ? new AppError('INVITE_ALREADY_USED')
    : new AppError('EXPIRED', `The invitation is ${end}`);
}

// Accepting an invitation: the account proves itself or is made, the membership and the session come in one transaction (document 1, section 3).
import type { z } from 'zod';
import { AppError } from '../../errors.ts';
import type { Models } from '../../models.ts';
import type { AuditService } from '../audit/audit.service.ts';
import type { InvitedService } from '../auth/invited.service.ts';
import type { Origin, SessionService } from '../auth/sessions.service.ts';
import type { MembershipService } from '../organization/memberships.service.ts';
import type { InvitationDocument } from './invitations.model.ts';
import type { InvitationService } from './invitations.service.ts';
import type { acceptInput } from './invitations.schemas.ts';

interface Deps {
  models: Models;
  invitations: InvitationService;
  memberships: MembershipService;
  invited: InvitedService;
  sessions: SessionService;
  audit: AuditService;
  transaction: <T>(work: () => Promise<T>) => Promise<T>;
}

export function createAcceptanceService({
  models,
  invitations,
  memberships,
  invited,
  sessions,
  audit,
  transaction,
}: Deps) {
  /** The organisation that invited is told of every wrong password. */
  async function noteFailure(invitation: InvitationDocument, origin: Origin): Promise<void> {
    await audit.write({
      organizationId: invitation.organizationId.toHexString(),
      workspaceId: null,
      userId: null,
      userEmail: invitation.email,
      userRole: invitation.role,
      action: 'team.invite.accepted',
      resource: 'invitation',
      resourceId: invitation._id.toHexString(),
      status: 'failure',
      detail: 'wrong password',
      metadata: {},
      ipAddress: origin.ip || null,
      userAgent: origin.userAgent,
    });
  }

  return {
    /**
     * @throws AppError `NOT_FOUND`, `INVITE_ALREADY_USED`, `EXPIRED`, `ALREADY_MEMBER`, `VALIDATION_ERROR` for a new account's
     * password, `INVALID_CREDENTIALS` for the wrong one of an account that exists, and what signing in throws
     */
    async accept(token: string, { name, password }: z.output<typeof acceptInput>, origin: Origin) {
      const invitation = await invitations.open(token);
      const { organizationId, email, role } = invitation;
      // A transaction too: outside of one it would wait, on a connection, for others that then find none to end on.
      await transaction(() => invitations.attempt(invitation));
      const proof = await invited.prove({ email, name, password }).catch(async (error: unknown) => {
        if (error instanceof AppError && error.code === 'INVALID_CREDENTIALS') await noteFailure(invitation, origin);
        throw error;
      });
      return transaction(async () => {
        await invitations.consume(invitation);
        const user = await invited.account(proof, organizationId.toHexString(), origin);
        if (await memberships.find(organizationId.toHexString(), user._id.toHexString()))
          throw new AppError('ALREADY_MEMBER');
        await models.memberships.create([{ organizationId, userId: user._id, role }]);
        return { ...(await sessions.signIn(user, origin)), user, invitationId: invitation._id };
      });
    },
  };
}
export type AcceptanceService = ReturnType<typeof createAcceptanceService>;

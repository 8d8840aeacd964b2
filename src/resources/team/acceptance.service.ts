// Accepting an invitation: the account proves itself or is made, the membership and the session come in one transaction (document 1, section 3).
import type { z } from 'zod';
import type { Platform } from '../../composition/platform.ts';
import { AppError } from '../../errors.ts';
import type { InviteeAccountService } from '../auth/accounts/invitee-account.service.ts';
import type { Origin, SessionService } from '../auth/sessions/sessions.service.ts';
import type { MembershipService } from '../organization/memberships/memberships.service.ts';
import type { acceptInput } from './invitations.schemas.ts';
import type { InvitationService } from './invitations.service.ts';

type Deps = Pick<Platform, 'models' | 'transaction'> & {
  invitations: InvitationService;
  memberships: MembershipService;
  inviteeAccounts: InviteeAccountService;
  sessions: SessionService;
};

export function createAcceptanceService({
  models,
  invitations,
  memberships,
  inviteeAccounts,
  sessions,
  transaction,
}: Deps) {
  return {
    /**
     * @throws AppError `NOT_FOUND`, `INVITE_ALREADY_USED`, `EXPIRED`, `ALREADY_MEMBER`, `VALIDATION_ERROR` for a new account's
     * password, `INVALID_CREDENTIALS` for the wrong one of an account that exists
     */
    async accept(token: string, { name, password }: z.output<typeof acceptInput>, origin: Origin) {
      const invitation = await invitations.open(token);
      const { organizationId, email, role } = invitation;
      // A transaction too: outside of one it would wait, on a connection, for others that then find none to end on.
      await transaction(() => invitations.attempt(invitation));
      const answered = await inviteeAccounts.answer({ email, name, password }, origin);
      return transaction(async () => {
        await invitations.consume(invitation);
        const user = await inviteeAccounts.account(answered, organizationId.toHexString());
        if (await memberships.find(organizationId.toHexString(), user._id.toHexString()))
          throw new AppError('ALREADY_MEMBER');
        await models.memberships.create([{ organizationId, userId: user._id, role }]);
        const session = await sessions.signIn(user, origin, {
          method: 'invitation',
          secondFactor: null,
        });
        return { ...session, invitationId: invitation._id.toHexString() };
      });
    },
  };
}
export type AcceptanceService = ReturnType<typeof createAcceptanceService>;

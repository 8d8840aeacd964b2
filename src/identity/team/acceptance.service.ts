// Invitations for their holder: shown and accepted, which creates membership and session in one transaction.
import type { z } from 'zod';
import type { Platform } from '../../platform/platform.ts';
import type { Role } from '../../domain/identity/roles.ts';
import { sha256Hex } from '../../domain/record/chain.ts';
import { AppError } from '../../errors.ts';
import { findOr404 } from '../../platform/mongo/queries.ts';
import type { InviteeAccountService } from '../auth/accounts/invitee-account.service.ts';
import type {
  Origin,
  SecondStep,
  SessionService,
  SignedIn,
} from '../auth/sessions/sessions.service.ts';
import type { MembershipService } from '../organization/memberships/memberships.service.ts';
import type { OrganizationFacts } from '../organization/organization-facts.service.ts';
import { toInvitationEnd, type InvitationEnd, toInvitationRefusal } from './invitation-state.ts';
import type { InvitationDocument } from './invitations.model.ts';
import type { acceptInput } from './invitations.schemas.ts';
import type { InvitationService } from './invitations.service.ts';

interface Deps {
  invitations: InvitationService;
  memberships: MembershipService;
  inviteeAccounts: InviteeAccountService;
  sessions: SessionService;
  organizationFacts: OrganizationFacts;
}

interface Offer {
  valid: true;
  organizationName: string;
  role: Role;
  inviterEmail: string;
  expiresAt: Date;
}
interface EndedOffer {
  valid: false;
  reason: InvitationEnd;
}
type Accepted = (SignedIn | SecondStep) & { invitationId: string };

/** The holder of a token may try this number of passwords of the invited account. */
const MAX_ATTEMPTS = 20;
const PROOF = { method: 'invitation', secondFactor: null };

export function createAcceptanceService(
  platform: Pick<Platform, 'models' | 'clock' | 'transaction'>,
  deps: Deps,
) {
  const { models, clock, transaction } = platform;
  const { invitations, memberships, inviteeAccounts, sessions, organizationFacts } = deps;

  function findInvitation(token: string): Promise<InvitationDocument> {
    const query = models.invitations
      .findOne({ tokenHash: sha256Hex(token) }, null, { crossTenant: true })
      .lean<InvitationDocument>();
    return findOr404(query, 'No such invitation');
  }

  /** @throws AppError `NOT_FOUND`, `INVITE_ALREADY_USED`, `EXPIRED` */
  async function findPending(token: string): Promise<InvitationDocument> {
    const invitation = await findInvitation(token);
    if (toInvitationEnd(invitation, clock.now()) !== null)
      throw toInvitationRefusal(invitation, clock.now());
    return invitation;
  }

  /** Counts one password attempt. @throws AppError `RATE_LIMIT_EXCEEDED` beyond twenty since the mail was last sent */
  async function takeAttempt({ _id, organizationId }: InvitationDocument): Promise<void> {
    const { modifiedCount } = await models.invitations.updateOne(
      { _id, organizationId, attempts: { $lt: MAX_ATTEMPTS } },
      { $inc: { attempts: 1 } },
    );
    if (modifiedCount === 0)
      throw new AppError('RATE_LIMIT_EXCEEDED', 'Too many attempts: ask to be invited again');
  }

  return {
    /** Returns what an invitation offers, or how it has ended. @throws AppError `NOT_FOUND` for an unknown token */
    async validate(token: string): Promise<Offer | EndedOffer> {
      const invitation = await findInvitation(token);
      const reason = toInvitationEnd(invitation, clock.now());
      if (reason !== null) return { valid: false, reason };
      const { organizationId, role, inviterEmail, expiresAt } = invitation;
      const found = organizationFacts.findName(organizationId);
      const organizationName = await findOr404(found, 'No such invitation');
      return { valid: true, organizationName, role, inviterEmail, expiresAt };
    },

    /**
     * @throws AppError `NOT_FOUND`, `INVITE_ALREADY_USED`, `EXPIRED`, `ALREADY_MEMBER`, `VALIDATION_ERROR` for a new account's
     * password, `INVALID_CREDENTIALS` for the wrong one of an account that exists
     */
    async accept(
      token: string,
      { name, password }: z.output<typeof acceptInput>,
      origin: Origin,
    ): Promise<Accepted> {
      const invitation = await findPending(token);
      const { email, role } = invitation;
      const organizationId = invitation.organizationId.toHexString();
      // Without a transaction this write would occupy a connection while it waits for others, which need one to finish.
      await transaction(() => takeAttempt(invitation));
      const invitee = await inviteeAccounts.identify({ email, name, password }, origin);
      return transaction(async () => {
        await invitations.consume(invitation);
        const user = await inviteeAccounts.openAccount(invitee, organizationId);
        const userId = user._id.toHexString();
        if (await memberships.findMembership(organizationId, userId))
          throw new AppError('ALREADY_MEMBER');
        await memberships.addMembership({ organizationId, userId, role });
        const session = await sessions.signIn(user, origin, PROOF);
        return { ...session, invitationId: invitation._id.toHexString() };
      });
    },
  };
}
export type AcceptanceService = ReturnType<typeof createAcceptanceService>;

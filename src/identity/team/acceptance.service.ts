// Invitations for their holder: shown and accepted, which creates membership and session in one transaction.
import type { z } from 'zod';
import type { Platform } from '../../platform/platform.ts';
import type { Role } from '../../domain/identity/roles.ts';
import { sha256Hex } from '../../domain/record/chain.ts';
import { AppError } from '../../errors.ts';
import { findOr404 } from '../../platform/mongo/queries.ts';
import { identifyInvitee, openInviteeAccount } from '../auth/accounts/invitee-account.service.ts';
import type { Origin, SecondStep, SignedIn } from '../auth/sessions/sessions.service.ts';
import { findMembership, addMembership } from '../organization/memberships/memberships.service.ts';
import { findOrganizationName } from '../organization/organization-facts.service.ts';
import { toInvitationEnd, type InvitationEnd, toInvitationRefusal } from './invitation-state.ts';
import type { InvitationDocument } from './invitations.model.ts';
import type { acceptInput } from './invitations.schemas.ts';
import { consumeInvitation } from './invitations.service.ts';
import { signIn } from '../auth/sessions/sign-in.service.ts';

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

/** Returns what an invitation offers, or how it has ended. @throws AppError `NOT_FOUND` for an unknown token */
export async function validateInvitation(
  platform: Platform,
  token: string,
): Promise<Offer | EndedOffer> {
  const invitation = await findInvitation(platform, token);
  const reason = toInvitationEnd(invitation, platform.clock.now());
  if (reason !== null) return { valid: false, reason };
  const { organizationId, role, inviterEmail, expiresAt } = invitation;
  const found = findOrganizationName(platform, organizationId);
  const organizationName = await findOr404(found, 'No such invitation');
  return { valid: true, organizationName, role, inviterEmail, expiresAt };
}

/**
 * @throws AppError `NOT_FOUND`, `INVITE_ALREADY_USED`, `EXPIRED`, `ALREADY_MEMBER`, `VALIDATION_ERROR` for a new account's
 * password, `INVALID_CREDENTIALS` for the wrong one of an account that exists
 */
export async function acceptInvitation(
  platform: Platform,
  token: string,
  { name, password, origin }: z.output<typeof acceptInput> & { origin: Origin },
): Promise<Accepted> {
  const invitation = await findPending(platform, token);
  const { email, role } = invitation;
  const organizationId = invitation.organizationId.toHexString();
  // Without a transaction this write would occupy a connection while it waits for others, which need one to finish.
  await platform.transaction(() => takeAttempt(platform, invitation));
  const invitee = await identifyInvitee(platform, { email, name, password }, origin);
  return platform.transaction(async () => {
    await consumeInvitation(platform, invitation);
    const user = await openInviteeAccount(platform, invitee, organizationId);
    const userId = user._id.toHexString();
    if (await findMembership(platform, organizationId, userId))
      throw new AppError('ALREADY_MEMBER');
    await addMembership(platform, { organizationId, userId, role });
    const session = await signIn(platform, user, { origin, proof: PROOF });
    return { ...session, invitationId: invitation._id.toHexString() };
  });
}

function findInvitation({ models }: Platform, token: string): Promise<InvitationDocument> {
  const query = models.invitations
    .findOne({ tokenHash: sha256Hex(token) }, null, { crossTenant: true })
    .lean<InvitationDocument>();
  return findOr404(query, 'No such invitation');
}

/** @throws AppError `NOT_FOUND`, `INVITE_ALREADY_USED`, `EXPIRED` */
async function findPending(platform: Platform, token: string): Promise<InvitationDocument> {
  const invitation = await findInvitation(platform, token);
  if (toInvitationEnd(invitation, platform.clock.now()) !== null)
    throw toInvitationRefusal(invitation, platform.clock.now());
  return invitation;
}

/** Counts one password attempt. @throws AppError `RATE_LIMIT_EXCEEDED` beyond twenty since the mail was last sent */
async function takeAttempt(
  { models }: Platform,
  { _id, organizationId }: InvitationDocument,
): Promise<void> {
  const { modifiedCount } = await models.invitations.updateOne(
    { _id, organizationId, attempts: { $lt: MAX_ATTEMPTS } },
    { $inc: { attempts: 1 } },
  );
  if (modifiedCount === 0)
    throw new AppError('RATE_LIMIT_EXCEEDED', 'Too many attempts: ask to be invited again');
}

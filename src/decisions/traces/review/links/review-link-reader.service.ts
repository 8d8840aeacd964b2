// Finds out who holds a link, and whether they may decide by it.
import { getOrganizationContext } from '../../../../identity/organization/organization.service.ts';
import { findPresentMember } from '../../../../identity/organization/memberships/present-members.service.ts';
import { authenticateSession } from '../../../../identity/auth/sessions/authentication.service.ts';
import type { Platform } from '../../../../platform/platform.ts';
import type { HeldCard } from '../../../../domain/events/decision-card.ts';
import { REVIEWERS, type Role } from '../../../../domain/identity/roles.ts';
import type { Caller, Tenant } from '../../../../domain/identity/tenant.ts';
import { AppError } from '../../../../errors.ts';
import {
  findMailbox,
  type Mailbox,
} from '../../../../identity/auth/accounts/account-reader.service.ts';
import type { ReviewLinkDocument } from './review-links.model.ts';
import { loadLinkProof } from './review-links.service.ts';

/** The person who decides, and what proves it. */
export interface LinkReader {
  tenant: Tenant;
  userId: string;
  email: string;
  name: string;
  role: Role;
  proof: 'sign-in' | 'token';
}

/** `unknown`: no one has signed in. */
export type LinkReading =
  | { reader: LinkReader }
  | { refused: 'unknown' | 'another person' | 'no reviewer' };

/** A session counts before the token; a chat's link always needs one. */
export async function findLinkReader(
  platform: Platform,
  link: ReviewLinkDocument,
  { card, session }: { card: HeldCard; session: string | null },
): Promise<LinkReading> {
  const caller = await findSession(platform, session);
  const read = caller ? readSession(link, caller) : null;
  if (read && !('refused' in read && read.refused === 'unknown')) return read;
  if (link.userId === null || (await loadLinkProof(platform, card)) !== 'token')
    return { refused: 'unknown' };
  return readToken(platform, link, link.userId.toHexString());
}

async function findSession(platform: Platform, token: string | null): Promise<Caller | null> {
  if (token === null || token === '') return null;
  try {
    return await authenticateSession(platform, token);
  } catch (error) {
    if (error instanceof AppError && error.http < 500) return null;
    throw error;
  }
}

/** The member as whom a session of the link's organisation decides. */
function readSession(link: ReviewLinkDocument, caller: Caller): LinkReading {
  const { tenant, user, role } = caller;
  if (!user || tenant.organizationId !== link.organizationId.toHexString())
    return { refused: 'unknown' };
  if (link.userId && link.userId.toHexString() !== user.userId)
    return { refused: 'another person' };
  if (!user.isActive || !user.isVerified || !REVIEWERS.includes(role))
    return { refused: 'no reviewer' };
  const { userId, email, name } = user;
  return { reader: { tenant, userId, email, name, role, proof: 'sign-in' } };
}

/** The role of a member who was here when the link was sent, and still is; null otherwise. */
async function findRole(
  platform: Platform,
  link: ReviewLinkDocument,
  userId: string,
): Promise<Role | null> {
  const member = await findPresentMember(platform, link.organizationId, userId);
  return member && member.createdAt <= link.createdAt ? member.role : null;
}

/** The account to whose proved mailbox the link was sent; null when a password was set since. */
async function findProvedMailbox(
  platform: Platform,
  { createdAt }: ReviewLinkDocument,
  userId: string,
): Promise<Mailbox | null> {
  const account = await findMailbox(platform, userId);
  if (!account || account.emailVerifiedAt === null) return null;
  const { passwordChangedAt: changedAt } = account;
  return changedAt && changedAt > createdAt ? null : account;
}

/** The member to whom the link was sent. */
async function readToken(
  platform: Platform,
  link: ReviewLinkDocument,
  userId: string,
): Promise<LinkReading> {
  const role = await findRole(platform, link, userId);
  if (role === null || !REVIEWERS.includes(role)) return { refused: 'no reviewer' };
  const account = await findProvedMailbox(platform, link, userId);
  if (!account) return { refused: 'unknown' };
  const organizationId = link.organizationId.toHexString();
  const { plan, defaultWorkspaceId } = await getOrganizationContext(platform, organizationId);
  const actor = { kind: 'user', id: userId } as const;
  const place = { organizationId, workspaceId: null, defaultWorkspaceId, plan, agentIds: null };
  const { email, name } = account;
  return { reader: { tenant: { ...place, actor }, userId, email, name, role, proof: 'token' } };
}

// Ends all access of the registrant, maybe a stranger, at the first proof of a mailbox; deletes no data.
import type { Platform } from '../../../platform/platform.ts';
import { createSystemAuditEvent } from '../../../domain/record/audit-event.ts';
import { recordAudit } from '../../audit/audit.service.ts';
import type { SecondFactor, UserDocument } from '../accounts/users.model.ts';
import type { MembershipDocument } from '../../organization/memberships/memberships.model.ts';
import {
  lockOrganization,
  listUserMemberships,
  changeMembership,
  suspendOthers,
} from '../../organization/memberships/memberships.service.ts';

const NO_SECOND_FACTOR = {
  enabled: false,
  secret: null,
  pendingSecret: null,
  lastStep: 0,
  failures: 0,
  failingSince: null,
  failuresInside: 0,
  failingInsideSince: null,
  backupCodes: [],
} satisfies SecondFactor;
const NO_CREDENTIALS = { mfa: NO_SECOND_FACTOR, identities: [], lastOrganizationId: null };
/** No key has this digest; `regenerate-key` of the agent creates the next key. */
const ENDED_AGENT_KEY = [{ $set: { apiKeyHash: { $concat: ['ended:', { $toString: '$_id' }] } } }];
const PIPELINE = { updatePipeline: true } as const;
const OFF = { $set: { isActive: false } } as const;

/**
 * Ends the second factor and linked identities of an account. Organisations that it owns are reclaimed, other
 * memberships become offers; those that a directory gave stay, and that of `keptBy`, which answers for the address.
 * Returns whether there was a membership to end. Call it in a transaction.
 */
export async function beginReclaims(
  platform: Platform,
  user: UserDocument,
  keptBy?: string,
): Promise<boolean> {
  await platform.models.users.updateOne({ _id: user._id }, { $set: NO_CREDENTIALS });
  const all = await listUserMemberships(platform, user._id.toHexString());
  const begun = all.filter(
    ({ directory, organizationId }) => !directory && organizationId.toHexString() !== keptBy,
  );
  for (const membership of begun)
    if (membership.role === 'owner' && membership.isActive)
      await beginReclaim(platform, membership.organizationId.toHexString(), user);
    else await convertToOffer(platform, membership);
  return begun.length > 0;
}

/**
 * Ends the keys, tokens, invitations and sessions of an organisation; its owner's sessions end with the account's.
 */
async function endWaysIn(
  { clock, models }: Platform,
  organizationId: string,
  owner: UserDocument,
): Promise<void> {
  const revoked = { $set: { revokedAt: clock.now() } };
  const open = { organizationId, revokedAt: null };
  await models.workspaceKeys.updateMany(open, revoked);
  await models.agents.updateMany({ organizationId }, ENDED_AGENT_KEY, PIPELINE);
  const ended = { $set: { deletedAt: clock.now() } };
  await models.agentTrusts.updateMany({ organizationId, deletedAt: null }, ended);
  await models.scimTokens.deleteMany({ organizationId });
  await models.calendarFeeds.deleteMany({ organizationId });
  await models.invitations.updateMany({ ...open, acceptedAt: null }, revoked);
  await models.sessions.updateMany(
    { ...open, userId: { $ne: owner._id } },
    { $set: { ...revoked.$set, revokedBy: 'suspension' } },
  );
}

/** Switches off webhooks and alert rules, which send data out of the organisation, and keeps them. */
async function closeWaysOut({ models }: Platform, organizationId: string): Promise<void> {
  await models.webhooks.updateMany({ organizationId, isActive: true }, OFF);
  await models.alertRules.updateMany({ organizationId, isActive: true }, OFF);
}

/** Suspends all members but the owner, who is asked whether to keep the organisation. */
async function beginReclaim(
  platform: Platform,
  organizationId: string,
  owner: UserDocument,
): Promise<void> {
  await lockOrganization(platform, organizationId);
  await endWaysIn(platform, organizationId, owner);
  await closeWaysOut(platform, organizationId);
  const membersSuspended = await suspendOthers(platform, organizationId, owner._id);
  const reclaimed = { $set: { reclaimedAt: platform.clock.now() } };
  await platform.models.organizations.updateOne({ _id: organizationId }, reclaimed);
  platform.onCommit(() => platform.caches.forget(organizationId));
  const entry = { action: 'organization.reclaimed', resource: 'organization' };
  const about = { organizationId, resourceId: organizationId, userId: owner._id.toHexString() };
  await recordAudit(
    platform,
    createSystemAuditEvent({ ...entry, ...about, metadata: { membersSuspended } }),
  );
  await platform.queueMail(organizationId, { kind: 'reclaimed', email: owner.email });
}

/**
 * Turns a membership in another owner's organisation into an offer, and ends the keys and invitations made with it.
 */
async function convertToOffer(platform: Platform, membership: MembershipDocument): Promise<void> {
  const { userId } = membership;
  const organizationId = membership.organizationId.toHexString();
  const revoked = { $set: { revokedAt: platform.clock.now() } };
  const open = { organizationId, revokedAt: null };
  await lockOrganization(platform, organizationId);
  await platform.models.workspaceKeys.updateMany({ ...open, createdBy: userId }, revoked);
  await platform.models.invitations.updateMany(
    { ...open, invitedBy: userId, acceptedAt: null },
    revoked,
  );
  await platform.models.calendarFeeds.deleteMany({ organizationId, userId });
  platform.onCommit(() => platform.caches.forget(organizationId));
  await changeMembership(platform, membership, { isPending: true, enteredAt: null });
}

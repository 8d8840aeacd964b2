// Delegations: a member names another who decides held decisions in their place for a time (decisions: votes).
import type { z } from 'zod';
import { MANAGERS, REVIEWERS } from '../../domain/identity/roles.ts';
import { AppError } from '../../errors.ts';
import type { Context, UserContext } from '../../platform/context.ts';
import type { Platform } from '../../platform/platform.ts';
import { findOr404 } from '../../platform/mongo/queries.ts';
import type {
  Delegation,
  MembershipDocument,
} from '../organization/memberships/memberships.model.ts';
import {
  changeMembership,
  findMembership,
  listMemberships,
  lockOrganization,
} from '../organization/memberships/memberships.service.ts';
import { findPresentMember } from '../organization/memberships/present-members.service.ts';
import { toObjectId } from '../../ledger/ledger.model.ts';
import { DAYS_MAX, type delegationInput, type DelegationView } from './delegations.schemas.ts';

/** Delegations of one member that are in force or to come. */
const DELEGATIONS_MAX = 10;
const DAY_MS = 24 * 3600_000;

/** Lists those in force or to come, of all members. */
export async function listDelegations({
  platform,
  tenant: { organizationId },
}: Context): Promise<DelegationView[]> {
  const now = platform.clock.now();
  return listOpen(await listMemberships(platform, organizationId), now).map(toView);
}

/** @throws AppError `NOT_FOUND` (no such member), `VALIDATION_ERROR`, `INVALID_OPERATION` at the limit */
export async function addDelegation(
  { platform, tenant: { organizationId }, user }: UserContext,
  { delegateId, from: given, until }: z.output<typeof delegationInput>,
): Promise<DelegationView> {
  const now = platform.clock.now();
  const from = given ?? now;
  requireTimes(now, from, until);
  if (delegateId === user.userId)
    throw new AppError('VALIDATION_ERROR', 'delegateId must be another member than yourself');
  await lockOrganization(platform, organizationId);
  await requireDelegate(platform, organizationId, delegateId);
  const own = await findOr404(findMembership(platform, organizationId, user.userId));
  const open = listOpen([own], now).map(({ one }) => one);
  if (open.length >= DELEGATIONS_MAX)
    throw new AppError(
      'INVALID_OPERATION',
      `A member has at most ${DELEGATIONS_MAX} delegations: end one`,
    );
  const _id = toObjectId(platform.generateId());
  const made: Delegation = { _id, delegateId: toObjectId(delegateId), from, until };
  await changeMembership(platform, own, { delegations: [...open, made] });
  return toView({ row: own, one: made });
}

/** @throws AppError `NOT_FOUND` */
async function requireDelegate(
  platform: Platform,
  organizationId: string,
  delegateId: string,
): Promise<void> {
  const member = await findPresentMember(platform, organizationId, delegateId);
  if (!member || !REVIEWERS.includes(member.role))
    throw new AppError('NOT_FOUND', 'No active owner, admin or reviewer has this id');
}

/** Ends one of one's own; owners and admins end any. @throws AppError `NOT_FOUND` */
export async function endDelegation(
  { platform, tenant: { organizationId }, user }: UserContext,
  id: string,
): Promise<DelegationView> {
  await lockOrganization(platform, organizationId);
  const rows = MANAGERS.includes(user.role)
    ? await listMemberships(platform, organizationId)
    : [await findOr404(findMembership(platform, organizationId, user.userId))];
  const open = listOpen(rows, platform.clock.now());
  const found = open.find(({ one }) => one._id.toHexString() === id);
  if (!found) throw new AppError('NOT_FOUND');
  const { row, one } = found;
  const kept = (row.delegations ?? []).filter((other) => other !== one);
  await changeMembership(platform, row, { delegations: kept });
  return toView(found);
}

interface Made {
  row: MembershipDocument;
  one: Delegation;
}

/** Those that are not over. */
const listOpen = (rows: readonly MembershipDocument[], now: Date): Made[] =>
  rows.flatMap((row) =>
    (row.delegations ?? []).filter(({ until }) => until > now).map((one) => ({ row, one })),
  );

const toView = ({ row, one: { _id, delegateId, from, until } }: Made): DelegationView => ({
  id: _id,
  userId: row.userId,
  delegateId,
  from,
  until,
});

/** @throws AppError `VALIDATION_ERROR` */
function requireTimes(now: Date, from: Date, until: Date): void {
  if (until <= now || until <= from)
    throw new AppError('VALIDATION_ERROR', 'until must be later than from, and than now');
  if (until.getTime() - from.getTime() > DAYS_MAX * DAY_MS)
    throw new AppError(
      'VALIDATION_ERROR',
      `until must be at most ${DAYS_MAX} days later than from`,
    );
}

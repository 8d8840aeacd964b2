// Requires a second person for changes that weaken a control, and notifies managers (decisions: switches that weaken).
import type { Tenant, User } from '../../domain/identity/tenant.ts';
import {
  type ControlRequest,
  decideConfirmation,
  type Confirmation,
} from '../../domain/dual-control/second-word.ts';
import { findOr404 } from '../../platform/mongo/queries.ts';
import type { UserContext } from '../../platform/context.ts';
import { getUpperRooms } from '../upper-rooms.ts';

/** A member of the organisation who changes its settings. */
export interface Changer {
  tenant: Tenant;
  user: User;
}

/** The weakened control, in words for managers, and the earlier request. */
interface Weakening {
  what: string;
  link: string;
  asked: ControlRequest | null;
  /** After how long an owner may confirm their own request; absent: 72 hours. */
  ownerWait?: { ms: number; words: string };
}

/** Decides whether the change is confirmed, requested or waiting. Call it in the request's transaction. */
export async function requestSecondWord(
  { platform, tenant: { organizationId }, user: { userId, role, name } }: UserContext,
  { what, link, asked, ownerWait }: Weakening,
): Promise<Confirmation> {
  const membership = await findOr404(
    platform.models.memberships.findOne({ organizationId, userId }, 'createdAt').lean(),
  );
  const word = decideConfirmation(
    asked,
    { userId, role, memberSince: membership.createdAt },
    { now: platform.clock.now(), ownerWaitMs: ownerWait?.ms },
  );
  if (word === 'waits') return word;
  const after = ownerWait?.words ?? '72 hours';
  const about = [{ what, by: name, isConfirmed: word === 'given', link, after }];
  await getUpperRooms(platform).notify({ organizationId, event: 'control.requested', about });
  return word;
}

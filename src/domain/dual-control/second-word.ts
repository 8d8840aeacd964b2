// Weakening a control needs a second person, or an owner who waits (decisions: switches that weaken).
import type { Role } from '../identity/roles.ts';

/** A pending request to weaken a control. */
export interface ControlRequest {
  by: string;
  at: Date;
}

export interface ControlRequester {
  userId: string;
  role: Role;
  /** Start of the membership in the organisation. */
  memberSince: Date;
}

const HOUR_MS = 3_600_000;
/** Time after which an owner may confirm their own request. */
export const OWNER_WAIT_MS = 72 * HOUR_MS;
/** Lifetime of a request that is not confirmed. */
export const REQUEST_TTL_MS = 14 * 24 * HOUR_MS;

/** `asked`: the request begins to wait; `waits`: it keeps waiting; `given`: it takes effect. */
export type Confirmation = 'asked' | 'waits' | 'given';

/** A member who joined after the request cannot confirm it: the requester could have invited them for that. */
export function decideConfirmation(
  request: ControlRequest | null,
  { userId, role, memberSince }: ControlRequester,
  { now, ownerWaitMs = OWNER_WAIT_MS }: { now: Date; ownerWaitMs?: number | undefined },
): Confirmation {
  const waitedMs = request ? now.getTime() - request.at.getTime() : 0;
  if (!request || waitedMs > REQUEST_TTL_MS) return 'asked';
  if (request.by === userId) return role === 'owner' && waitedMs >= ownerWaitMs ? 'given' : 'waits';
  return memberSince < request.at ? 'given' : 'waits';
}

/** The view of a pending request. */
function toPendingView({ by, at }: ControlRequest, ownerWaitMs = OWNER_WAIT_MS) {
  return {
    requestedBy: by,
    requestedAt: at,
    ownerMayConfirmAt: new Date(at.getTime() + ownerWaitMs),
    expiresAt: new Date(at.getTime() + REQUEST_TTL_MS),
  };
}
export type PendingView = ReturnType<typeof toPendingView>;

/** The view of a pending request; null once it has expired. */
export function findPendingView(
  request: ControlRequest | null,
  now: Date,
  ownerWaitMs = OWNER_WAIT_MS,
): PendingView | null {
  return request && now.getTime() - request.at.getTime() <= REQUEST_TTL_MS
    ? toPendingView(request, ownerWaitMs)
    : null;
}

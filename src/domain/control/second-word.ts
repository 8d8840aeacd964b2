// Weakening a control needs a second person, or an owner who waits (decisions: switches that weaken).
import type { Role } from '../identity/roles.ts';

/** A pending request to weaken a control. */
export interface Asked {
  by: string;
  at: Date;
}

export interface Asker {
  userId: string;
  role: Role;
  /** Start of the membership in the organisation. */
  memberSince: Date;
}

const HOUR_MS = 3_600_000;
/** Time after which an owner may confirm their own request. */
export const OWNER_WAITS_MS = 72 * HOUR_MS;
/** Lifetime of a request that is not confirmed. */
export const ASKED_FOR_MS = 14 * 24 * HOUR_MS;

/** `asked`: the request begins to wait; `waits`: it keeps waiting; `given`: it takes effect. */
export type Word = 'asked' | 'waits' | 'given';

/** A member who joined after the request cannot confirm it: the requester could have invited them for that. */
export function wordOn(asked: Asked | null, { userId, role, memberSince }: Asker, now: Date): Word {
  const waitedMs = asked ? now.getTime() - asked.at.getTime() : 0;
  if (!asked || waitedMs > ASKED_FOR_MS) return 'asked';
  if (asked.by === userId)
    return role === 'owner' && waitedMs >= OWNER_WAITS_MS ? 'given' : 'waits';
  return memberSince < asked.at ? 'given' : 'waits';
}

/** The view of a pending request. */
export function waitingOf({ by, at }: Asked) {
  return {
    requestedBy: by,
    requestedAt: at,
    ownerMayConfirmAt: new Date(at.getTime() + OWNER_WAITS_MS),
    expiresAt: new Date(at.getTime() + ASKED_FOR_MS),
  };
}
export type Waiting = ReturnType<typeof waitingOf>;

/** The view of a pending request; null once it has expired. */
export function waitingAt(asked: Asked | null, now: Date): Waiting | null {
  return asked && now.getTime() - asked.at.getTime() <= ASKED_FOR_MS ? waitingOf(asked) : null;
}

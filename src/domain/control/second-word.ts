// Weakening a control takes a second person, or an owner who has waited while all managers know (decisions: switches that weaken).
import type { Role } from '../identity/roles.ts';

/** Who asked for a change that waits for its second word. */
export interface Asked {
  by: string;
  at: Date;
}

export interface Asker {
  userId: string;
  role: Role;
  /** Since when somebody belongs to the organisation. */
  memberSince: Date;
}

const HOUR_MS = 3_600_000;
/** An owner who finds nobody else waits so long. */
export const OWNER_WAITS_MS = 72 * HOUR_MS;
/** What nobody confirms is forgotten. */
export const ASKED_FOR_MS = 14 * 24 * HOUR_MS;

/** `asked`: it begins to wait; `waits`: it goes on waiting; `given`: it takes effect. */
export type Word = 'asked' | 'waits' | 'given';

/** Whoever joined after the request was made does not confirm it: whoever asks could have invited them for that. */
export function wordOn(asked: Asked | null, { userId, role, memberSince }: Asker, now: Date): Word {
  const waitedMs = asked ? now.getTime() - asked.at.getTime() : 0;
  if (!asked || waitedMs > ASKED_FOR_MS) return 'asked';
  if (asked.by === userId)
    return role === 'owner' && waitedMs >= OWNER_WAITS_MS ? 'given' : 'waits';
  return memberSince < asked.at ? 'given' : 'waits';
}

/** What is shown of a request that waits. */
export function waitingOf({ by, at }: Asked) {
  return {
    requestedBy: by,
    requestedAt: at,
    ownerMayConfirmAt: new Date(at.getTime() + OWNER_WAITS_MS),
    expiresAt: new Date(at.getTime() + ASKED_FOR_MS),
  };
}
export type Waiting = ReturnType<typeof waitingOf>;

/** Null once it is forgotten. */
export function waitingAt(asked: Asked | null, now: Date): Waiting | null {
  return asked && now.getTime() - asked.at.getTime() <= ASKED_FOR_MS ? waitingOf(asked) : null;
}

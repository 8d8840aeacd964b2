// Lifetime of sessions: the token lifetime that the user chose, and an absolute end that no refresh moves.
import type { SessionTimeout } from '../accounts/users.model.ts';
import type { SessionDocument, SignOn } from './sessions.model.ts';

const HOUR_MS = 3600_000;
const DAY_MS = 24 * HOUR_MS;

const TOKEN_MS: Record<SessionTimeout, number> = {
  '1h': HOUR_MS,
  '8h': 8 * HOUR_MS,
  '24h': DAY_MS,
  '7d': 7 * DAY_MS,
};
/** A user has to sign in again after this time. */
const SESSION_MS = 30 * DAY_MS;
/** A sign-on is repeated at least once a day, because the provider knows which users have left. */
const SIGN_ON_MS = DAY_MS;

/** The absolute end of a session. */
export function computeSessionEnd(authenticatedAt: Date, signOn: SignOn | null): Date {
  const lasts = signOn === null ? SESSION_MS : SIGN_ON_MS;
  const end = authenticatedAt.getTime() + lasts;
  return new Date(Math.min(end, signOn?.endsAt?.getTime() ?? end));
}

/** The end of a token, in seconds since the epoch. */
export function computeTokenEnd(now: Date, timeout: SessionTimeout, endsAt: Date): number {
  return Math.floor(Math.min(now.getTime() + TOKEN_MS[timeout], endsAt.getTime()) / 1000);
}

/** The members that a session passes on to the one that replaces it. */
export type SessionStart = Pick<
  SessionDocument,
  'signOn' | 'secondFactor' | 'authenticatedAt' | 'endsAt' | 'root' | 'approvedIn'
>;

/** Completes sessions of earlier versions, which lack some members. */
export function toSessionStart(
  session: Partial<SessionStart> & Pick<SessionDocument, 'jti' | 'createdAt'>,
): SessionStart {
  const signOn = session.signOn ?? null;
  const authenticatedAt = session.authenticatedAt ?? session.createdAt;
  return {
    signOn,
    secondFactor: session.secondFactor ?? null,
    authenticatedAt,
    endsAt: session.endsAt ?? computeSessionEnd(authenticatedAt, signOn),
    root: session.root ?? session.jti,
    ...(session.approvedIn && { approvedIn: session.approvedIn }),
  };
}

/** The start of a session that this one approves for a device: one of its own, which ends with this one. */
export function toDeviceStart({
  root = '',
  approvedIn = [],
  ...start
}: SessionStart): SessionStart {
  return { ...start, approvedIn: [...approvedIn, root] };
}

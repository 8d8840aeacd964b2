// How a part of the service says that something happened; who hears of it stands in the table.
import type { Role } from '../identity/roles.ts';
import type { EventAbout, EventName } from './event-table.ts';

/** Members who hear of it: those of the event's roles, or fewer. */
export interface Audience {
  roles?: readonly Role[];
  userIds?: readonly string[];
  /** Those who caused the event, or may not act on it. */
  except?: readonly (string | null)[];
}

export interface Announcement<E extends EventName> {
  organizationId: string;
  event: E;
  /** What happened, oldest first: a notice each. */
  about: readonly EventAbout<E>[];
  /** Absent: now. */
  at?: Date;
  /** Absent: all members of the event's roles. */
  audience?: Audience;
}

/** Tells members, in the transaction of the request; resolves with how many hear of it. */
export type Notify = <E extends EventName>(announcement: Announcement<E>) => Promise<number>;

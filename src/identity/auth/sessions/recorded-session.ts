// Loads a session with its user and membership in one query instead of three, because every request needs them.
import type { PipelineStage } from 'mongoose';
import { toObjectId } from '../../../ledger/ledger.model.ts';
import type { Models } from '../../../models.ts';
import type { SessionClaims } from '../../../platform/secrets/tokens.ts';
import type { MembershipDocument } from '../../organization/memberships/memberships.model.ts';
import type { UserDocument } from '../accounts/users.model.ts';
import type { SessionDocument } from './sessions.model.ts';

export interface RecordedSession extends SessionDocument {
  /** The user that the claims name; empty: none. */
  users: UserDocument[];
  /** The user's membership in the organisation that the claims name. */
  memberships: MembershipDocument[];
}

type SessionKey = Pick<SessionClaims, 'sub' | 'organizationId' | 'jti'>;

/** Null: there is no such session. */
export async function loadRecordedSession(
  { sessions, users, memberships }: Models,
  { sub, organizationId, jti }: SessionKey,
): Promise<RecordedSession | null> {
  const userId = toObjectId(sub);
  const found = await sessions.aggregate<RecordedSession>([
    { $match: { jti } },
    joinDocuments('users', users, { _id: userId }),
    joinDocuments('memberships', memberships, {
      organizationId: toObjectId(organizationId),
      userId,
    }),
  ]);
  return found[0] ?? null;
}

/** Joins the documents of another collection that `where` selects. */
const joinDocuments = (
  as: keyof RecordedSession,
  { collection }: { collection: { name: string } },
  where: object,
): PipelineStage => ({ $lookup: { from: collection.name, pipeline: [{ $match: where }], as } });

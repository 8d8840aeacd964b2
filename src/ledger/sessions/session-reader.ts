// Reads sessions as the newest entries of a chain leave them.
import type { mongo } from 'mongoose';
import type { KnownSession } from '../../domain/sessions/session-register.ts';
import { MAJORITY } from '../../platform/mongo/concerns.ts';
import { SESSION_INDEX } from '../chains.ts';
import type { Stored } from '../entry.ts';
import { toObjectId } from '../ledger.model.ts';
import { toKnownSession } from '../registers/known-registers.ts';

/** A session, and the place of its newest entry in the chain. */
export interface StoredSession extends KnownSession {
  sequence: number;
}

export interface SessionReader {
  /** Null: no entry belongs to it. */
  readNewest(organizationId: string, key: string): Promise<StoredSession | null>;
}

export function createSessionReader(db: mongo.Db, chain: { collection: string }): SessionReader {
  const collection = db.collection<Stored>(chain.collection);
  const projection = { _id: 0, session: 1, traceId: 1, sequence: 1 } as const;
  return {
    async readNewest(organizationId, key) {
      const where = { organizationId: toObjectId(organizationId), 'session.key': key };
      const options = { ...MAJORITY, hint: SESSION_INDEX.name, projection, sort: { sequence: -1 } };
      const entry = await collection.findOne(where, options as mongo.FindOptions);
      const session = entry && toKnownSession(entry);
      return session && { ...session, sequence: entry.sequence };
    },
  };
}

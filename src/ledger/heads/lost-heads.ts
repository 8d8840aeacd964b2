// Finds the noted heads that a truncated chain lacks, and sets them aside so that it can be appended to again.
import type { mongo, Types } from 'mongoose';
import type { Chain } from '../chains.ts';
import type { Position, Stored } from '../entry.ts';
import { toObjectId } from '../ledger.model.ts';
import { DURABLE, MAJORITY } from '../../platform/mongo/concerns.ts';
import { type HeadRow, getHeadCollection } from './heads.ts';

/** Entries that a truncated chain once had. */
export interface LostEntries {
  /** The first sequence that nothing proves any more. */
  from: number;
  /** The newest noted head that is missing. */
  newest: Position;
  /** The entry after which the chain continues; null when none is left. */
  goesOnAfter: Position | null;
}

/** Finds and releases what a truncated chain has lost. Only an operator SHOULD release it. */
export interface LostHeads {
  /** Finds what a chain has lost; null when it reaches every head that was noted of it. */
  findLostEntries(organizationId: string): Promise<LostEntries | null>;
  /** Moves the notes of lost entries into `heads_<chain>_lost`, so that appends are allowed again. Idempotent. */
  setAside(organizationId: string): Promise<void>;
}

const NEWEST_FIRST = { ...MAJORITY, sort: { sequence: -1 } } as const;
const POSITION = { _id: 0, sequence: 1, chainHash: 1 } as const;

/** Creates the service over the notes and entries of one chain. It MUST NOT change entries. */
export function createLostHeads({ db, chain }: { db: mongo.Db; chain: Chain }): LostHeads {
  const entries = db.collection<Stored>(chain.collection);
  const notes = getHeadCollection(db, chain);
  const aside = db.collection<HeadRow>(`heads_${chain.collection}_lost`);

  /** Finds the notes above the newest one that the chain agrees with, newest first, and that one. */
  async function findMissingNotes(organizationId: Types.ObjectId) {
    const missing: mongo.WithId<HeadRow>[] = [];
    for await (const note of notes.find({ organizationId }, NEWEST_FIRST)) {
      const place = { organizationId, sequence: note.sequence };
      const entry = await entries.findOne(place, { ...MAJORITY, projection: POSITION });
      if (entry?.chainHash === note.chainHash) return { missing, agreed: note };
      missing.push(note);
    }
    return { missing, agreed: null };
  }

  return {
    async findLostEntries(hex) {
      const organizationId = toObjectId(hex);
      const { missing, agreed } = await findMissingNotes(organizationId);
      const [newest] = missing;
      const oldest = missing.at(-1);
      if (!newest || !oldest) return null;
      const options = { ...NEWEST_FIRST, projection: POSITION };
      const head = await entries.findOne<Position>({ organizationId }, options);
      const isCut = oldest.sequence > (head?.sequence ?? 0);
      return {
        from: ((isCut ? head : agreed)?.sequence ?? 0) + 1,
        newest: { sequence: newest.sequence, chainHash: newest.chainHash },
        goesOnAfter: head,
      };
    },
    async setAside(hex) {
      const { missing } = await findMissingNotes(toObjectId(hex));
      for (const note of missing) {
        await aside.replaceOne({ _id: note._id }, note, { ...DURABLE, upsert: true });
        await notes.deleteOne({ _id: note._id }, DURABLE);
      }
    },
  };
}

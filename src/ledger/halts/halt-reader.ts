// Answers what is halted, why, and for how long it was, from the chain alone.
import type { mongo } from 'mongoose';
import {
  type Act,
  type ActPlace,
  computeFrozenEnd,
  type Halt,
  type HaltCause,
  type HaltedSession,
  type HaltEntry,
  type HaltNotice,
  type HaltRecord,
  Halts,
  listHaltedSpans,
  type ReadSessionKey,
  toHaltName,
} from '../../domain/halt/halt.ts';
import { readSealed } from '../../domain/record/commitments.ts';
import { MAJORITY } from '../../platform/mongo/concerns.ts';
import type { Contents } from '../contents/contents.ts';
import { getCommittedValues, type Stored } from '../entry.ts';
import { toObjectId } from '../ledger.model.ts';
import { OF_HALTS, readHalts, toHaltEntry } from './halt-entries.ts';
import { createHaltedError, toHaltNotice } from './halted-error.ts';

/** A wait that stands still while its action is halted. */
export interface Wait {
  place: ActPlace;
  from: Date;
  end: Date;
}

export interface HaltReader {
  /** Reads the halt entries of an organisation after one sequence, or all of them, the oldest first. */
  listRecords(organizationId: string, after?: number): Promise<HaltRecord[]>;
  /** Says of a halt what a decision that it stopped commits to. */
  loadNotice(organizationId: string, halt: Halt): Promise<HaltNotice>;
  /** Refuses an act that is not to be sealed, such as a repetition. @throws AppError `HALTED` */
  requireFree(organizationId: string, act: Act): Promise<void>;
  /** Computes when waits end, in their order; null: not while the action is halted. */
  computeEnds(organizationId: string, waits: readonly Wait[]): Promise<(Date | null)[]>;
}

/** Creates the reader of one chain. */
export function createHaltReader({
  db,
  chain,
  contents,
  readSessionKey = () => null,
}: {
  db: mongo.Db;
  chain: { collection: string };
  contents?: Contents;
  readSessionKey?: ReadSessionKey;
}): HaltReader {
  const collection = db.collection<Stored>(chain.collection);

  async function readRecords(
    organizationId: string,
    sequence: { $gt: number } | number,
  ): Promise<HaltRecord[]> {
    const where = { organizationId: toObjectId(organizationId), traceId: OF_HALTS, sequence };
    const found = await collection.find(where, { ...MAJORITY, hint: 'subject' }).toArray();
    const opened = contents ? await contents.decryptDocuments(organizationId, found) : found;
    return opened.map(toRecord).sort((a, b) => a.sequence - b.sequence);
  }

  const readAll = (organizationId: string): Promise<HaltEntry[]> =>
    readHalts(collection, toObjectId(organizationId), { after: 0, upTo: Number.MAX_SAFE_INTEGER });

  async function loadNotice(organizationId: string, halt: Halt): Promise<HaltNotice> {
    const [record] = await readRecords(organizationId, halt.sequence);
    return toHaltNotice(halt, record?.reason ?? null);
  }

  return {
    listRecords: (organizationId, after = 0) => readRecords(organizationId, { $gt: after }),
    loadNotice,
    async requireFree(organizationId, act) {
      const halts = new Halts().addEntries(await readAll(organizationId));
      const halt = halts.findBlocking(organizationId, act, readSessionKey);
      if (halt) throw createHaltedError(await loadNotice(organizationId, halt));
    },
    async computeEnds(organizationId, waits) {
      const entries = await readAll(organizationId);
      if (entries.length === 0) return waits.map(({ end }) => end);
      const halts = new Halts().addEntries(entries);
      return waits.map(({ place, from, end }) => {
        const names = halts.listTargets(organizationId, place, readSessionKey);
        const spans = names.flatMap((name) => listHaltedSpans(filterAbout(entries, name)));
        return computeFrozenEnd({ from, end }, spans);
      });
    },
  };
}

const filterAbout = (entries: readonly HaltEntry[], name: string): HaltEntry[] =>
  entries.filter(({ scope, target }) => toHaltName(scope, target) === name);

function toRecord(entry: Stored): HaltRecord {
  const { actor } = JSON.parse(entry.view) as { actor: { kind: string; id: string | null } };
  const sealed = getCommittedValues(entry);
  return {
    ...toHaltEntry(entry),
    id: entry._id.toHexString(),
    by: actor.kind === 'user' ? actor.id : null,
    chainHash: entry.chainHash,
    reason: readSealed<string>(sealed, 'reason'),
    name: readSealed<string>(sealed, 'name'),
    cause: readSealed<{ cause: HaltCause }>(sealed, 'by')?.cause ?? null,
    session: readSealed<HaltedSession>(sealed, 'session'),
  };
}

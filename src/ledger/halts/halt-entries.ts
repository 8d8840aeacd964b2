// Reads the halts of an organisation from its chain, where alone they stand.
import type { mongo, Types } from 'mongoose';
import type { HaltEntry } from '../../domain/halt/halt.ts';
import { type HaltFacts, parsePayload } from '../../domain/record/payload.ts';
import { MAJORITY } from '../../platform/mongo/concerns.ts';
import type { Stored } from '../entry.ts';

/** The trace ids of halt entries; no decision has a colon in its own. */
export const OF_HALTS = { $gte: 'halt:', $lt: 'halt;' } as const;
const PROJECTION = { _id: 0, kind: 1, sequence: 1, createdAt: 1, view: 1 } as const;

/** Reads the halt entries after one sequence and up to another, in order of sequence. */
export async function readHalts(
  collection: mongo.Collection<Stored>,
  organizationId: Types.ObjectId,
  { after, upTo }: { after: number; upTo: number },
): Promise<HaltEntry[]> {
  const where = { organizationId, traceId: OF_HALTS, sequence: { $gt: after, $lte: upTo } };
  const options = { ...MAJORITY, hint: 'subject', projection: PROJECTION } as const;
  const found = await collection.find(where, options).toArray();
  return found.flatMap(readEntry).sort(compareSequences);
}

/** None where the row was tampered with: then nothing is sealed, and the verification says so. */
function readEntry(row: Pick<Stored, 'kind' | 'sequence' | 'createdAt' | 'view'>): HaltEntry[] {
  const isHalt = row.kind === 'halt' && !('reason' in parsePayload(String(row.view)));
  return isHalt ? [toHaltEntry(row)] : [];
}

/** Reads what a halt entry says. */
export function toHaltEntry({
  sequence,
  createdAt,
  view,
}: Pick<Stored, 'sequence' | 'createdAt' | 'view'>): HaltEntry {
  const { scope, target, state } = JSON.parse(view) as HaltFacts;
  return { scope, target, state, sequence, createdAt };
}

const compareSequences = (a: HaltEntry, b: HaltEntry): number => a.sequence - b.sequence;

// Computes the impact of an erasure: the stored values of the decisions, and the newest entry about each.
import { WORDED_KINDS } from '../../domain/record/trace-state.ts';
import type { Types } from 'mongoose';
import type { Platform } from '../../platform/platform.ts';
import { groupBy } from '../../domain/group-by.ts';
import type { Tenant } from '../../domain/identity/tenant.ts';
import { type ErasureSubject, computeImpactDigest } from '../../domain/erasure/certificate.ts';
import { RETAINED } from '../../domain/record/commitments.ts';
import { AppError } from '../../errors.ts';
import { toObjectId } from '../../ledger/ledger.model.ts';
import type { ErasureDocument } from './erasures.model.ts';
import type { Context } from '../../platform/context.ts';

/** One entry about a decision, without its content. */
interface FoundEntry {
  traceId: string;
  sequence: number;
  chainHash: string;
  kind: string;
  names: string[];
  workspaceId?: Types.ObjectId | string;
  deletedAt?: Date | null;
  review?: object;
}

export interface Impact {
  impactDigest: string;
  counts: ErasureDocument['counts'];
}

/** Decisions of one query. */
const BATCH = 250;
const HELD: ReadonlySet<string> = new Set(WORDED_KINDS);

/** The names of the values that an entry still stores. */
const NAMES = {
  $map: {
    input: { $filter: { input: { $objectToArray: '$sealed' }, cond: '$$this.v' } },
    in: '$$this.k',
  },
};
/** The number of values that an entry still stores and an erasure takes. */
export const COUNT_STORED = {
  $size: { $setDifference: [{ $ifNull: [NAMES, []] }, [...RETAINED]] },
};

/** @throws AppError `NOT_FOUND` unless the tenant sees every one of the decisions */
export async function computeImpact(
  { platform, tenant }: Context,
  traceIds: readonly string[],
): Promise<Impact> {
  const { organizationId } = tenant;
  const subjects: ErasureSubject[] = [];
  let [reviewItems, outboxRows] = [0, 0];
  for (let from = 0; from < traceIds.length; from += BATCH) {
    const batch = traceIds.slice(from, from + BATCH);
    const entries = await readEntries(platform, organizationId, batch);
    const histories = groupBy(entries, ({ traceId }) => traceId);
    for (const traceId of batch) {
      const history = histories.get(traceId) ?? [];
      requireVisible(tenant, traceId, history);
      subjects.push(toSubject(traceId, history));
      reviewItems += history[0]?.review ? 1 : 0;
    }
    const queued = { organizationId, subject: { $in: batch } };
    outboxRows += await platform.models.outbox.countDocuments(queued);
  }
  const counts = {
    decisions: subjects.length,
    values: countValues(subjects),
    reviewItems,
    outboxRows,
  };
  return { impactDigest: computeImpactDigest(organizationId, subjects), counts };
}

const countValues = (subjects: readonly ErasureSubject[]): number =>
  subjects.flatMap(({ kept }) => kept.flatMap(({ names }) => names)).length;

async function readEntries(
  { models }: Platform,
  organizationId: string,
  traceIds: string[],
): Promise<FoundEntry[]> {
  return models.ledger
    .aggregate<FoundEntry>([
      { $match: { organizationId: toObjectId(organizationId), traceId: { $in: traceIds } } },
      { $sort: { traceId: 1, sequence: 1 } },
      {
        $project: {
          traceId: 1,
          sequence: 1,
          chainHash: 1,
          kind: 1,
          workspaceId: 1,
          deletedAt: 1,
          'review._id': 1,
          names: NAMES,
        },
      },
    ])
    .option({ hint: 'subject' });
}

/** @throws AppError `NOT_FOUND` */
function requireVisible(
  { workspaceId }: Tenant,
  traceId: string,
  [trace]: readonly FoundEntry[],
): void {
  const isThere = trace?.kind === 'trace' && !trace.deletedAt;
  if (isThere && (workspaceId === null || String(trace.workspaceId) === workspaceId)) return;
  throw new AppError('NOT_FOUND', `traceIds: no decision ${traceId}; nothing is erased`);
}

function toSubject(traceId: string, history: readonly FoundEntry[]): ErasureSubject {
  const { sequence, chainHash } = history.at(-1)!;
  const kept = history
    .filter(({ kind }) => HELD.has(kind))
    .map((entry) => ({
      sequence: entry.sequence,
      names: entry.names.filter((name) => !RETAINED.has(name)),
    }))
    .filter(({ names }) => names.length > 0);
  return { traceId, newest: { sequence, chainHash }, kept };
}

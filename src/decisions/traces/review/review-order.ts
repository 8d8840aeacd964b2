// The order in which held decisions are taken: what is due first, then what matters more, then what waits longest.
import { type ReviewPriority, REVIEW_PRIORITIES } from '@assay/policy';
import type { Models } from '../../../models.ts';
import { READ_MAX_MS } from '../../../platform/mongo/queries.ts';
import type { TraceFilter } from '../stored-traces.ts';
import type { TraceDocument } from '../traces.model.ts';

type Place = Pick<TraceDocument, 'sequence' | 'review'>;

interface Part {
  where: object;
  sort: Readonly<Record<string, 1>>;
}

const DEADLINE = 'review.slaDeadline';

/** The parts of the queue in their order, each sorted by the index `review-due`; `after`: what follows an item. */
function listParts(after: Place | null): Part[] {
  const { slaDeadline = null, priority = null } = after?.review ?? {};
  const { sequence = 0 } = after ?? {};
  const bySequence = { sequence: 1 } as const;
  const byPriority = (named: ReviewPriority): Part => ({
    where: {
      'review.priority': named,
      [DEADLINE]: null,
      ...(slaDeadline === null && named === priority && { sequence: { $gt: sequence } }),
    },
    sort: bySequence,
  });
  const withDeadline: Part = {
    where: {
      'review.priority': { $in: REVIEW_PRIORITIES },
      [DEADLINE]: { $type: 'date', ...(slaDeadline && { $gte: slaDeadline }) },
      ...(slaDeadline && {
        $or: [{ [DEADLINE]: { $gt: slaDeadline } }, { sequence: { $gt: sequence } }],
      }),
    },
    sort: { [DEADLINE]: 1, ...bySequence },
  };
  if (after === null || slaDeadline !== null)
    return [withDeadline, ...REVIEW_PRIORITIES.map(byPriority)];
  return REVIEW_PRIORITIES.slice(REVIEW_PRIORITIES.indexOf(priority ?? 'low')).map(byPriority);
}

interface Section {
  /** The sequence of the last item before it. */
  cursor: number | undefined;
  limit: number;
}

/** Sequences of pending items in the order in which they are taken. */
export async function listDueSequences(
  { traces }: Pick<Models, 'traces'>,
  where: TraceFilter,
  { cursor, limit }: Section,
): Promise<number[]> {
  const { organizationId } = where;
  const after =
    cursor === undefined
      ? null
      : await traces
          .findOne({ organizationId, sequence: cursor }, 'sequence review')
          .maxTimeMS(READ_MAX_MS)
          .lean<Place>();
  const found: number[] = [];
  for (const part of listParts(after)) {
    if (found.length >= limit) break;
    const rows = await traces
      .find({ $and: [where, part.where], organizationId }, 'sequence')
      .sort(part.sort)
      .limit(limit - found.length)
      // Among few items the database would as soon walk the chain, which may be long.
      .hint('review-due')
      .maxTimeMS(READ_MAX_MS)
      .lean<{ sequence: number }[]>();
    found.push(...rows.map(({ sequence }) => sequence));
  }
  return found;
}

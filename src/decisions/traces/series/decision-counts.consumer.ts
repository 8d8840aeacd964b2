// Counts decisions by hour and day: verdicts, agents, confidence, and the paths that later entries move them along.
import { toConfidenceBin } from '../../../domain/counts/confidence-bins.ts';
import { deriveDecider, derivePath, toPathKey } from '../../../domain/counts/decision-path.ts';
import { toWaitBucket } from '../../../domain/counts/wait-buckets.ts';
import type { ReviewPayload } from '../../../domain/record/payload.ts';
import type { Consumer } from '../../../ledger/follow/consumer.ts';
import { isObjectIdText } from '../trace-names.ts';
import type { Models } from '../../../models.ts';
import type { TraceDocument } from '../traces.model.ts';
import { CountSums } from './count-sums.ts';
import { type CountedMove, loadMoves } from './path-moves.ts';
import { loadDaySlots, type PlacedPath } from './path-slots.ts';

/** The consumer's name, under which its cursors are stored. */
export const COUNTS_CONSUMER = 'decision-counts';

export function createDecisionCountsConsumer(models: Models): Consumer<TraceDocument> {
  return {
    name: COUNTS_CONSUMER,
    from: 'start',
    kinds: ['trace', 'review', 'execution'],
    projection: {
      traceId: 1,
      workspaceId: 1,
      agentId: 1,
      agentName: 1,
      answer: 1,
      confidenceScore: 1,
      matchedPolicyIds: 1,
      verdict: 1,
      timestamp: 1,
      createdAt: 1,
    },
    async consume(entries, context) {
      const { session, organizationId } = context;
      const sums = new CountSums();
      const made = entries.filter(({ kind }) => kind === 'trace');
      const later = entries.filter(({ kind }) => kind !== 'trace');
      for (const trace of made) countDecision(sums, trace);
      const moves = later.length === 0 ? [] : await loadMoves(models, later, context);
      for (const move of moves) countWait(sums, move);
      await countPaths(models, { sums, paths: made.map(toStart), moves }, context);
      const updates = sums.toUpdates(organizationId);
      if (updates.length > 0) await models.decisionCounts.bulkWrite(updates, { session });
    },
  };
}

/** An erased decision says no more when it was made. */
const findTime = ({ timestamp, createdAt }: TraceDocument): Date => timestamp ?? createdAt;

/** Counts a decision for its workspace, and for its agent if that is registered. */
function countDecision(sums: CountSums, trace: TraceDocument): void {
  const { workspaceId, agentId, agentName, verdict, confidenceScore } = trace;
  const place = { workspaceId, at: findTime(trace) };
  sums.addCount({ ...place, dimension: 'verdict', key: verdict });
  if (agentName !== null)
    sums.addCount({ ...place, dimension: 'agent', key: `${agentId}|${verdict}` });
  const bin = toConfidenceBin(confidenceScore);
  if (bin !== null) sums.addCount({ ...place, dimension: 'confidence', key: String(bin) });
}

/** Where a decision begins, before anything followed it. */
const toStart = (trace: TraceDocument): PlacedPath => ({
  workspaceId: trace.workspaceId,
  at: findTime(trace),
  path: derivePath(trace, []),
});

/** How long a person took to decide. */
function countWait(sums: CountSums, { trace, entry, payload }: CountedMove): void {
  if (payload.kind !== 'review' || !isObjectIdText(deriveDecider(payload as ReviewPayload))) return;
  const seconds = (entry.createdAt.getTime() - trace.createdAt.getTime()) / 1000;
  const { workspaceId } = trace;
  const key = String(toWaitBucket(seconds));
  sums.addCount({ workspaceId, dimension: 'wait', at: entry.createdAt, key });
}

interface Paths {
  sums: CountSums;
  paths: readonly PlacedPath[];
  moves: readonly CountedMove[];
}

async function countPaths(
  models: Models,
  { sums, paths, moves }: Paths,
  context: Parameters<typeof loadDaySlots>[2],
): Promise<void> {
  const all = [...paths, ...moves.flatMap(({ before, after }) => [before, after])];
  const place = await loadDaySlots(models, all, context);
  const countPath = (placed: PlacedPath, by: 1 | -1): void => {
    const { workspaceId, at } = placed;
    sums.addCount({ workspaceId, dimension: 'path', at, key: toPathKey(place(placed)) }, by);
  };
  for (const path of paths) countPath(path, 1);
  for (const { before, after } of moves) {
    countPath(before, -1);
    countPath(after, 1);
  }
}

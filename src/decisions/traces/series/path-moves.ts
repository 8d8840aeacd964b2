// What reviews and executions change of the paths of their decisions.
import type { ClientSession } from 'mongoose';
import { derivePath } from '../../../domain/counts/decision-path.ts';
import { groupBy } from '../../../domain/group-by.ts';
import type { ExecutionPayload, ReviewPayload } from '../../../domain/record/payload.ts';
import type { LedgerEntryDocument } from '../../../ledger/ledger.model.ts';
import type { Models } from '../../../models.ts';
import type { TraceDocument } from '../traces.model.ts';
import type { PlacedPath } from './path-slots.ts';

interface Context {
  organizationId: string;
  session: ClientSession;
}

type Later = Pick<LedgerEntryDocument, 'traceId' | 'sequence' | 'createdAt' | 'view'>;

/** An entry that moves its decision from one path to another. */
export interface CountedMove {
  trace: Pick<TraceDocument, 'workspaceId' | 'createdAt'>;
  entry: Pick<Later, 'createdAt'>;
  payload: ReviewPayload | ExecutionPayload;
  before: PlacedPath;
  after: PlacedPath;
}

const LATER = ['review', 'execution'] as const;
const READ =
  'traceId workspaceId agentId agentName answer.agentMark matchedPolicyIds verdict timestamp createdAt';

/** A decision that is erased by now has lost its place: it stays where it was. */
export async function loadMoves(
  models: Models,
  entries: readonly Pick<TraceDocument, 'sequence' | 'traceId'>[],
  { organizationId, session }: Context,
): Promise<CountedMove[]> {
  const about = { organizationId, traceId: { $in: entries.map(({ traceId }) => traceId) } };
  const later = await models.ledger
    .find({ ...about, kind: { $in: LATER } }, 'traceId sequence createdAt view')
    .session(session)
    .sort({ sequence: 1 })
    .lean<Later[]>();
  const found = await models.traces
    .find({ ...about, timestamp: { $ne: null } }, READ)
    .session(session)
    .lean<TraceDocument[]>();
  const traces = new Map(found.map((trace) => [trace.traceId, trace]));
  const histories = groupBy(later, ({ traceId }) => traceId);
  return entries.flatMap(
    ({ traceId, sequence }) =>
      findMove(traces.get(traceId), histories.get(traceId) ?? [], sequence) ?? [],
  );
}

function findMove(
  trace: TraceDocument | undefined,
  history: readonly Later[],
  sequence: number,
): CountedMove | null {
  const known = history.filter((entry) => entry.sequence <= sequence);
  const entry = known.at(-1);
  if (!trace || entry?.sequence !== sequence) return null;
  const payloads = known.map(({ view }) => JSON.parse(view) as CountedMove['payload']);
  const payload = payloads.at(-1);
  if (!payload) return null;
  const { workspaceId, timestamp: at } = trace;
  const before = { workspaceId, at, path: derivePath(trace, payloads.slice(0, -1)) };
  const after = { workspaceId, at, path: derivePath(trace, payloads) };
  return { trace, entry, payload, before, after };
}

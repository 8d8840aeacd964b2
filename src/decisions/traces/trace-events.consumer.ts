// Writes an outbox event for each decision, verdict, claim and outcome; webhooks and alerts deliver it.
import { scrubStrictly } from '@assay/scrub';
import { PeriodicYield } from '../../platform/concurrency/event-loop.ts';
import { EVENT_TOPIC } from '../../domain/events/events.ts';
import type { OutboxRow, OutboxWriter } from '../../platform/outbox/outbox-writer.ts';
import type { ExecutionPayload } from '../../domain/record/payload.ts';
import type { Consumer } from '../../ledger/follow/consumer.ts';
import { dropErased } from '../../ledger/follow/without-erased.ts';
import type { Models } from '../../models.ts';
import type { TraceDocument } from './traces.model.ts';

const projection = {
  traceId: 1,
  workspaceId: 1,
  verdict: 1,
  agentId: 1,
  agentName: 1,
  answer: 1,
  latency: 1,
  review: 1,
  timestamp: 1,
  createdAt: 1,
  erasedAt: 1,
  view: 1,
} as const;

/** Characters scrubbed before the event loop is yielded: at most 10 ms of work. */
const SCRUBBED = 1_000;

interface Deps {
  models: Pick<Models, 'traces'>;
  outbox: OutboxWriter;
  hasSubscribers: (organizationId: string) => Promise<boolean>;
}

/** Writes rows only for organisations with a subscriber; an erasure also removes the rows of its decision. */
export function createTraceEventsConsumer({
  models,
  outbox,
  hasSubscribers,
}: Deps): Consumer<TraceDocument> {
  return {
    name: 'trace-events',
    from: 'head',
    kinds: ['trace', 'review', 'execution', 'erasure'],
    projection,
    async consume(entries, context) {
      const { session, organizationId } = context;
      const kept = await dropErased(entries, outbox, context);
      if (!(await hasSubscribers(organizationId))) return;
      const rows: OutboxRow[] = [];
      const yielding = new PeriodicYield(SCRUBBED);
      const amended = await loadAmended(models, organizationId, kept);
      for (const entry of kept) {
        const trace = entry.kind === 'trace' ? entry : amended.get(entry.traceId);
        if (!trace) continue;
        const payload = buildEvent(entry, trace);
        rows.push(toOutboxRow(organizationId, { trace, sequence: entry.sequence, payload }));
        await yielding.addWork(countScrubbed(trace));
      }
      await outbox.write(rows, session);
    },
  };
}

function countScrubbed({ agentName, agentId, answer }: TraceDocument): number {
  return (agentName ?? agentId).length + (answer.policy?.reason.length ?? 0);
}

/** The decisions that the amendments among these entries are about, by `traceId`; erased ones are missing. */
async function loadAmended(
  models: Deps['models'],
  organizationId: string,
  entries: readonly TraceDocument[],
): Promise<ReadonlyMap<string, TraceDocument>> {
  const traceIds = entries.filter(({ kind }) => kind !== 'trace').map(({ traceId }) => traceId);
  if (traceIds.length === 0) return new Map();
  const where = { organizationId, traceId: { $in: traceIds }, deletedAt: null };
  const found = await models.traces.find(where, projection).lean<TraceDocument[]>();
  return new Map(found.map((trace) => [trace.traceId, trace]));
}

interface Event {
  trace: TraceDocument;
  /** Sequence of the entry that the event is about. */
  sequence: number;
  payload: OutboxRow['payload'];
}

function toOutboxRow(organizationId: string, { trace, sequence, payload }: Event): OutboxRow {
  const { workspaceId, traceId: subject } = trace;
  return {
    organizationId,
    topic: EVENT_TOPIC,
    lane: organizationId,
    workspaceId,
    subject,
    sequence,
    payload,
  };
}

function buildEvent(entry: TraceDocument, trace: TraceDocument): OutboxRow['payload'] {
  if (entry.kind === 'trace') return toTraceEvent(trace);
  return entry.kind === 'review' ? toReviewEvent(trace, entry) : toExecutionEvent(trace, entry);
}

/** The body of a delivery about a claim or an outcome. */
function toExecutionEvent(
  trace: TraceDocument,
  { createdAt, view }: Pick<TraceDocument, 'createdAt' | 'view'>,
) {
  const { executionId, state } = JSON.parse(view) as ExecutionPayload;
  return {
    event: 'execution.recorded',
    timestamp: createdAt.toISOString(),
    data: {
      traceId: trace.traceId,
      executionId,
      agentName: scrubStrictly(trace.agentName ?? trace.agentId),
      state,
    },
  };
}

/** Events of reviews that ended without a verdict. */
const REVIEW_EVENTS = { expired: 'review.expired', withdrawn: 'review.withdrawn' } as const;

/** The body of a delivery about the end of a review: what a suspended agent needs to find its decision and go on. */
function toReviewEvent(trace: TraceDocument, { createdAt }: Pick<TraceDocument, 'createdAt'>) {
  const { traceId, review } = trace;
  return {
    event: REVIEW_EVENTS[review?.status as keyof typeof REVIEW_EVENTS] ?? 'review.decided',
    timestamp: createdAt.toISOString(),
    data: {
      traceId,
      reviewId: review?._id.toHexString() ?? null,
      agentName: scrubStrictly(trace.agentName ?? trace.agentId),
      status: review?.status ?? null,
    },
  };
}

/** The body of a delivery: `{ event, timestamp, data }`. Texts written by operators are scrubbed. */
export function toTraceEvent(trace: TraceDocument) {
  const { traceId, verdict: status, answer, latency, review, createdAt } = trace;
  const toEventBody = (event: string, data: object) => ({
    event,
    timestamp: createdAt.toISOString(),
    data,
  });
  const about = {
    traceId,
    agentName: scrubStrictly(trace.agentName ?? trace.agentId),
    timestamp: trace.timestamp.toISOString(),
  };
  if (review)
    return toEventBody('trace.hold_for_review', { ...about, reviewId: review._id.toHexString() });
  if (status === 'blocked') {
    return toEventBody('trace.blocked', {
      ...about,
      status,
      reason: scrubStrictly(answer.policy?.reason ?? ''),
    });
  }
  return toEventBody('trace.created', { ...about, status, latency: latency ?? 0 });
}

// Writes an outbox event for each decision (document 2, section 6); webhooks and alerts deliver it.
import { PeriodicYield } from '../../platform/concurrency/event-loop.ts';
import { scrubStrictly } from '../../domain/scrub/strict-scrub.ts';
import { EVENT_TOPIC } from '../../domain/events/events.ts';
import type { OutboxRow, OutboxWriter } from '../../platform/outbox/outbox-writer.ts';
import type { Consumer } from '../../ledger/follow/consumer.ts';
import { dropErased } from '../../ledger/follow/without-erased.ts';
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
} as const;

/** Characters scrubbed before the event loop is yielded: at most 10 ms of work. */
const SCRUBBED = 1_000;

/** Writes rows only for organisations with a subscriber; an erasure also removes the rows of its decision. */
export function createTraceEventsConsumer(
  outbox: OutboxWriter,
  hasSubscribers: (organizationId: string) => Promise<boolean>,
): Consumer<TraceDocument> {
  return {
    name: 'trace-events',
    from: 'head',
    kinds: ['trace', 'erasure'],
    projection,
    async consume(entries, context) {
      const { session, organizationId } = context;
      const kept = await dropErased(entries, outbox, context);
      if (!(await hasSubscribers(organizationId))) return;
      const rows: OutboxRow[] = [];
      const yielding = new PeriodicYield(SCRUBBED);
      for (const trace of kept) {
        rows.push(toOutboxRow(organizationId, trace));
        await yielding.addWork(countScrubbed(trace));
      }
      await outbox.write(rows, session);
    },
  };
}

function countScrubbed({ agentName, agentId, answer }: TraceDocument): number {
  return (agentName ?? agentId).length + (answer.policy?.reason.length ?? 0);
}

function toOutboxRow(organizationId: string, trace: TraceDocument): OutboxRow {
  const { workspaceId, traceId: subject, sequence } = trace;
  const payload = toTraceEvent(trace);
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

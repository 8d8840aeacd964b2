// Decisions become events of the outbox (document 2, section 6); webhooks and alerts deliver them.
import type { OutboxWriter } from '../../infra/outbox-writer.ts';
import type { Consumer } from '../../ledger/consumer.ts';
import type { TraceDocument } from './traces.model.ts';

const BATCH = 512;
const projection = {
  traceId: 1,
  verdict: 1,
  agentId: 1,
  agentName: 1,
  answer: 1,
  latency: 1,
  review: 1,
  timestamp: 1,
  createdAt: 1,
} as const;

export function traceEventsConsumer(outbox: OutboxWriter): Consumer {
  return {
    name: 'trace-events',
    kinds: ['trace'],
    batch: BATCH,
    projection,
    run: (entries, { session, organizationId }) =>
      outbox.write(
        entries.map((entry) => ({
          organizationId,
          topic: 'event',
          payload: eventOf(entry as unknown as TraceDocument),
        })),
        session,
      ),
  };
}

/** The body of a delivery: `{ event, timestamp, data }`. */
export function eventOf(trace: TraceDocument) {
  const { traceId, verdict, agentId, agentName, answer, latency, review, createdAt } = trace;
  const timestamp = createdAt.toISOString();
  const about = { traceId: traceId ?? '', agentName: agentName ?? agentId, timestamp };
  if (verdict === 'blocked')
    return {
      event: 'trace.blocked',
      timestamp,
      data: { ...about, status: verdict, reason: answer.policy?.reason ?? '' },
    };
  if (verdict === 'flagged')
    return { event: 'trace.hold_for_review', timestamp, data: { ...about, reviewId: review?._id.toHexString() ?? '' } };
  return { event: 'trace.created', timestamp, data: { ...about, status: verdict, latency } };
}

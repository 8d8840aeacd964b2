// The timed job that records executions as unknown whose lease has ended without an outcome; none is handed out again.
import type { Types } from 'mongoose';
import type { Platform } from '../../../platform/platform.ts';
import type { ExecutionPayload } from '../../../domain/record/payload.ts';
import type { TraceDocument } from '../traces.model.ts';
import { settleEffects, reconcileReservations } from './effects.service.ts';
import { buildOutcomeEntry } from './execution-amendment.ts';

/** Maximum number of executions per run; the rest waits for the next. */
const BATCH = 500;

type OverdueDecision = Pick<TraceDocument, 'traceId'> & { organizationId: Types.ObjectId };

/** Ends all leases that are over; one that fails does not hold up the others. */
export async function endLeases(platform: Platform): Promise<void> {
  const { models, clock, logger } = platform;
  const overdue = await models.traces
    .find(
      { 'execution.state': 'claimed', 'execution.leaseUntil': { $lte: clock.now() } },
      'organizationId traceId',
      { crossTenant: true, sort: { 'execution.leaseUntil': 1 }, limit: BATCH },
    )
    .lean<OverdueDecision[]>();
  for (const decision of overdue)
    await endLease(platform, decision).catch((error: unknown) =>
      logger.error({ err: error, traceId: decision.traceId }, 'an execution was not ended'),
    );
  await reconcileReservations(platform);
}

const isOverdue = (platform: Platform, { execution }: Pick<TraceDocument, 'execution'>): boolean =>
  execution?.state === 'claimed' && execution.leaseUntil <= platform.clock.now();

async function endLease(
  platform: Platform,
  { organizationId: ofTrace, traceId }: OverdueDecision,
): Promise<void> {
  const organizationId = ofTrace.toHexString();
  const by = { organizationId, actor: { kind: 'system', id: null } } as const;
  const entry = await platform.ledger.amendments.append(organizationId, traceId, (about) =>
    isOverdue(platform, about.trace as TraceDocument)
      ? buildOutcomeEntry(by, about, {
          said: { outcome: 'unknown' },
          random16: platform.draw16Bytes,
        })
      : null,
  );
  if (!entry) return;
  const { executionId } = JSON.parse(entry.view) as ExecutionPayload;
  await settleEffects(platform, { organizationId, traceId, executionId }, 'unknown');
}

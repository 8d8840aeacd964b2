// Lists what was claimed before a halt and has not ended: it goes on, and people want to know.
import { Halts, isBinding } from '../../domain/halt/halt.ts';
import { createSessionKeys } from '../../domain/halt/session-key.ts';
import type { Stop } from '../../domain/halt/stops.ts';
import { readActPlace } from '../../domain/halt/act.ts';
import { listClaimedActions } from '../../decisions/traces/executions/claimed-actions.service.ts';
import type { TraceDocument } from '../../decisions/traces/traces.model.ts';
import type { Context } from '../../platform/context.ts';
import type { HaltDetail } from './halts.schemas.ts';

/** Executions that are shown. */
const SHOWN_MAX = 100;

export async function listUnderWay(ctx: Context, stop: Stop): Promise<HaltDetail['underWay']> {
  if (!isBinding(stop)) return { total: 0, items: [] };
  const claimed = await listClaimedActions(ctx.platform, ctx.tenant.organizationId);
  const within = claimed.filter(createFilter(ctx, stop));
  return { total: within.length, items: within.slice(0, SHOWN_MAX).flatMap(toItem) };
}

function createFilter(
  { platform, tenant }: Context,
  stop: Stop,
): (trace: TraceDocument) => boolean {
  const readKey = createSessionKeys(platform.secrets.ledgerKey);
  const entry = { ...stop, state: 'halted', createdAt: stop.since } as const;
  const halts = new Halts().addEntries([entry]);
  return (trace) => {
    const act = { by: 'policy', ...readActPlace(trace) } as const;
    return halts.findBlocking(tenant.organizationId, act, readKey) !== null;
  };
}

function toItem(trace: TraceDocument): HaltDetail['underWay']['items'] {
  const { traceId, agentId, agentName, execution } = trace;
  if (!execution) return [];
  const { claimedAt, leaseUntil } = execution;
  return [{ traceId, agentId, agentName, claimedAt, leaseUntil }];
}

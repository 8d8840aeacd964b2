// An agent's status, computed from its recent decisions with hysteresis (docs/reference/agent-status.md).

export type ComputedStatus = 'healthy' | 'degraded' | 'critical';

/** A decision in its current state, after reviews and feedback. */
export interface JudgedDecision {
  status: string;
  /** 0 to 1. */
  confidenceScore: number;
}

/** Only the `size` newest decisions count; with fewer than `minimum` the status does not change. */
export const statusWindow = { size: 50, minimum: 10 };

interface Limits {
  /** Share of decisions flagged or blocked. */
  stopped: number;
  /** Mean confidence, four decimals. */
  confidence: number;
}

/** An agent enters a status when it crosses either limit, and leaves it only when both are met again with a margin. */
const limits: Readonly<Record<'degraded' | 'critical', { enter: Limits; leave: Limits }>> = {
  degraded: { enter: { stopped: 0.2, confidence: 0.6 }, leave: { stopped: 0.1, confidence: 0.65 } },
  critical: { enter: { stopped: 0.5, confidence: 0.4 }, leave: { stopped: 0.4, confidence: 0.45 } },
};

/** The status after these decisions, newest first; unchanged when there are fewer than the minimum. */
export function rollStatus(
  current: ComputedStatus,
  window: readonly JudgedDecision[],
): ComputedStatus {
  const newest = window.slice(0, statusWindow.size);
  if (newest.length < statusWindow.minimum) return current;
  const measured = measure(newest);
  if (isInStatus('critical', current === 'critical', measured)) return 'critical';
  return isInStatus('degraded', current !== 'healthy', measured) ? 'degraded' : 'healthy';
}

function measure(decisions: readonly JudgedDecision[]): Limits {
  const stopped = decisions.filter(({ status }) => status === 'blocked' || status === 'flagged');
  const confidence = decisions.reduce((sum, { confidenceScore }) => sum + confidenceScore, 0);
  return {
    stopped: stopped.length / decisions.length,
    confidence: Math.round((confidence / decisions.length) * 10_000) / 10_000,
  };
}

/** Whether an agent enters the status or, where it has it already, does not leave it yet. */
function isInStatus(
  status: 'degraded' | 'critical',
  isCurrent: boolean,
  measured: Limits,
): boolean {
  const limit = isCurrent ? limits[status].leave : limits[status].enter;
  return measured.stopped >= limit.stopped || measured.confidence < limit.confidence;
}

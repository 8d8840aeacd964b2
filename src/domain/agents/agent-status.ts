// How an agent's status follows from its last decisions, with hysteresis so that it does not flicker (docs/agent-status.md).

export type ComputedStatus = 'healthy' | 'degraded' | 'critical';

/** A decision as it stands today, after reviews and feedback. */
export interface JudgedDecision {
  status: string;
  /** 0 to 1. */
  confidenceScore: number;
}

/** Decisions that count: the newest this many, none when there are fewer than the minimum. */
export const statusWindow = { size: 50, minimum: 10 };

interface Limits {
  /** Share of decisions flagged or blocked. */
  stopped: number;
  /** Mean confidence, four decimals. */
  confidence: number;
}

/** A status is entered when either limit is passed, and left only when both are kept again with room to spare. */
const limits: Readonly<Record<'degraded' | 'critical', { enter: Limits; leave: Limits }>> = {
  degraded: { enter: { stopped: 0.2, confidence: 0.6 }, leave: { stopped: 0.1, confidence: 0.65 } },
  critical: { enter: { stopped: 0.5, confidence: 0.4 }, leave: { stopped: 0.4, confidence: 0.45 } },
};

/** The status after these decisions, newest first. With fewer than the minimum the present one stays. */
export function rollStatus(
  current: ComputedStatus,
  window: readonly JudgedDecision[],
): ComputedStatus {
  const newest = window.slice(0, statusWindow.size);
  if (newest.length < statusWindow.minimum) return current;
  const seen: Limits = {
    stopped:
      newest.filter(({ status }) => status === 'blocked' || status === 'flagged').length /
      newest.length,
    confidence:
      Math.round(
        (newest.reduce((sum, { confidenceScore }) => sum + confidenceScore, 0) / newest.length) *
          10_000,
      ) / 10_000,
  };
  if (holds('critical', current === 'critical', seen)) return 'critical';
  return holds('degraded', current !== 'healthy', seen) ? 'degraded' : 'healthy';
}

/** Whether a status is entered or, where the agent is in it already, not yet left. */
function holds(status: 'degraded' | 'critical', already: boolean, seen: Limits): boolean {
  const limit = already ? limits[status].leave : limits[status].enter;
  return seen.stopped >= limit.stopped || seen.confidence < limit.confidence;
}

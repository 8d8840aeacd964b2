// The clock of one regulator: its checkpoints, their deadlines, and its status (document 3, sections 2 and 3).
import { findRuleInForce, getCadenceRule, type Regulator } from './cadence.ts';
import { addDuration } from './deadline.ts';

export const CLOCK_STATUSES = ['active', 'paused', 'completed', 'breached'] as const;
export type ClockStatus = (typeof CLOCK_STATUSES)[number];

/** The record of a completed checkpoint. */
export type Completion = {
  completedAt: Date | null;
  /** User id. */
  completedBy: string | null;
  evidenceTraceId: string | null;
  evidenceUrl: string | null;
  notes: string | null;
};

export type Checkpoint = Completion & { label: string; deadlineAt: Date };

export type IncidentClock = {
  regulator: Regulator;
  articleRef: string;
  /** The version of the rule that the clock began with. */
  ruleVersion: string;
  clockStartedAt: Date;
  applicabilityReason: string | null;
  checkpoints: Checkpoint[];
  /** The status at the last change; `computeStanding` gives the current one. */
  status: ClockStatus;
};

/** The standing of a clock at one moment. */
export interface Standing {
  status: ClockStatus;
  /** The deadline of the earliest open checkpoint; null when none is open. */
  nextCheckpointAt: Date | null;
  finalDeadlineAt: Date;
}

const OPEN: Completion = {
  completedAt: null,
  completedBy: null,
  evidenceTraceId: null,
  evidenceUrl: null,
  notes: null,
};

/** Starts a clock at `startedAt` under the rule in force then. */
export function startClock(
  regulator: Regulator,
  startedAt: Date,
  applicabilityReason: string | null,
): IncidentClock {
  const { version, articleRef, checkpoints } = findRuleInForce(regulator, startedAt);
  return {
    regulator,
    articleRef,
    ruleVersion: version,
    clockStartedAt: startedAt,
    applicabilityReason,
    checkpoints: checkpoints.map(({ label, after }) => ({
      label,
      deadlineAt: addDuration(startedAt, after),
      ...OPEN,
    })),
    status: 'active',
  };
}

/** Moves the start of a clock: completed checkpoints stay, open ones move, under the rule it began with. */
export function restartClock<C extends IncidentClock>(clock: C, startedAt: Date): C {
  const rule = getCadenceRule(clock.ruleVersion);
  const checkpoints = clock.checkpoints.map((checkpoint, index) => {
    const after = rule.checkpoints[index]?.after;
    if (after === undefined || checkpoint.completedAt) return checkpoint;
    return { ...checkpoint, deadlineAt: addDuration(startedAt, after) };
  });
  return { ...clock, clockStartedAt: startedAt, checkpoints };
}

/** Completes one checkpoint. The caller has checked that it is open. */
export function completeCheckpoint<C extends IncidentClock>(
  clock: C,
  index: number,
  completion: Completion,
): C {
  const checkpoints = clock.checkpoints.map((checkpoint, at) =>
    at === index ? { ...checkpoint, ...completion } : checkpoint,
  );
  return { ...clock, checkpoints };
}

/** The standing at `now`. A report at its deadline is in time; a late or missing one breaches the clock for good. */
export function computeStanding(clock: IncidentClock, now: Date): Standing {
  const { checkpoints } = clock;
  const open = checkpoints.filter(({ completedAt }) => completedAt === null);
  return {
    status: computeStatus(clock, now),
    nextCheckpointAt: findEarliest(open),
    finalDeadlineAt: findLatest(checkpoints) ?? clock.clockStartedAt,
  };
}

function computeStatus({ status, checkpoints }: IncidentClock, now: Date): ClockStatus {
  if (status === 'breached' || status === 'paused') return status;
  if (checkpoints.some(({ completedAt, deadlineAt }) => (completedAt ?? now) > deadlineAt))
    return 'breached';
  return checkpoints.every(({ completedAt }) => completedAt !== null) ? 'completed' : 'active';
}

/** Sets every status to its current value. Only the job uses it, since it records breaches as well. */
export function settleClocks<C extends IncidentClock>(clocks: readonly C[], now: Date): C[] {
  return clocks.map((clock) => ({ ...clock, status: computeStatus(clock, now) }));
}

/** Sets every status except a new breach, which the job records. Used for changes by callers. */
export function refreshClocks<C extends IncidentClock>(clocks: readonly C[], now: Date): C[] {
  return clocks.map((clock) => {
    const status = computeStatus(clock, now);
    return { ...clock, status: status === 'breached' ? clock.status : status };
  });
}

/** The moment after which the next active clock is breached; null: none will be. */
export function findNextBreach(clocks: readonly IncidentClock[]): Date | null {
  const active = clocks.filter(({ status }) => status === 'active');
  const checkpoints = active.flatMap((clock) => clock.checkpoints);
  return findEarliest(
    checkpoints.filter(
      ({ completedAt, deadlineAt }) => completedAt === null || completedAt > deadlineAt,
    ),
  );
}

const CHECKPOINT_ID = /^cp-(0|[1-9]\d?)$/;

/** `cp-0`, `cp-1`, ...: counted over all clocks in their order. */
export function toCheckpointId(
  clocks: readonly IncidentClock[],
  clock: number,
  index: number,
): string {
  const before = clocks.slice(0, clock).flatMap(({ checkpoints }) => checkpoints);
  return `cp-${before.length + index}`;
}

/** The indices of a clock and its checkpoint; null for an unknown id. */
export function findCheckpoint(
  clocks: readonly IncidentClock[],
  id: string,
): { clock: number; index: number } | null {
  let index = Number(CHECKPOINT_ID.exec(id)?.[1] ?? NaN);
  for (const [clock, { checkpoints }] of clocks.entries()) {
    if (index < checkpoints.length) return { clock, index };
    index -= checkpoints.length;
  }
  return null;
}

const listDeadlines = (checkpoints: readonly Checkpoint[]): number[] =>
  checkpoints.map(({ deadlineAt }) => deadlineAt.getTime());

function findEarliest(checkpoints: readonly Checkpoint[]): Date | null {
  return checkpoints.length === 0 ? null : new Date(Math.min(...listDeadlines(checkpoints)));
}

function findLatest(checkpoints: readonly Checkpoint[]): Date | null {
  return checkpoints.length === 0 ? null : new Date(Math.max(...listDeadlines(checkpoints)));
}

// The clock of one regulator: its checkpoints, their deadlines, and where it stands (document 3, sections 2 and 3).
import { ruleAt, ruleOf } from './cadence.ts';
import { deadlineAfter } from './deadline.ts';
import type { Regulator } from './rules/rule.ts';

export const CLOCK_STATUSES = ['active', 'paused', 'completed', 'breached'] as const;
export type ClockStatus = (typeof CLOCK_STATUSES)[number];

/** What is recorded when a checkpoint is completed. */
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
  /** Of the rule that it began with. */
  ruleVersion: string;
  clockStartedAt: Date;
  applicabilityReason: string | null;
  checkpoints: Checkpoint[];
  /** As of the last change; `standingOf` tells today's. */
  status: ClockStatus;
};

/** Where a clock stands at a moment. */
export interface Standing {
  status: ClockStatus;
  /** Of the earliest checkpoint that is open; null when none is. */
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

/** A clock that begins at `startedAt`, by the rule that is in force then. */
export function startClock(
  regulator: Regulator,
  startedAt: Date,
  applicabilityReason: string | null,
): IncidentClock {
  const { version, articleRef, checkpoints } = ruleAt(regulator, startedAt);
  return {
    regulator,
    articleRef,
    ruleVersion: version,
    clockStartedAt: startedAt,
    applicabilityReason,
    checkpoints: checkpoints.map(({ label, after }) => ({
      label,
      deadlineAt: deadlineAfter(startedAt, after),
      ...OPEN,
    })),
    status: 'active',
  };
}

/** The clock begun at another moment: what is done stays, what is open moves, by the rule that it began with. */
export function restartClock<C extends IncidentClock>(clock: C, startedAt: Date): C {
  const rule = ruleOf(clock.ruleVersion);
  const checkpoints = clock.checkpoints.map((checkpoint, index) => {
    const after = rule.checkpoints[index]?.after;
    if (after === undefined || checkpoint.completedAt) return checkpoint;
    return { ...checkpoint, deadlineAt: deadlineAfter(startedAt, after) };
  });
  return { ...clock, clockStartedAt: startedAt, checkpoints };
}

/** The clock with one checkpoint completed. Ask first whether it is open. */
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

/** A report at its deadline is in time; one that is late, or missing after it, breaches the clock for ever. */
export function standingOf(clock: IncidentClock, now: Date): Standing {
  const { checkpoints } = clock;
  const open = checkpoints.filter(({ completedAt }) => completedAt === null);
  return {
    status: statusOf(clock, now),
    nextCheckpointAt: earliest(open),
    finalDeadlineAt: latest(checkpoints) ?? clock.clockStartedAt,
  };
}

function statusOf({ status, checkpoints }: IncidentClock, now: Date): ClockStatus {
  if (status === 'breached' || status === 'paused') return status;
  if (checkpoints.some(({ completedAt, deadlineAt }) => (completedAt ?? now) > deadlineAt))
    return 'breached';
  return checkpoints.every(({ completedAt }) => completedAt !== null) ? 'completed' : 'active';
}

/** The clocks with the status that each has now: for the job, which records a breach and stores it. */
export function settled<C extends IncidentClock>(clocks: readonly C[], now: Date): C[] {
  return clocks.map((clock) => ({ ...clock, status: statusOf(clock, now) }));
}

/** The same for a change by a caller, which leaves a breach that nobody has recorded to the job. */
export function unsettled<C extends IncidentClock>(clocks: readonly C[], now: Date): C[] {
  return clocks.map((clock) => {
    const status = statusOf(clock, now);
    return { ...clock, status: status === 'breached' ? clock.status : status };
  });
}

/** After which moment the next of the clocks is breached that are stored as active; null: none will be. */
export function nextBreachAt(clocks: readonly IncidentClock[]): Date | null {
  const active = clocks.filter(({ status }) => status === 'active');
  const checkpoints = active.flatMap((clock) => clock.checkpoints);
  return earliest(
    checkpoints.filter(
      ({ completedAt, deadlineAt }) => completedAt === null || completedAt > deadlineAt,
    ),
  );
}

const CHECKPOINT_ID = /^cp-(0|[1-9]\d?)$/;

/** `cp-0`, `cp-1`, ...: counted over all clocks in their order. */
export function checkpointId(
  clocks: readonly IncidentClock[],
  clock: number,
  index: number,
): string {
  const before = clocks.slice(0, clock).flatMap(({ checkpoints }) => checkpoints);
  return `cp-${before.length + index}`;
}

/** The place of a checkpoint among the clocks; null where there is none of that id. */
export function checkpointPlace(
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

const times = (checkpoints: readonly Checkpoint[]): number[] =>
  checkpoints.map(({ deadlineAt }) => deadlineAt.getTime());

function earliest(checkpoints: readonly Checkpoint[]): Date | null {
  return checkpoints.length === 0 ? null : new Date(Math.min(...times(checkpoints)));
}

function latest(checkpoints: readonly Checkpoint[]): Date | null {
  return checkpoints.length === 0 ? null : new Date(Math.max(...times(checkpoints)));
}

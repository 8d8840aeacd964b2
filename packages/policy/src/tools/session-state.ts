// What a session has done and seen, as each entry of it leaves it (formats.md, section 17).
import type { ToolAct } from './catalogue.ts';
import type { Effect } from './tool-words.ts';

/** The state of a session between two entries. */
export interface SessionState {
  /** What its results may hold, by label: the decision that gave it first. */
  labels: Readonly<Record<string, string>>;
  /** How often each effect was let happen. */
  counts: Readonly<Partial<Record<Effect, number>>>;
  /** Decisions that were let act. */
  acts: number;
  /** Decisions that were blocked. */
  blocked: number;
  /** The newest effects, the oldest first. */
  last: readonly Effect[];
  /** Tools it has used that others come after. */
  steps: readonly string[];
  /** ISO 8601: when it began, and when it was last heard of. */
  began: string;
  seen: string;
}

/** What an entry adds to its session. */
export interface SessionChange {
  traceId: string;
  /** ISO 8601: the moment of judgement, or of the verdict. */
  at: string;
  /** Whether its acts are let happen, or have happened. */
  isActing: boolean;
  isBlocked: boolean;
  acts: readonly ToolAct[];
  /** Labels that the caller adds, of those that the catalogue has. */
  labels: readonly string[];
}

const LAST_MAX = 8;
/** A session that begins; `labels`: of the session that it follows from. */
export const beginSession = (at: string, labels: SessionState['labels'] = {}): SessionState => ({
  labels,
  counts: {},
  acts: 0,
  blocked: 0,
  last: [],
  steps: [],
  began: at,
  seen: at,
});

const HOUR_MS = 3_600_000;

/** Whether a session that was last heard of then has ended. */
export const isIdle = (
  { seen }: Pick<SessionState, 'seen'>,
  at: string,
  idleHours: number,
): boolean => Date.parse(at) - Date.parse(seen) > idleHours * HOUR_MS;

/** The state after an entry. What is done adds its labels at once: its result is presumed to be read. */
export function changeSession(before: SessionState, change: SessionChange): SessionState {
  const { isActing, isBlocked, at, acts } = change;
  const done = isActing ? acts : [];
  const effects = done.flatMap(({ does }) => does);
  return {
    labels: addLabels(before.labels, change, done),
    counts: addCounts(before.counts, done),
    acts: before.acts + (isActing ? 1 : 0),
    blocked: before.blocked + (isBlocked ? 1 : 0),
    last: [...before.last, ...effects].slice(-LAST_MAX),
    steps: addSteps(before.steps, done),
    began: before.began,
    seen: at > before.seen ? at : before.seen,
  };
}

function addLabels(
  before: SessionState['labels'],
  { traceId, labels }: SessionChange,
  done: readonly ToolAct[],
): SessionState['labels'] {
  const given = [...labels, ...done.flatMap(({ gives }) => gives)];
  const added = given.filter((label) => !Object.hasOwn(before, label));
  if (added.length === 0) return before;
  return { ...before, ...Object.fromEntries(added.map((label) => [label, traceId])) };
}

function addCounts(
  before: SessionState['counts'],
  done: readonly ToolAct[],
): SessionState['counts'] {
  if (done.every(({ does }) => does.length === 0)) return before;
  const counts: Partial<Record<Effect, number>> = { ...before };
  for (const { does, times } of done)
    for (const effect of does) counts[effect] = (counts[effect] ?? 0) + times;
  return counts;
}

function addSteps(before: readonly string[], done: readonly ToolAct[]): readonly string[] {
  const added = done.flatMap(({ tool, step }) => (step && tool !== null ? [tool] : []));
  return added.every((tool) => before.includes(tool))
    ? before
    : [...new Set([...before, ...added])];
}

// Verdicts are final: one that an agent may wait for is sent at once; any other act can be undone, as a whole, for a moment.
// What waits belongs to the tab, not to the page of the queue: another page of the console does not hurry it.
import { useSyncExternalStore } from 'react';
import { ApiError } from '../../../api/api-error.ts';
import { queryClient } from '../../../app/queries.ts';
import { finishBeforeLeaving } from '../../../session/before-leaving.ts';
import { reportEnd } from '../../../session/session-end.ts';
import { hasVoted, markDecided, type ReviewItem } from '../review-queries.ts';
import { reportUndecided, type Undecided } from './report-undecided.tsx';
import { MOST_AT_ONCE, mustSign, readOutcome, sendVerdict, type Verdict } from './send-verdicts.ts';
import { forgetUnsent, noteUnsent } from './unsent-verdicts.ts';

/** What a person did at once: one verdict on one decision or on many. */
export interface Act {
  items: readonly ReviewItem[];
  verdict: Verdict;
  userId: string;
  /** Called when it waits for longer than was said. */
  onHeldUp: () => void;
  /** When it is sent; null: when this device is online again. */
  sendAt: number | null;
  /** The service takes no request before `sendAt`. */
  isLimited: boolean;
  timer: ReturnType<typeof setTimeout> | undefined;
  /** Under way, and final. */
  sending: Promise<void> | null;
}

export interface Pending {
  acts: readonly Act[];
  /** Ids of items that are decided here, or about to be. */
  ids: ReadonlySet<string>;
}

const UNDO_MS = 5000;
/** For how long a verdict may be on its way. */
const ON_ITS_WAY_MS = 30_000;

const listeners = new Set<() => void>();
const decided = new Set<string>();
let pending: Pending = { acts: [], ids: new Set() };

function setActs(acts: readonly Act[]): void {
  const waiting = acts.flatMap(({ items }) => items.map(({ _id }) => _id));
  pending = { acts, ids: new Set([...decided, ...waiting]) };
  for (const notify of listeners) notify();
}

function subscribe(notify: () => void): () => void {
  listeners.add(notify);
  return () => void listeners.delete(notify);
}

export const usePendingVerdicts = (): Pending => useSyncExternalStore(subscribe, () => pending);

export const listIds = (items: readonly ReviewItem[]): string[] => items.map(({ _id }) => _id);

function schedule(act: Act, sendAt: number | null): void {
  clearTimeout(act.timer);
  act.sendAt = sendAt;
  const until = sendAt === null ? Infinity : sendAt + ON_ITS_WAY_MS;
  noteUnsent(act.userId, listIds(act.items), Math.min(until, Number.MAX_SAFE_INTEGER));
  act.timer =
    sendAt === null ? undefined : setTimeout(() => void sendAct(act), sendAt - Date.now());
}

/** An act on several is hard to take in; any other one is undone only where no agent waits for it. */
const isUndoable = (items: readonly ReviewItem[]): boolean =>
  items.length > 1 || items.every((item) => (item.callerWaits ?? item.isFresh) === false);

/** Decides the items, unless it is undone before; returns whether it can be. */
export function decideLater(
  given: readonly ReviewItem[],
  verdict: Verdict,
  by: Pick<Act, 'userId' | 'onHeldUp'>,
): boolean {
  const items = given.filter(({ _id }) => !pending.ids.has(_id));
  if (items.length === 0) return false;
  const act: Act = {
    items,
    verdict,
    ...by,
    sendAt: null,
    isLimited: false,
    timer: undefined,
    sending: null,
  };
  const isHeld =
    isUndoable(items) && !(items.length === 1 && items.some((one) => mustSign(one, verdict)));
  schedule(act, Date.now() + (isHeld ? UNDO_MS : 0));
  setActs([...pending.acts, act]);
  if (!isHeld) void sendAct(act);
  return isHeld;
}

/** The act that an undo takes back: the last one that is not under way. */
export const findUndoable = (acts: readonly Act[]): Act | undefined =>
  acts.findLast(({ sending }) => sending === null);

/** Takes the last act back as a whole; undefined: none waits any more. */
export function revertLast(): Act | undefined {
  const act = findUndoable(pending.acts);
  if (!act) return undefined;
  clearTimeout(act.timer);
  finish(act);
  return act;
}

function finish(act: Act): void {
  forgetUnsent(listIds(act.items));
  setActs(pending.acts.filter((other) => other !== act));
}

async function sendAct(act: Act): Promise<void> {
  clearTimeout(act.timer);
  if (!navigator.onLine) return waitAgain(act, null);
  act.sending ??= deliver(act);
  setActs([...pending.acts]);
  await act.sending;
}

async function deliver(act: Act): Promise<void> {
  const { items, verdict } = act;
  const undecided: Undecided[] = [];
  for (let from = 0; from < items.length; from += MOST_AT_ONCE) {
    const some = items.slice(from, from + MOST_AT_ONCE);
    try {
      const { ids, reasons } = await sendVerdict(some, verdict);
      keep(some.filter(({ _id }) => ids.has(_id)));
      const left = some.filter(({ _id }) => !ids.has(_id));
      undecided.push(...left.map((item) => ({ item, error: reasons.get(item._id) })));
    } catch (error) {
      const limitedUntil = error instanceof ApiError ? error.limitedUntil : null;
      if (limitedUntil !== null) {
        act.items = items.slice(from);
        act.isLimited = true;
        return waitAgain(act, limitedUntil);
      }
      undecided.push(...(await findUndecided(some, { verdict, error, userId: act.userId })));
    }
  }
  settle(act, undecided);
}

function waitAgain(act: Act, sendAt: number | null): void {
  act.sending = null;
  schedule(act, sendAt);
  setActs([...pending.acts]);
  act.onHeldUp();
}

function keep(items: readonly ReviewItem[]): void {
  const ids = listIds(items);
  for (const id of ids) decided.add(id);
  forgetUnsent(ids);
  const refetchType = markDecided(queryClient, ids) ? 'none' : 'active';
  void queryClient.invalidateQueries({ queryKey: ['review'], refetchType });
}

interface Failure {
  verdict: Verdict;
  error: unknown;
  userId: string;
}

/** An answer that was lost leaves open what became of the verdict: the items say it. */
async function findUndecided(
  items: readonly ReviewItem[],
  { verdict, error, userId }: Failure,
): Promise<Undecided[]> {
  const isKnown = error instanceof ApiError && error.status > 0 && error.status < 500;
  if (isKnown) return items.map((item) => ({ item, error }));
  const decision = verdict.decision === 'approve' ? 'approved' : 'rejected';
  const outcomes = await Promise.all(items.map(({ _id }) => readOutcome(_id)));
  const isDone = (index: number): boolean => {
    const outcome = outcomes[index];
    if (!outcome) return false;
    return (
      (outcome.status === decision && outcome.decidedBy === userId) || hasVoted(outcome, userId)
    );
  };
  keep(items.filter((_, index) => isDone(index)));
  return items.flatMap((item, index) =>
    isDone(index) ? [] : [{ item, error, isUncertain: outcomes[index] === null }],
  );
}

function settle(act: Act, undecided: readonly Undecided[]): void {
  const [failed] = undecided;
  const hasEnded = failed?.error instanceof ApiError && failed.error.status === 401;
  finish(act);
  if (hasEnded) {
    // The page after the next sign-in says so.
    noteUnsent(act.userId, listIds(undecided.map(({ item }) => item)), 0);
    reportEnd(failed.error);
  } else if (failed) reportUndecided(undecided);
  void queryClient.invalidateQueries({ queryKey: ['decisions', 'one'] });
  if (failed) void queryClient.invalidateQueries({ queryKey: ['review'] });
}

/** Sends all that waits, now. */
export const sendAllNow = (): Promise<unknown> =>
  Promise.allSettled(pending.acts.map((act) => sendAct(act)));

addEventListener('pagehide', () => {
  for (const { userId, items } of pending.acts)
    noteUnsent(userId, listIds(items), Date.now() + ON_ITS_WAY_MS);
  void sendAllNow();
});
addEventListener('online', () => {
  for (const act of pending.acts) if (act.sendAt === null) void sendAct(act);
});
/** What the service does not take now would be lost with the page. */
const isHeldUp = ({ sendAt, isLimited }: Act): boolean =>
  sendAt === null || isLimited || !navigator.onLine;
addEventListener('beforeunload', (event) => {
  if (pending.acts.some(isHeldUp)) event.preventDefault();
});
finishBeforeLeaving(sendAllNow);

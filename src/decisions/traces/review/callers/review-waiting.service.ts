// Waits for verdicts: requests of an organisation wait together, are woken by its amendments, and share one query.
import { AppError } from '../../../../errors.ts';
import { Coalescer } from '../../../../platform/concurrency/coalescer.ts';
import { perInstance } from '../../../../platform/per-instance.ts';
import type { Platform } from '../../../../platform/platform.ts';

/** Signals may be lost: the database is looked at by itself this often. */
export const LOOK_EVERY_MS = 5_000;
/** Waiting requests of an organisation on an instance. */
const WAITING_MAX = 2_000;

export interface VerdictWait {
  organizationId: string;
  traceId: string;
  seconds: number;
  /** Ends the wait when the caller has left. */
  signal?: AbortSignal | undefined;
  /** Maximum waiting requests of the organisation; for tests. */
  max?: number;
}

/** The waiting requests of one organisation. */
interface Room {
  waiters: Set<Waiter>;
  /** Decisions to look at. */
  unseen: Set<string>;
  looks: Coalescer;
  timer: NodeJS.Timeout;
}

interface Waiter {
  traceId: string;
  /** Ends the wait. MUST be called once. */
  end: () => void;
}

/** Keyed by organisation. */
const openRooms = perInstance(({ signals }) => {
  const rooms = new Map<string, Room>();
  signals.subscribe((organizationId) => {
    if (organizationId === null) return [...rooms.values()].forEach(wakeWaiters);
    const room = rooms.get(organizationId);
    if (room) wakeWaiters(room);
  });
  return rooms;
});

/**
 * Resolves when the decision has no pending review any more, when the time is over, the caller has left, or the
 * instance stops.
 * @throws AppError `SERVICE_UNAVAILABLE` when too many requests of the organisation wait
 */
export async function awaitVerdict(platform: Platform, wait: VerdictWait): Promise<void> {
  const { organizationId, traceId, seconds, signal, max = WAITING_MAX } = wait;
  const rooms = openRooms(platform);
  const room = rooms.get(organizationId) ?? openRoom(platform, organizationId);
  if (room.waiters.size >= max) throw createBusyError();
  await new Promise<void>((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      room.waiters.delete(waiter);
      if (room.waiters.size === 0) {
        clearInterval(room.timer);
        rooms.delete(organizationId);
      }
      resolve();
    };
    const timer = setTimeout(end, seconds * 1000);
    const waiter = { traceId, end };
    room.waiters.add(waiter);
    if (signal?.aborted) return end();
    signal?.addEventListener('abort', end, { once: true });
    // A verdict may have come between the caller's read and this wait.
    room.unseen.add(traceId);
    void room.looks.run();
  });
}

/** Ends every wait: the callers read the state as it is. */
export function endWaits(platform: Platform): void {
  for (const { waiters } of [...openRooms(platform).values()])
    for (const { end } of [...waiters]) end();
}

/** Number of waiting requests; for tests. */
export const countWaiting = (platform: Platform): number =>
  [...openRooms(platform).values()].reduce((sum, { waiters }) => sum + waiters.size, 0);

function openRoom(platform: Platform, organizationId: string): Room {
  const room: Room = {
    waiters: new Set(),
    unseen: new Set(),
    looks: new Coalescer(() => checkPending(platform, organizationId, room)),
    timer: setInterval(() => wakeWaiters(room), LOOK_EVERY_MS),
  };
  openRooms(platform).set(organizationId, room);
  return room;
}

function wakeWaiters({ waiters, unseen, looks }: Room): void {
  for (const { traceId } of waiters) unseen.add(traceId);
  void looks.run();
}

/** Ends the waits for decisions that have no pending review any more. */
async function checkPending(platform: Platform, organizationId: string, room: Room): Promise<void> {
  const seen = room.unseen;
  room.unseen = new Set();
  const pending = await findPending(platform, organizationId, [...seen]);
  for (const { traceId, end } of [...room.waiters])
    if (seen.has(traceId) && !pending.has(traceId)) end();
}

/** A failure ends no wait: the next look tells. */
async function findPending(
  { models }: Platform,
  organizationId: string,
  traceIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const where = { organizationId, deletedAt: null, 'review.status': 'pending' as const };
  const rows = await models.traces
    .find({ ...where, traceId: { $in: [...traceIds] } }, 'traceId')
    .lean<{ traceId: string }[]>()
    .catch(() => null);
  return new Set(rows ? rows.map(({ traceId }) => traceId) : traceIds);
}

const createBusyError = (): AppError =>
  new AppError('SERVICE_UNAVAILABLE', 'Too many requests of the organisation wait for a verdict', {
    headers: { 'Retry-After': '2' },
  });

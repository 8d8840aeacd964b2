// Waits for verdicts: requests of an organisation wait together, are woken by its amendments, and share one query.
import { AppError } from '../../../errors.ts';
import { systemTimer, type Timer } from '../../../ledger/timer.ts';
import type { OrganizationSignals } from '../../../platform/mongo/organization-signals.ts';
import type { Models } from '../../../models.ts';

/** Signals may be lost: the database is looked at by itself this often. */
const LOOK_EVERY_MS = 5_000;
/** Waiting requests of an organisation on an instance. */
const WAITING_MAX = 2_000;

export interface VerdictWait {
  organizationId: string;
  traceId: string;
  seconds: number;
  /** Ends the wait when the caller has left. */
  signal?: AbortSignal | undefined;
}

interface Deps {
  models: Pick<Models, 'traces'>;
  signals: Pick<OrganizationSignals, 'subscribe'>;
  timer?: Timer;
  /** Maximum waiting requests of an organisation; for tests. */
  max?: number;
}

/** The waiting requests of one organisation. */
interface Room {
  /** By `traceId`. */
  waiters: Map<string, Set<() => void>>;
  size: number;
  /** Decisions to look at. */
  unseen: Set<string>;
  isLooking: boolean;
  cancelLook: () => void;
}

export function createReviewWaiting({
  models,
  signals,
  timer = systemTimer,
  max = WAITING_MAX,
}: Deps) {
  const rooms = new Map<string, Room>();

  /** Ends the waits for decisions that have no pending review any more. */
  async function look(organizationId: string, room: Room): Promise<void> {
    if (room.isLooking) return;
    room.isLooking = true;
    while (room.unseen.size > 0) {
      const traceIds = [...room.unseen];
      room.unseen.clear();
      const pending = await findPending(organizationId, traceIds);
      for (const traceId of traceIds)
        if (!pending.has(traceId)) for (const end of room.waiters.get(traceId) ?? []) end();
    }
    room.isLooking = false;
  }

  /** A failure ends no wait: the next look tells. */
  async function findPending(
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

  function wake(organizationId: string | null): void {
    if (organizationId === null) return [...rooms.keys()].forEach(wake);
    const room = rooms.get(organizationId);
    if (!room) return;
    for (const traceId of room.waiters.keys()) room.unseen.add(traceId);
    void look(organizationId, room);
  }
  signals.subscribe(wake);

  function openRoom(organizationId: string): Room {
    const schedule = (): (() => void) =>
      timer.schedule(LOOK_EVERY_MS, () => {
        room.cancelLook = schedule();
        wake(organizationId);
      });
    const room: Room = {
      waiters: new Map(),
      size: 0,
      unseen: new Set(),
      isLooking: false,
      cancelLook: schedule(),
    };
    rooms.set(organizationId, room);
    return room;
  }

  function enter(room: Room, traceId: string, end: () => void): void {
    room.size += 1;
    room.waiters.set(traceId, (room.waiters.get(traceId) ?? new Set()).add(end));
  }

  function leave(room: Room, { organizationId, traceId }: VerdictWait, end: () => void): void {
    room.size -= 1;
    const others = room.waiters.get(traceId);
    others?.delete(end);
    if (others?.size === 0) room.waiters.delete(traceId);
    if (room.size > 0) return;
    room.cancelLook();
    rooms.delete(organizationId);
  }

  return {
    /**
     * Resolves when the decision has no pending review any more, when the time is over, the caller has left, or the
     * instance stops.
     * @throws AppError `SERVICE_UNAVAILABLE` when too many requests of the organisation wait
     */
    async waitForVerdict(wait: VerdictWait): Promise<void> {
      const { organizationId, traceId, seconds, signal } = wait;
      const room = rooms.get(organizationId) ?? openRoom(organizationId);
      if (room.size >= max) throw createBusyError();
      await new Promise<void>((resolve) => {
        const end = (): void => {
          cancel();
          signal?.removeEventListener('abort', end);
          leave(room, wait, end);
          resolve();
        };
        const cancel = timer.schedule(seconds * 1000, end);
        enter(room, traceId, end);
        if (signal?.aborted) return end();
        signal?.addEventListener('abort', end, { once: true });
        // A verdict may have come between the caller's read and this wait.
        room.unseen.add(traceId);
        void look(organizationId, room);
      });
    },

    /** Ends every wait: the callers read the state as it is. */
    endAll(): void {
      for (const { waiters } of [...rooms.values()])
        for (const ends of [...waiters.values()]) for (const end of [...ends]) end();
    },

    /** Number of waiting requests, for tests and metrics. */
    countWaiting: (): number => [...rooms.values()].reduce((sum, { size }) => sum + size, 0),
  };
}
export type ReviewWaiting = ReturnType<typeof createReviewWaiting>;

const createBusyError = (): AppError =>
  new AppError('SERVICE_UNAVAILABLE', 'Too many requests of the organisation wait for a verdict', {
    headers: { 'Retry-After': '2' },
  });
